// Memory files: rendered or as they are, with the chunks that the index made of them.
import { get } from "../api.js";
import { html, useEffect, useMemo, useRef, useState } from "../lib.js";
import { go, href } from "../router.js";
import { useAnswer } from "../ui/answer.js";
import { Icon } from "../ui/icon.js";
import { Lines } from "../ui/lines.js";
import { List } from "../ui/list.js";
import { Block, blocksOf } from "../ui/markdown.js";
import { Empty, Loading, Problem } from "../ui/page.js";
import { Choice } from "../ui/parts.js";
import { Line, clean, count } from "../ui/text.js";
import { Panel } from "./files-parts.js";

const STEP = 300; // blocks

export function MemoryFiles({ opened, query, close }) {
  const { value, error, again } = useAnswer(
    (signal) => get("/api/files/paths", {}, { signal }),
    [],
  );
  const [selected, setSelected] = useState(opened);
  if (error) return html`<${Problem} error=${error} retry=${again} />`;
  if (!value) return html`<${Loading} />`;
  if (!value.paths.length && !opened) {
    return html`<${Empty} title="No memory files" icon="files">
      <code>MEMORY.md</code> and <code>memory/*.md</code> of the workspace appear here.
    <//>`;
  }
  const open = (path) => go(href("files", ["memory", path]));
  return html`<div class="both">
    <${List}
      label="Memory files"
      items=${value.paths}
      keyOf=${(path) => path}
      estimate=${() => 40}
      selected=${selected}
      onSelect=${setSelected}
      onOpen=${open}
      row=${(path) => html`<${FileRow} path=${path} open=${open} />`}
    />
    ${opened && html`<${Opened} key=${opened} path=${opened} query=${query} close=${close} />`}
  </div>`;
}

const FileRow = ({ path, open }) =>
  html`<button class="files-row" tabindex="-1" onClick=${() => open(path)}>
    <${Icon} name="files" /><${Line} text=${path} />
  </button>`;

function Opened({ path, query, close }) {
  const answer = useAnswer((signal) => get("/api/files/chunks", { path }, { signal }), [path]);
  const set = (as) => go(href("files", ["memory", path], { ...query, as }), { replace: true });
  const head = html`<${Choice}
    label="Show"
    value=${query.as ?? ""}
    options=${[
      ["", "Rendered"],
      ["source", "Source"],
    ]}
    onChange=${set}
  />`;
  return html`<${Panel} label="Opened file" ...${{ head, answer, close }}>
    ${(file) => html`<${File} file=${file} query=${query} />`}
  <//>`;
}

function File({ file, query }) {
  const from = Number(query.line) || 0;
  const to = Math.max(from, Number(query.to) || 0);
  const isMarked = (line, last = line) => from > 0 && line <= to && last >= from;
  if (file.status === "not_found") {
    return html`<${Empty} title="Not written yet" icon="files"
      >${clean(file.path)} is not there.<//
    >`;
  }
  const tokens = file.chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
  const made = file.chunks.length
    ? `${count(file.chunks.length)} chunks, ${count(tokens)} tokens`
    : "not indexed yet";
  const Body = query.as === "source" ? Source : Rendered;
  return html`<h2 class="files-name" dir="auto">${clean(file.path)}</h2>
    <p class="soft small">${count(file.total_lines)} lines, ${made}</p>
    <${Body} file=${file} from=${from} isMarked=${isMarked} />
    ${
      file.truncated &&
      html`<p class="soft">Lines after ${count(file.lines)} are too many to be shown here.</p>`
    }`;
}

function Source({ file, from, isMarked }) {
  const lines = useMemo(() => file.text.split("\n"), [file]);
  return html`<${Lines}
    label="Source"
    lines=${lines}
    numbers
    goal=${from ? from - 1 : null}
    kindOf=${(_, index) => (isMarked(index + 1) ? "marked" : "")}
  />`;
}

function Rendered({ file, from, isMarked }) {
  const blocks = useMemo(() => blocksOf(file.text), [file]);
  const goal = from ? blocks.findIndex((block) => block.to >= from) : -1;
  const [limit, setLimit] = useState(STEP);
  const shown = blocks.slice(0, Math.max(limit, goal + 40));
  const body = useRef();
  useEffect(() => {
    if (goal >= 0) body.current.querySelector(".marked")?.scrollIntoView({ block: "center" });
  }, [goal]);
  const begun = (block, index) => {
    const before = index ? blocks[index - 1].to : 0;
    return file.chunks.filter(({ start_line: at }) => at > before && at <= block.to);
  };
  return html`<div class="files-body" ref=${body}>
    ${shown.map(
      (block, index) =>
        html`<div key=${block.from}>
          ${begun(block, index).map(
            (chunk) => html`<${Mark} key=${chunk.id} chunk=${chunk} path=${file.path} />`,
          )}
          <div class="files-block ${isMarked(block.from, block.to) ? "marked" : ""}">
            <a
              class="files-line"
              href=${href("files", ["memory", file.path], { line: block.from })}
              aria-label="Line ${block.from}"
              >${block.from}</a
            >
            <div class="md"><${Block} block=${block} /></div>
          </div>
        </div>`,
    )}
    ${
      shown.length < blocks.length &&
      html`<button class="button" onClick=${() => setLimit(shown.length + STEP)}>
        More, from line ${count(blocks[shown.length].from)}
      </button>`
    }
  </div>`;
}

/** Where a chunk begins; chosen, its lines are marked. */
function Mark({ chunk, path }) {
  const { start_line: from, end_line: to, tokens } = chunk;
  return html`<a class="files-mark" href=${href("files", ["memory", path], { line: from, to })}>
    ${from === to ? `line ${count(from)}` : `lines ${count(from)}–${count(to)}`} ·
    ${" "}${count(tokens)} tokens
  </a>`;
}
