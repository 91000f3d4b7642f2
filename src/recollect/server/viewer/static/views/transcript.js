// The rows of a transcript: messages with their tool calls folded, and what stands between them.
import { html } from "../lib.js";
import { nameOf, record } from "../records.js";
import { href } from "../router.js";
import { Chip, Copy, Icon, IconButton, Line, Prose, RecordBody, Time } from "../ui.js";
import { clean, count, cut, dayOf, exactly, many } from "../ui.js";
import { indexOf } from "./plot.js";

const SHORT = 1_500;
const CHARS_OF_TOKEN = 4;
const CHARS_OF_LINE = 95;
const HEIGHTS = { day: 52, mark: 40, line: 23, head: 52 };

/**
 * Return the rows of a transcript: [{kind: "message" | "mark" | "day", key, seq, height, …}].
 *
 * @param messages What each costs, oldest first.
 * @param marks [{type, key, after, …}], with `at` instead of `after` where only the time is known.
 */
export function rowsOf(messages, marks) {
  const byPlace = placed(messages, marks);
  const rows = [];
  const put = (seq, each) =>
    each.map((mark) => rows.push({ kind: "mark", key: mark.key, height: HEIGHTS.mark, seq, mark }));
  let day = null;
  let before = messages.length ? messages[0].seq - 1 : 0;
  put(1, byPlace.get(0) ?? []);
  for (const message of messages) {
    const { seq, created_at: at } = message;
    const own = dayOf(at);
    if (seq > before + 1 && !isSaid(byPlace.get(before), before)) {
      const gap = { type: "gap", key: `gap/${seq}`, first_seq: before + 1, last_seq: seq - 1 };
      put(before || 1, [gap]);
    }
    if (own !== day) {
      rows.push({ kind: "day", key: `d${seq}`, text: own, height: HEIGHTS.day, seq });
    }
    rows.push({ kind: "message", key: `m${seq}`, height: heightOf(message), ...message });
    put(seq, byPlace.get(seq) ?? []);
    [day, before] = [own, seq];
  }
  return rows;
}

/** Return marks by the seq that they stand after; 0 for those before the first message. */
function placed(messages, marks) {
  const times = messages.map(({ created_at: at }) => ({ seq: at }));
  const placeOf = ({ after, at }) =>
    messages[after == null ? indexOf(times, at) : indexOf(messages, after)]?.seq ?? 0;
  return Map.groupBy(
    [...marks].sort((a, b) => a.at - b.at),
    placeOf,
  );
}

/** Return whether a mark says already why the messages after a seq are not there. */
const isSaid = (marks = [], seq) =>
  marks.some((mark) => mark.type === "taken" && mark.first_seq === seq + 1 && !mark.returned_at);

function heightOf({ tokens }) {
  const lines = Math.ceil(Math.min(SHORT, tokens * CHARS_OF_TOKEN) / CHARS_OF_LINE);
  return HEIGHTS.head + HEIGHTS.line * Math.max(1, lines);
}

export function TranscriptRow({ row, ...rest }) {
  if (row.kind === "day") return html`<h2 class="said-day">${row.text}</h2>`;
  if (row.kind === "mark") return html`<${Mark} mark=${row.mark} ...${rest} />`;
  return html`<${Message} row=${row} ...${rest} />`;
}

function Message({ row, session, opened, toggle, fork }) {
  const own = record(nameOf.message(session.id, row.seq)).value;
  const parts = own ? partsOf(own) : [];
  const isResult = parts.length > 0 && parts.every(({ tool }) => tool === "result");
  const fold = (part, index) => {
    const key = `${row.key}/${index}`;
    const isOpen = opened.has(row.key) !== opened.has(key);
    return html`<${Fold} ...${{ key, part, isOpen, toggle: () => toggle(key) }} />`;
  };
  const text = (part, index) => html`<${Prose} key=${index} text=${part.text} most=${SHORT} />`;
  const link = `${location.origin}/${href("sessions", [session.id], { at: row.seq })}`;
  const label = `Fork after message ${row.seq}`;
  return html`<article class="said ${row.role} ${isResult ? "result" : ""}">
    <header>
      <b class="said-who" dir="auto">${clean(own?.name ?? row.role)}</b>
      <span class="said-seq soft small">${row.seq}</span>
      <span class="said-ways flow">
        <${IconButton} icon="fork" label=${label} act=${() => fork(row.seq)} />
        <${Copy} text=${link} label="Copy the link to message ${row.seq}" icon="link" />
      </span>
      <${Time} at=${row.created_at} />
    </header>
    ${own === undefined && html`<p class="soft">…</p>`}
    ${own === null && html`<p class="soft">It is gone.</p>`}
    ${parts.map((part, index) => (part.tool ? fold : text)(part, index))}
  </article>`;
}

