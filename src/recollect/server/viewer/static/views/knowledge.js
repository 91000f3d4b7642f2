// Knowledge: what is known of people and projects, where it was said, and how it changed.
import { html } from "../lib.js";
import { go, href } from "../router.js";
import { Page, Ways, useKeys } from "../ui.js";
import { Episodes } from "./knowledge-episodes.js";
import { Facts } from "./knowledge-facts.js";
import { People } from "./knowledge-people.js";
import { Review } from "./knowledge-review.js";

const PARTS = [
  ["facts", "Facts", Facts],
  ["review", "Review", Review],
  ["lists", "Lists", Facts],
  ["episodes", "Episodes", Episodes],
  ["people", "People", People],
];
const OWN = PARTS.map(([part, label]) => [href("knowledge", [part]), label]);
const LEAD = "What stays true, where it was said, and how it changed";

export default function Knowledge({ route: { path, query } }) {
  const [part, label, Part] = PARTS.find(([each]) => each === path[0]) ?? PARTS[0];
  const id = path[1];
  const ways = OWN.map(([own, text], at) => [at + 1, [text, () => go(own)]]);
  useKeys("Knowledge", Object.fromEntries(ways));
  const hrefOf = (key) => href("knowledge", [part, key].filter(Boolean), query);
  return html`<${Page} class="knowledge ${id ? "has-open" : ""}" title="Knowledge" lead=${LEAD}>
    <${Ways} label="Parts of Knowledge" of=${OWN} at=${label} />
    <${Part} key=${part} ...${{ part, id, query, hrefOf }} />
  <//>`;
}
