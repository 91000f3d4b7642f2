// Health: whether all is well, what it costs, what is left out, who may come in, what was done.
import { html } from "../lib.js";
import { href } from "../router.js";
import { Page } from "../ui/page.js";
import { Sheet } from "../ui/sheet.js";
import { Audit, Tokens } from "./health-access.js";
import { Capture } from "./health-capture.js";
import { Overview } from "./health-overview.js";

const PARTS = [
  ["", "Overview", Overview],
  ["capture", "Capture", Capture],
  ["tokens", "Tokens", Tokens],
  ["audit", "Audit", Audit],
];

export default function Health({ route }) {
  const [, label, Part] = PARTS.find(([name]) => name === (route.path[0] ?? "")) ?? PARTS[0];
  const way = ([name, text]) => {
    const to = href("health", name ? [name] : []);
    const is = text === label ? "page" : null;
    return html`<a key=${name} href=${to} aria-current=${is} data-first=${!name || null}
      >${text}</a
    >`;
  };
  return html`<${Page} class="health" title="Health">
    <nav class="choice ways" aria-label="Parts of Health">${PARTS.map(way)}</nav>
    <${Sheet} label=${label} key=${label}><${Part} query=${route.query} /><//>
  <//>`;
}
