// Health: whether all is well, what it costs, what is left out, who may come in, what was done.
import { html } from "../lib.js";
import { Page, Sheet, Ways } from "../ui.js";
import { Audit, Tokens } from "./health-access.js";
import { Capture } from "./health-capture.js";
import { Overview } from "./health-overview.js";

const PARTS = [
  ["#/health", "Overview", Overview],
  ["#/health/capture", "Capture", Capture],
  ["#/health/tokens", "Tokens", Tokens],
  ["#/health/audit", "Audit", Audit],
];

export default function Health({ route: { path, query } }) {
  const own = ["#/health", ...path.slice(0, 1)].join("/");
  const [, label, Part] = PARTS.find(([to]) => to === own) ?? PARTS[0];
  return html`<${Page} class="health" title="Health">
    <${Ways} label="Parts of Health" of=${PARTS} at=${label} isFirst />
    <${Sheet} label=${label} key=${label}><${Part} query=${query} /><//>
  <//>`;
}
