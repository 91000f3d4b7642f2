// Knowledge: what is known of people and projects, where it was said, and how it changed.
import { html } from "../lib.js";
import { go, href } from "../router.js";
import { Page, useKeys } from "../ui.js";
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
].map(([part, label, Part]) => ({ part, label, Part, own: href("knowledge", [part]) }));
const LEAD = "What stays true, where it was said, and how it changed";

export default function Knowledge({ route: { path, query } }) {
  const { part, Part } = PARTS.find((each) => each.part === path[0]) ?? PARTS[0];
  const id = path[1];
  const ways = PARTS.map(({ label, own }, at) => [at + 1, [label, () => go(own)]]);
  useKeys("Knowledge", Object.fromEntries(ways));
  const hrefOf = (key) => href("knowledge", [part, key].filter(Boolean), query);
  const set = (changes) =>
    go(href("knowledge", [part], { ...query, ...changes }), { replace: true });
  const wayTo = (each) =>
    html`<a key=${each.part} href=${each.own} aria-current=${each.part === part ? "page" : null}>
      ${each.label}
    </a>`;
  return html`<${Page} class="knowledge ${id ? "has-open" : ""}" title="Knowledge" lead=${LEAD}>
    <nav class="parts" aria-label="Parts of Knowledge">${PARTS.map(wayTo)}</nav>
    <${Part} key=${part} ...${{ part, id, query, hrefOf, set }} />
  <//>`;
}
