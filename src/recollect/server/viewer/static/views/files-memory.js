// Memory files: rendered or as they are, with the chunks that the index made of them.
import { html, useEffect, useMemo, useRef, useState } from "../lib.js";
import { go, href } from "../router.js";
import { Both, Choice, Empty, Icon, Line, Opened, clean, count, useGet } from "../ui.js";
import { Lines } from "../ui/lines.js";
import { Block, blocksOf } from "../ui/markdown.js";

const STEP = 300; // blocks
const WAYS = Object.entries({ "": "Rendered", source: "Source" });
const NOTHING = html`<${Empty} title="No memory files" icon="files">
  <code>MEMORY.md</code> and <code>memory/*.md</code> of the workspace appear here.
<//>`;

const hrefAt = (path, query) => href("files", ["memory", path], query);

export function MemoryFiles({ id, query, hrefOf }) {
  const answer = useGet("/api/files/paths");
  const rows = (answer.value?.paths ?? []).map((path) => ({ id: path }));
  const row = ({ id: path }) =>
    html`<span class="files-row flow wide"><${Icon} name="files" /><${Line} text=${path} /></span>`;
  const shown = { answer, rows, row, id, hrefOf, nothing: NOTHING };
  return html`<${Both} label="Memory files" size=${40} ...${shown}>
    ${id && html`<${MemoryFile} key=${id} path=${id} query=${query} close=${hrefOf()} />`}
  <//>`;
}

function MemoryFile({ path, query, close }) {
  const answer = useGet("/api/files/chunks", { path });
  const set = (as) => go(hrefAt(path, { ...query, as }), { replace: true });
  const shown = { value: query.as ?? "", options: WAYS, onChange: set };
  const head = html`<${Choice} label="Show" ...${shown} />`;
  const whole = (file) => html`<${Whole} file=${file} query=${query} />`;
  return html`<${Opened} label="Opened file" ...${{ head, close, answer, whole }} />`;
}

function Whole({ file, query }) {
  const from = Number(query.line) || 0;
  const to = Math.max(from, Number(query.to) || 0);
  const isMarked = (line, last = line) => from > 0 && line <= to && last >= from;
  const { path, chunks } = file;
  if (file.status === "not_found") {
    return html`<${Empty} title="Not written yet" icon="files">${clean(path)} is not there.<//>`;
  }
  const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
  const made = `${count(chunks.length)} chunks, ${count(tokens)} tokens`;
  const Body = query.as === "source" ? Source : Rendered;
  const end = html`Lines after ${count(file.lines)} are too many to be shown here.`;
  return html`<h2 class="files-name" dir="auto">${clean(path)}</h2>
    <p class="soft small">
      ${count(file.total_lines)} lines, ${chunks.length ? made : "not indexed yet"}
    </p>
    <${Body} file=${file} from=${from} isMarked=${isMarked} />
    ${file.truncated && html`<p class="soft">${end}</p>`}`;
}

function Source({ file, from, isMarked }) {
  const lines = useMemo(() => file.text.split("\n"), [file]);
  const kindOf = (_, index) => (isMarked(index + 1) ? "marked" : "");
  const goal = from ? from - 1 : null;
  return html`<${Lines} label="Source" numbers ...${{ lines, goal, kindOf }} />`;
}

function Rendered({ file: { path, text, chunks }, from, isMarked }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  const goal = from ? blocks.findIndex((block) => block.to >= from) : -1;
  const [limit, setLimit] = useState(STEP);
  const shown = blocks.slice(0, Math.max(limit, goal + 40));
  const body = useRef();
  useEffect(() => {
    if (goal >= 0) body.current.querySelector(".marked")?.scrollIntoView({ block: "center" });
  }, [goal]);
  const chunksOf = ({ to }, before = 0) =>
    chunks.filter(({ start_line: at }) => at > before && at <= to);
  const blockOf = (block, index) => {
    const { from: line, to } = block;
    const name = `Line ${line}`;
    return html`<div key=${line}>
      ${chunksOf(block, blocks[index - 1]?.to).map((chunk) => markOf(chunk, path))}
      <div class="files-block ${isMarked(line, to) ? "marked" : ""}">
        <a class="files-line" href=${hrefAt(path, { line })} aria-label=${name}>${line}</a>
        <div class="md stack"><${Block} block=${block} /></div>
      </div>
    </div>`;
  };
  const next = blocks[shown.length]?.from;
  const more = html`<button class="button" onClick=${() => setLimit(shown.length + STEP)}>
    More, from line ${count(next)}
  </button>`;
  return html`<div class="files-body stack wide" ref=${body}>
    ${shown.map(blockOf)} ${next && more}
  </div>`;
}

/** Where a chunk begins; chosen, its lines are marked. */
function markOf({ id, start_line: line, end_line: to, tokens }, path) {
  const lines = line === to ? `line ${count(line)}` : `lines ${count(line)}–${count(to)}`;
  return html`<a key=${id} class="files-mark flow" href=${hrefAt(path, { line, to })}>
    ${lines} · ${count(tokens)} tokens
  </a>`;
}
