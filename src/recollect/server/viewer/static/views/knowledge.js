// Knowledge: what is known of people and projects, where it was said, and how it changed.
import { html } from "../lib.js";
import { go, href } from "../router.js";
import { useKeys } from "../ui/keys.js";
import { Page } from "../ui/page.js";
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

export default function Knowledge({ route }) {
  const [name, id] = route.path;
  const [shown, , Part] = PARTS.find(([each]) => each === name) ?? PARTS[0];
  const ways = PARTS.map(([each, label], at) => [
    at + 1,
    [label, () => go(href("knowledge", [each]))],
  ]);
  useKeys("Knowledge", Object.fromEntries(ways));
  return html`<${Page}
    class="knowledge ${id ? "has-open" : ""}"
    title="Knowledge"
    lead="What stays true, where it was said, and how it changed"
  >
    <nav class="parts" aria-label="Parts of Knowledge">
      ${PARTS.map(
        ([each, label]) =>
          html`<a
            key=${each}
            href=${href("knowledge", [each])}
            aria-current=${each === shown ? "page" : null}
          >
            ${label}
          </a>`,
      )}
    </nav>
    <${Part} key=${shown} part=${shown} id=${id} query=${route.query} />
  <//>`;
}
