// Search: one box; lines while you type, then details, then what was around them.
import { get, post } from "../api.js";
import { html, useEffect, useMemo, useRef, useState } from "../lib.js";
import { route as address, amend, go, href } from "../router.js";
import { Box, Chip, Choice, Empty, Filters, Icon, Line, List, Opened, Page, Pairs } from "../ui.js";
import { Problem, Prose, RecordBody, Time, clean, cut, exactly, many, measure } from "../ui.js";
import { named, titleById, useAnswer, useKeys, usePages, useProject } from "../ui.js";

const WAIT_MS = 70;
const STEP = 40;
const MOST = 400;
const NONE = [];
const COMMON = new RegExp(
  "^(the|and|for|was|were|are|did|does|had|have|has|why|how|who|what|when|where|which|with|that" +
    "|this|from)$",
  "i",
);
const DAY_MS = 86_400_000;
// Of a source its name, and the icon of its hits.
const SOURCES = {
  sessions: ["Messages", "message"],
  observations: ["Observations", "observation"],
  facts: ["Facts", "fact"],
  memory: ["Files", "files"],
  episodes: ["Episodes", "episode"],
};
const KINDS = Object.entries(SOURCES).map(([source, [name]]) => [source, name]);
const TIMES = [
  ["", "Any time"],
  ["1", "Last day"],
  ["7", "Last week"],
  ["30", "Last month"],
  ["365", "Last year"],
];
const SHOWN = { "": "Details", around: "Around" };

export default function Search({ route }) {
  const { query } = route;
  const box = useRef();
  const project = useProject(query.project);
  const [selected, setSelected] = useState(query.open ?? null);
  const inputs = [query.q, query.source, query.days, query.project, project.isKnown];
  const ask = (from, signal) => hitsOf(query, project, from, signal);
  const { rows, said, error, isBusy, more, again } = usePages(ask, inputs, WAIT_MS);
  const hits = rows ?? NONE;
  const words = useMemo(() => wordsOf(query.q ?? ""), [query.q]);
  const opened = hits.find((hit) => keyOf(hit) === query.open);
  // Rows keep this: it reads the address of the moment in which it is called.
  const open = (hit) => {
    setSelected(keyOf(hit));
    amend({ open: keyOf(hit) }, { replace: Boolean(address.peek().query.open) });
  };
  const { show } = query;
  const close = href("search", [], { ...query, open: "", show: "" });
  const move = (step) => {
    const at = hits.findIndex((hit) => keyOf(hit) === selected) + step;
    const hit = hits[Math.max(0, Math.min(hits.length - 1, at))];
    if (!hit) return;
    setSelected(keyOf(hit));
    if (query.open) open(hit);
  };
  useEffect(() => box.current.querySelector("input").focus(), []);
  useKeys("Search", {
    t: ["details, or what was around", () => query.open && amend({ show: show ? "" : "around" })],
  });
  const keys = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => open(hits.find((hit) => keyOf(hit) === selected) ?? hits[0]),
    Escape: () => (query.open ? go(close) : document.activeElement.blur()),
  };
  const onKeyDown = (event) => {
    if (event.isComposing || !keys[event.key] || (event.key === "Enter" && !hits.length)) return;
    event.preventDefault();
    keys[event.key]();
  };
  const onInput = (event) => amend({ q: event.target.value, open: "", show: "" });
  const label = "Search the memory";
  const hint = "Words, names, or a question";
  const filters = [
    ["source", "Kind", [["", "All"], ...KINDS], Choice],
    ["days", "Time", TIMES],
    ["project", "Project", named("All projects", project.names)],
  ];
  const list = {
    ...{ items: hits, keyOf, selected, stamp: words, onSelect: setSelected, onOpen: open },
    ...{ estimate: () => 84, onEnd: more },
    row: (hit) => html`<${HitRow} hit=${hit} words=${words} open=${open} />`,
  };
  const instead = error
    ? html`<${Problem} error=${error} retry=${again} />`
    : html`<${Nothing} query=${query} isBusy=${isBusy || !rows} />`;
  return html`<${Page} class="search ${opened ? "has-open" : ""}" title="Search">
    <div class="search-box" ref=${box}>
      <${Icon} name="search" />
      <${Box} name="q" ...${{ label, hint, onInput, onKeyDown }} />
      ${isBusy && html`<span class="spinner" aria-hidden="true"></span>`}
    </div>
    <${Filters} of=${filters}>
      <span class="search-count soft small" role="status">${said}</span>
    <//>
    <div class="both">
      ${hits.length ? html`<${List} label="Results, the best first" ...${list} />` : instead}
      ${opened && html`<${Result} key=${query.open} hit=${opened} ...${{ show, close }} />`}
    </div>
  <//>`;
}

const keyOf = (hit) => (hit.path ? `${hit.path}:${hit.start_line}` : hit.ref);

/** Return a page of the hits of an address: it is asked for more of the best each time. */
async function hitsOf({ q, source, days }, { own, scope, isKnown }, from, signal) {
  if (!q?.trim() || !isKnown) return { rows: NONE };
  const limit = (from ?? 0) + STEP;
  const body = {
    query: q.slice(0, 4_000),
    limit,
    sources: source ? [source] : null,
    since: days ? Date.now() - days * DAY_MS : null,
    scope: own ? { project: scope } : null,
  };
  const began = performance.now();
  const { hits, mode } = await post("/api/memory/search", body, { signal });
  const took = Math.round(performance.now() - began);
  const cursor = hits.length === limit && limit < MOST ? limit : null;
  return {
    rows: hits.slice(limit - STEP),
    cursor,
    said: `${many(hits.length, "result")}, ${mode}, ${took} ms`,
  };
}

