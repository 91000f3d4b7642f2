// Files: notes of the memory with what the index made of them; what files were, and the way back.
import { html } from "../lib.js";
import { go, href } from "../router.js";
import { Choice, Page, useKeys } from "../ui.js";
import { Checkpoints } from "./files-checkpoints.js";
import { MemoryFiles } from "./files-memory.js";
import { Rewinds } from "./files-rewinds.js";

const PARTS = [
  ["memory", "Memory files", MemoryFiles],
  ["checkpoints", "Checkpoints", Checkpoints],
  ["rewinds", "Rewinds", Rewinds],
];

export default function Files({ route: { path, query } }) {
  const [name, , Part] = PARTS.find(([each]) => each === path[0]) ?? PARTS[0];
  const id = path[1];
  const hrefIn = (part, key) =>
    href("files", [part, key].filter(Boolean), part === "memory" ? {} : { session: query.session });
  const to = (part) => go(hrefIn(part));
  const ways = PARTS.map(([part, label]) => [part[0], [label.toLowerCase(), () => to(part)]]);
  useKeys("Files", Object.fromEntries(ways));
  const hrefOf = (key) => hrefIn(name, key);
  return html`<${Page} class="files ${id ? "has-open" : ""}" title="Files">
    <div class="filters">
      <${Choice} label="Part" value=${name} options=${PARTS} onChange=${to} />
    </div>
    <${Part} key=${name} ...${{ id, query, hrefOf }} />
  <//>`;
}
