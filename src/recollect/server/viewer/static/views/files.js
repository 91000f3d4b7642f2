// Files: notes of the memory with what the index made of them; what files were, and the way back.
import { html } from "../lib.js";
import { go, href } from "../router.js";
import { useKeys } from "../ui/keys.js";
import { Page } from "../ui/page.js";
import { Choice } from "../ui/parts.js";
import { Checkpoints } from "./files-checkpoints.js";
import { MemoryFiles } from "./files-memory.js";
import { Rewinds } from "./files-rewinds.js";

const PARTS = [
  ["memory", "Memory files", MemoryFiles],
  ["checkpoints", "Checkpoints", Checkpoints],
  ["rewinds", "Rewinds", Rewinds],
];

export default function Files({ route }) {
  const [part = "memory", key] = route.path;
  const [name, , Part] = PARTS.find(([each]) => each === part) ?? PARTS[0];
  const { session } = route.query;
  const to = (each) => go(href("files", [each], each === "memory" ? {} : { session }));
  const close = () => key && go(href("files", [name], { session }));
  useKeys("Files", {
    m: ["memory files", () => to("memory")],
    c: ["checkpoints", () => to("checkpoints")],
    r: ["rewinds", () => to("rewinds")],
    Escape: ["close what is open", () => (key ? close() : false)],
  });
  return html`<${Page} class="files ${key ? "has-open" : ""}" title="Files">
    <div class="filters">
      <${Choice} label="Part" value=${name} options=${PARTS} onChange=${to} />
    </div>
    <${Part} key=${name} ...${{ opened: key ?? null, query: route.query, close }} />
  <//>`;
}