function Nothing({ query, isBusy }) {
  if (isBusy) return html`<div class="empty soft"></div>`;
  if (query.q) {
    return html`<${Empty} title="Nothing fits" icon="search">
      Try fewer words, or another time or project.
    <//>`;
  }
  return html`<${Empty} title="Ask your memory" icon="search">
    Results come as you type. <kbd>↓</kbd> and <kbd>↵</kbd> open one, <kbd>t</kbd> shows what was
    around it.
  <//>`;
}

function HitRow({ hit, words, open }) {
  const where = hit.path ?? (hit.session_id ? titleById(hit.session_id) : "");
  const who = hit.name ?? hit.role;
  return html`<button class="hit" tabindex="-1" onClick=${() => open(hit)}>
    <${Icon} name=${SOURCES[hit.source][1]} />
    <span class="stack">
      <span class="hit-text" dir="auto"><${Marked} text=${hit.snippet} words=${words} /></span>
      <span class="hit-where flow wide soft small">
        ${who && html`<span>${clean(who)}</span>`}
        ${hit.fact && html`<${Chip} text=${hit.fact.kind} />`}
        ${where && html`<${Line} text=${where} />`}
        <${Time} at=${hit.at} ago />
        ${hit.until && html`<${Chip} text="no longer" tone="warn" title=${exactly(hit.until)} />`}
      </span>
    </span>
    <${Shares} hit=${hit} />
  </button>`;
}

/** Return the words of a question that are marked where they occur. */
function wordsOf(question) {
  const words = question.match(/[\p{L}\p{N}_]+/gu) ?? [];
  const says = (word) => word.length > 2 || /[^\x00-\x7f]/.test(word);
  return [...new Set(words.filter((word) => says(word) && !COMMON.test(word)))];
}

/** A text with words marked: <${Marked} text=${snippet} words=${wordsOf(question)} />. */
function Marked({ text, words }) {
  const whole = clean(cut(String(text ?? ""), 600));
  if (!words.length) return whole;
  const parts = whole.split(new RegExp(`(${words.join("|")})`, "giu"));
  return parts.map((part, at) => (at % 2 ? html`<mark>${part}</mark>` : part));
}

/** The parts of a score, the largest first. */
const partsOf = ({ why }) => Object.entries(why).sort(([, a], [, b]) => b - a);
const shareOf = ([name, value]) => [name.replaceAll("_", " "), measure(value, name)];

/** The parts of a score as shares of a bar. */
function Shares({ hit }) {
  const parts = partsOf(hit);
  const said = parts.map(([name, value]) => `${name} ${value.toFixed(2)}`).join(", ");
  const share = ([name, value]) =>
    html`<span key=${name} style=${{ inlineSize: `${Math.min(1, value) * 100}%` }}></span>`;
  const label = `score ${hit.score.toFixed(2)}`;
  return html`<span class="bar shares" role="img" aria-label=${label} title=${said}>
    ${parts.filter(([, value]) => value > 0).map(share)}
  </span>`;
}

/** What is open: the record in full, or the moments around it. */
function Result({ hit, show = "", close }) {
  const onChange = (to) => amend({ show: to });
  const [ask, Body] = show ? [around, Around] : [detail, Details];
  const answer = useAnswer((signal) => ask(hit, signal), [keyOf(hit), show]);
  const head = html`<${Choice} label="Show" value=${show} options=${SHOWN} onChange=${onChange} />`;
  const whole = (value) => html`<${Body} hit=${hit} value=${value} />`;
  return html`<${Opened} label="Opened result" ...${{ head, close, answer, whole }} />`;
}

function Details({ hit, value }) {
  const Body = value.kind ? RecordBody : Prose;
  return html`<p class="stack">
      <b>${clean(value.title)}</b>
      <span class="soft small">${exactly(hit.at)}</span>
    </p>
    <${Body} ...${value} most=${6_000} />
    <h3 class="record-label">Why it was found</h3>
    <${Pairs} of=${[["score", hit.score], ...partsOf(hit)].map(shareOf)} />`;
}

async function detail(hit, signal) {
  const { path, start_line: from, end_line: to } = hit;
  if (path) {
    const query = { path, from_line: from, lines: to - from + 1 };
    const { text } = await get("/api/files", query, { signal });
    return { title: `${path}, lines ${from} to ${to}`, text };
  }
  const body = { ids: [hit.ref], max_tokens: null };
  const { found } = await post("/api/memory/get", body, { signal });
  if (!found.length) return { title: "It is gone", text: hit.snippet };
  const [{ name, kind, record }] = found;
  const what = record.name ?? record.role ?? record.type ?? record.kind ?? kind;
  return { title: `${name}, ${what}`, kind, record };
}

function Around({ value }) {
  const { before, anchor, after } = value;
  const lines = [...before, ...(anchor ? [anchor] : []), ...after];
  const row = (line) =>
    html`<li key=${line.ref} aria-current=${line === anchor ? "true" : null}>
      <${Time} at=${line.at} />
      <${Icon} name=${line.kind === "file" ? "files" : line.kind} />
      <span dir="auto">${clean(line.title)}</span>
    </li>`;
  return html`<ol class="moments" aria-label="What was around">
    ${lines.map(row)} ${!lines.length && html`<li class="soft">Nothing was around it.</li>`}
  </ol>`;
}

function around(hit, signal) {
  const isMoment = hit.source === "observations" || hit.source === "sessions";
  const body = { anchor: isMoment ? hit.ref : hit.at, before: 12, after: 12 };
  return post("/api/memory/timeline", body, { signal });
}