/** Return the parts of a message: {text}, or {tool, title, body, isError} of what is folded. */
function partsOf({ content, text }) {
  const parts = content.map(partOf).filter((part) => part.tool || part.text);
  return parts.length ? parts : [{ text }];
}

function partOf(block) {
  if (block.type === "text") return { text: block.text };
  if (block.type === "thinking") return { tool: "thinking", title: "", body: block.thinking };
  if (block.type === "tool_use") {
    const { name, input } = block;
    const values = Object.values(Object(input)).filter((value) => typeof value !== "object");
    const title = typeof input === "string" ? input : values.join(" ");
    return { tool: "call", name, title, body: written(input) };
  }
  if (block.type === "tool_result") {
    const body = block.content.map((each) => partOf(each).text ?? "").join("\n");
    return { tool: "result", title: body, body, isError: block.is_error };
  }
  if (block.type === "image") return { text: `[image: ${block.alt || block.media_type || ""}]` };
  return { text: `[${block.kind}]` };
}

const written = (input) => (typeof input === "string" ? input : JSON.stringify(input, null, 2));
const FOLDED = { call: "used", result: "gave", thinking: "thought" };

function Fold({ part, isOpen, toggle }) {
  return html`<div class="fold ${part.tool}">
    <button class="fold-head" aria-expanded=${isOpen} onClick=${toggle}>
      <${Icon} name=${isOpen ? "down" : "right"} />
      <${Chip} text=${part.name ?? FOLDED[part.tool]} tone=${part.isError ? "bad" : ""} />
      ${part.isError && html`<span class="hidden">failed:</span>`}
      <${Line} text=${part.title} class="soft" />
    </button>
    ${isOpen && html`<${Prose} text=${part.body} most=${1_200} mono />`}
  </div>`;
}

const ICONS = { block: "context", observation: "tool", taken: "rewind", gap: "rewind" };

function Mark({ mark, opened, toggle }) {
  const isOpen = opened.has(mark.key);
  const way = { "aria-expanded": isOpen, onClick: () => toggle(mark.key) };
  const Body = BODIES[mark.type];
  return html`<div class="mark ${mark.type}">
    <${Icon} name=${ICONS[mark.type] ?? mark.type} />
    <p>
      <span>${SENTENCES[mark.type](mark)}</span>
      ${Body && html`<button class="quiet" ...${way}>${isOpen ? "less" : "more"}</button>`}
    </p>
    ${mark.at && html`<${Time} at=${mark.at} />`}
    ${isOpen && html`<div class="mark-body sunk"><${Body} mark=${mark} /></div>`}
  </div>`;
}

const range = ({ first_seq: first, last_seq: last }) =>
  first === last ? `Message ${first} was` : `Messages ${first} to ${last} were`;

const SENTENCES = {
  compaction: (mark) =>
    `Messages ${mark.from_seq} to ${mark.through_seq} are a summary from here: ` +
    `${count(mark.tokens_before)} tokens became ${count(mark.tokens_after)}`,
  checkpoint: ({ id, files, label, tool_name: tool }) =>
    clean(`Checkpoint ${id} of ${many(files, "file")}${label || tool ? `, ${label ?? tool}` : ""}`),
  rewind: ({ deed, items, target, status }) =>
    `${{ undo: "Undo of a rewind", redo: "Redo of a rewind" }[deed] ?? "Rewind"} of ` +
    `${many(items.length, "file")} to ${target}: ${status.replace("_", " ")}`,
  taken: (mark) =>
    `${range(mark)} taken out by a rewind` +
    (mark.returned_at ? `, and came back ${exactly(mark.returned_at)}` : ""),
  gap: (mark) => `${range(mark)} removed`,
  observation: ({ deed, title, summary }) =>
    html`<${Chip} text=${deed} tone=${deed === "decision" ? "accent" : ""} />${" "}
      <bdi dir="auto">${clean(cut(title || summary, 300))}</bdi>`,
  block: ({ id, items, tokens }) =>
    html`<a class="link" href=${href("context", [id])}>
      ${many(items, "line")} of memory put into the prompt, ${many(tokens, "token")}
    </a>`,
};

const BODIES = {
  compaction: ({ mark }) => html`<${Prose} text=${mark.summary} most=${SHORT} />`,
  observation: ({ mark }) => html`<${RecordBody} kind="observation" record=${mark} />`,
  rewind: ({ mark }) =>
    html`<p class="flow wrap">
      ${mark.items.map(({ path, outcome, status }) => {
        const tone = status === "conflict" ? "warn" : "";
        return html`<${Chip} key=${path} text=${`${path}: ${outcome}`} tone=${tone} />`;
      })}
    </p>`,
};
