// Context: what was put into which prompt and why, what comes next, and what never is to be again.
import { get, post, remove } from "../api.js";
import { html, useEffect, useMemo, useState } from "../lib.js";
import { go, href } from "../router.js";
import { Bar, Both, Box, Chip, Choice, Empty, Filters, Line, Opened, Page } from "../ui.js";
import { Pending, Prose, Time, attempt, clean, count, dayOf, exactly, grouped } from "../ui.js";
import { many, named, titleById, toast, useAnswer, useGet, usePages, useProject } from "../ui.js";

const STEP = 100;
const WAIT_MS = 250;
const VIEWS = { "": "Injected", next: "Next session", never: "Never again" };
const REASONS = {
  startup: "First prompt",
  clear: "After a clear",
  compact: "After a compaction",
  resume: "Resumed",
  fork: "Forked",
  prompt: "Prompt",
};
const SECTIONS = {
  rules: "Standing instructions",
  facts: "What holds",
  summary: "Where we left off",
  open: "Still open",
  types: "Causes and fixes",
  changes: "Changed since",
  episodes: "Earlier sessions",
  said: "What was said",
};

export default function Context({ route }) {
  const { query } = route;
  const [id] = route.path;
  const [excluded, setExcluded] = useState(new Set());
  const load = async () => {
    const answer = await get("/api/context/never");
    setExcluded(new Set(answer.excluded.map((each) => String(each.id))));
  };
  // Without the right to it no line can be excluded: the button says so when it is used.
  useEffect(() => void load().catch(() => {}), []);
  const change = (name, isOut) =>
    attempt(async () => {
      if (isOut) await post("/api/context/never", { id: name });
      else await remove(`/api/context/never/${encodeURIComponent(name)}`);
      await load();
      const undo = isOut ? () => change(name, false) : null;
      toast(isOut ? "It is put into no prompt again" : "It may be put into prompts", { undo });
    });
  const value = id ? "" : (query.view ?? "");
  const Part = { next: Next, never: Never }[value] ?? Injected;
  const onChange = (to) => go(href("context", [], { view: to }));
  const actions = html`<${Choice} label="Show" options=${VIEWS} ...${{ value, onChange }} />`;
  const lead = "What goes into prompts by itself, and why";
  const name = id ? "context has-open" : "context";
  return html`<${Page} class=${name} title="Context" ...${{ lead, actions }}>
    <${Part} id=${id} query=${query} never=${{ excluded, change }} />
  <//>`;
}

const NOTHING = html`<${Empty} title="Nothing was put into a prompt" icon="context">
  It is noted here as soon as an agent is given something of its memory.
<//>`;

/** The blocks of all sessions, or of one, the newest first; and the one that is open. */
function Injected({ id, query: { session }, never }) {
  const ask = async (cursor, signal) => {
    const asked = { session, limit: STEP, cursor };
    const { blocks, cursor: next } = await get("/api/context/blocks", asked, { signal });
    return { rows: blocks, cursor: next };
  };
  const { rows: value, error, more: onEnd, again } = usePages(ask, [session]);
  const rows = useMemo(() => grouped(value ?? [], ({ at }) => dayOf(at)), [value]);
  const hrefOf = (block) => href("context", block ? [block] : [], { session });
  const row = (block) => html`<${BlockRow} block=${block} />`;
  const list = { rows, row, size: 62, onEnd, nothing: NOTHING, answer: { value, error, again } };
  return html`${session && html`<${OfSession} id=${session} />`}
    <${Both} label="Context blocks, the newest first" ...${{ ...list, id, hrefOf }}>
      ${id && html`<${Whole} key=${id} ...${{ id, never }} close=${hrefOf()} />`}
    <//>`;
}

const OfSession = ({ id }) =>
  html`<p class="filters">
    <${Chip} text=${`of ${titleById(id)}`} tone="accent" />
    <a class="link" href=${href("context")}>Show all</a>
  </p>`;

const reasonOf = ({ reason }) => REASONS[reason] ?? clean(reason);

function BlockRow({ block }) {
  return html`<span class="hit block-row">
    <span class="stack">
      <span class="flow wide">
        <b>${reasonOf(block)}</b>
        <${Line} text=${titleById(block.session_id)} class="soft" />
      </span>
      <span class="hit-where flow wide soft small">
        <span>${many(block.items, "line")}, ${many(block.tokens, "token")}</span>
        ${block.budget && html`<${Share} block=${block} />`}
      </span>
    </span>
    <${Time} at=${block.at} />
  </span>`;
}

const Share = ({ block }) =>
  html`<${Bar} value=${block.tokens / block.budget} label="share of the budget" />`;

function Whole({ id, never, close }) {
  const answer = useGet(`/api/context/blocks/${encodeURIComponent(id)}`);
  const head = html`<h2>${answer.value ? reasonOf(answer.value) : "Block"}</h2>`;
  const whole = (block) => html`<${Whence} block=${block} /><${Block} ...${{ block, never }} />`;
  return html`<${Opened} label="Opened block" ...${{ head, close, answer, whole }} />`;
}

