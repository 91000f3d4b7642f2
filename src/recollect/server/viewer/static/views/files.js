// Files: notes of the memory with what the index made of them; what files were, and the way back.
import { html } from "../lib.js";
import { go, href } from "../router.js";
import { Page, Ways, useKeys } from "../ui.js";
import { Checkpoints } from "./files-checkpoints.js";
import { MemoryFiles } from "./files-memory.js";
import { Rewinds } from "./files-rewinds.js";

const PARTS = [
  ["memory", "Memory files", MemoryFiles],
  ["checkpoints", "Checkpoints", Checkpoints],
  ["rewinds", "Rewinds", Rewinds],
];

export default function Files({ route: { path, query } }) {
  const [name, label, Part] = PARTS.find(([each]) => each === path[0]) ?? PARTS[0];
  const id = path[1];
  const hrefIn = (part, key) =>
    href("files", [part, key].filter(Boolean), part === "memory" ? {} : { session: query.session });
  const own = PARTS.map(([part, text]) => [hrefIn(part), text]);
  const ways = own.map(([to, text]) => [text[0].toLowerCase(), [text.toLowerCase(), () => go(to)]]);
  useKeys("Files", Object.fromEntries(ways));
  const hrefOf = (key) => hrefIn(name, key);
  return html`<${Page} class="files ${id ? "has-open" : ""}" title="Files">
    <${Ways} label="Parts of Files" of=${own} at=${label} />
    <${Part} key=${name} ...${{ id, query, hrefOf }} />
  <//>`;
}