const Whence = ({ block: { session_id: session, at, client } }) =>
  html`<p class="flow wrap wide soft small">
    <a class="link" href=${href("sessions", [session])}><${Line} text=${titleById(session)} /></a>
    <span>${exactly(at)}</span>
    ${client && html`<${Chip} text=${client} />`}
    <a class="link" href=${href("context", [], { session })}>Other blocks of it</a>
  </p>`;

/** The lines of a block under their headings, with what it cost. */
function Block({ block, never }) {
  const { budget, tokens, dropped, empty_because: why } = block;
  const groups = Map.groupBy(block.lines, ({ section }) => section);
  const of = budget ? ` of ${many(budget, "token")}` : " tokens";
  const more = dropped > 0 ? `, ${many(dropped, "line")} did not fit` : "";
  const line = (own) => html`<${BlockLine} key=${own.id} line=${own} never=${never} />`;
  const nothing = why ? `Nothing: ${clean(why)}.` : "All that was in it is erased.";
  const section = ([name, lines]) =>
    html`<section class="record-label" key=${name}>
      <h3>${SECTIONS[name] ?? clean(name)}</h3>
      <ul>
        ${lines.map(line)}
      </ul>
    </section>`;
  return html`<div class="budget soft small">
      ${budget && html`<${Share} block=${block} />`}
      <p>${`${count(tokens)}${of}${more}`}</p>
    </div>
    ${[...groups].map(section)} ${!block.lines.length && html`<p class="soft">${nothing}</p>`}`;
}

const GONE = html`<p>
  <${Chip} text="gone" tone="warn" /> Forgotten or taken out by a rewind since.
</p>`;

/** A line with what is said about it, and the button that keeps it out of prompts. */
function BlockLine({ line, never, isOut = never.excluded.has(String(line.id)), children }) {
  const parts = Object.entries(line.why ?? {}).sort(([, a], [, b]) => b - a);
  const part = ([name, value]) =>
    html`<span key=${name}>
      ${clean(name)} <${Bar} value=${value} label=${clean(name)} /> ${value.toFixed(2)}
    </span>`;
  const change = () => never.change(line.id, !isOut);
  const button = html`<button class="quiet small never" onClick=${change}>
    ${isOut ? "Inject it again" : "Never inject this again"}
  </button>`;
  return html`<li class="block-line stack">
    ${line.gone ? GONE : html`<${Prose} text=${line.text} most=${600} />`}
    <div class="block-why flow wrap wide soft small">
      <${Chip} text=${line.kind} />
      ${children ?? html`<span class="soft">${many(line.tokens, "token")}</span>`}
      ${parts.map(part)} ${!line.gone && button}
    </div>
  </li>`;
}

/** What the first prompt of a new session in a project would be given now. */
function Next({ query, never }) {
  const { names, scope } = useProject(query.project);
  const asked = { project: scope, query: query.q?.trim() };
  const ask = async (signal) => {
    await new Promise((done) => setTimeout(done, answer.value ? WAIT_MS : 0));
    signal.throwIfAborted();
    return get("/api/context/next", asked, { signal });
  };
  const answer = useAnswer(ask, [], JSON.stringify([asked, [...never.excluded]]));
  const pending = html`<${Pending} ...${answer} />`;
  const label = "What the first prompt asks";
  const box = { class: "next-ask", label, hint: `${label}, if anything`, maxlength: 4_000 };
  const of = [["project", "Project", named("No project", names)]];
  return html`<${Filters} label="The next session" of=${of}>
      <${Box} name="q" type="text" ...${box} />
    <//>
    <div class="block-body">
      ${answer.value ? html`<${Block} block=${answer.value} never=${never} />` : pending}
    </div>`;
}

/** What is excluded, with what it says. */
function Never({ never }) {
  const answer = useAnswer(excludedTexts, [[...never.excluded].join()]);
  if (!answer.value) return html`<${Pending} ...${answer} />`;
  if (!answer.value.length) {
    return html`<${Empty} title="Nothing is excluded" icon="never">
      “Never inject this again” at a line of a block keeps it out of all prompts. Searches still
      find it.
    <//>`;
  }
  const row = (line) =>
    html`<${BlockLine} key=${line.id} line=${line} never=${never} isOut>
      <span>since <${Time} at=${line.at} ago /></span>
    <//>`;
  return html`<ul class="block-body">
    ${answer.value.map(row)}
  </ul>`;
}

async function excludedTexts(signal) {
  const { excluded } = await get("/api/context/never", {}, { signal });
  const texts = new Map();
  const named = excluded.filter(({ kind }) => kind !== "file" && kind !== "state");
  if (named.length) {
    const ids = named.map(({ id }) => (typeof id === "number" ? `#${id}` : id)).slice(0, 100);
    const { found } = await post("/api/memory/get", { ids, max_tokens: 8_000 }, { signal });
    for (const { name, record: own } of found) {
      texts.set(name.replace(/^#/, ""), own.title || own.text || own.summary);
    }
  }
  return excluded.map((each) => ({ ...each, text: texts.get(String(each.id)) ?? String(each.id) }));
}
