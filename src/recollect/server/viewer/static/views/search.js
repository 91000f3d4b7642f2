// Search: one box; lines while you type, then details, then what was around them.
import { get, post } from "../api.js";
import { html, useEffect, useMemo, useRef, useState } from "../lib.js";
import { nameOf, record } from "../records.js";
import { route as address, go, href } from "../router.js";
import { useAnswer } from "../ui/answer.js";
import { Icon } from "../ui/icon.js";
import { useKeys } from "../ui/keys.js";
import { List } from "../ui/list.js";
import { Empty, Loading, Page, Problem } from "../ui/page.js";
import { Chip, Choice, Copy, Select, Shares } from "../ui/parts.js";
import { useProjects } from "../ui/projects.js";
import { RecordBody } from "../ui/record.js";
import { Line, Marked, Prose, clean, wordsOf } from "../ui/text.js";
import { Time, exactly } from "../ui/time.js";

const WAIT_MS = 70;
const STEP = 40;
const MOST = 400;
const DAY_MS = 86_400_000;
const SOURCES = [
  ["", "All"],
  ["sessions", "Messages"],
  ["observations", "Observations"],
  ["facts", "Facts"],
  ["memory", "Files"],
  ["episodes", "Episodes"],
];
const TIMES = [
  ["", "Any time"],
  ["1", "Last day"],
  ["7", "Last week"],
  ["30", "Last month"],
  ["365", "Last year"],
];
const ICONS = {
  sessions: "message",
  observations: "observation",
  facts: "fact",
  memory: "files",
  episodes: "episode",
};

export default function Search({ route }) {
  const { query } = route;
  const box = useRef();
  const [typed, setTyped] = useState(query.q ?? "");
  const projects = useProjects();
  const [selected, setSelected] = useState(query.open ?? null);
  const { hits, mode, took, error, isBusy, more, retry } = useHits(query, projects);
  const words = useMemo(() => wordsOf(query.q ?? ""), [query.q]);
  const opened = hits.find((hit) => keyOf(hit) === query.open);
  // Rows keep these: they read the address of the moment in which they are called.
  const set = (changes, replace = true) =>
    go(href("search", [], { ...address.peek().query, ...changes }), { replace });
  const open = (hit) => {
    setSelected(keyOf(hit));
    set({ open: keyOf(hit) }, Boolean(address.peek().query.open));
  };
  const close = () => set({ open: "", show: "" });
  const move = (step) => {
    const at = hits.findIndex((hit) => keyOf(hit) === selected) + step;
    const hit = hits[Math.max(0, Math.min(hits.length - 1, at))];
    if (!hit) return;
    setSelected(keyOf(hit));
    if (query.open) open(hit);
  };
  // What was typed meanwhile is not taken back by the address that follows it.
  const sent = useRef(typed);
  useEffect(() => {
    const asked = address.peek().query.q ?? "";
    if (asked !== sent.current) setTyped((sent.current = asked));
  }, [query.q]);
  useEffect(() => box.current.focus(), []);
  useKeys("Search", {
    "/": ["to the box", () => (box.current.focus(), box.current.select())],
    t: ["details, or what was around", () => query.open && set({ show: other(query.show) })],
    Escape: ["close what is open", () => (query.open ? close() : false)],
  });
  const keys = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => open(hits.find((hit) => keyOf(hit) === selected) ?? hits[0]),
    Escape: () => (query.open ? close() : box.current.blur()),
  };
  const onKeyDown = (event) => {
    if (event.isComposing || !keys[event.key] || (event.key === "Enter" && !hits.length)) return;
    event.preventDefault();
    keys[event.key]();
  };
  const type = (event) => {
    sent.current = event.target.value;
    setTyped(sent.current);
    set({ q: sent.current, open: "", show: "" });
  };
  const byName = projects.map(({ name }) => [name, name]);
  return html`<${Page} class="search ${opened ? "has-open" : ""}" title="Search">
    <div class="search-box">
      <${Icon} name="search" />
      <input
        type="search"
        ref=${box}
        data-first
        aria-label="Search the memory"
        placeholder="Words, names, or a question"
        autocomplete="off"
        spellcheck=${false}
        dir="auto"
        value=${typed}
        onInput=${type}
        onKeyDown=${onKeyDown}
      />
      ${isBusy && html`<span class="spinner" aria-hidden="true"></span>`}
    </div>
    <div class="filters" role="group" aria-label="Filters">
      <${Choice}
        label="Kind"
        value=${query.source ?? ""}
        options=${SOURCES}
        onChange=${(source) => set({ source })}
      />
      <${Select}
        label="Time"
        value=${query.days ?? ""}
        options=${TIMES}
        onChange=${(days) => set({ days })}
      />
      ${
        byName.length > 0 &&
        html`<${Select}
          label="Project"
          value=${query.project ?? ""}
          options=${[["", "All projects"], ...byName]}
          onChange=${(project) => set({ project })}
        />`
      }
      <span class="search-count" role="status">${countOf(query, hits, mode, took)}</span>
    </div>
    <div class="both">
      ${
        error
          ? html`<${Problem} error=${error} retry=${retry} />`
          : hits.length
            ? html`<${List}
                label="Results, the best first"
                items=${hits}
                keyOf=${keyOf}
                estimate=${() => 84}
                selected=${selected}
                onSelect=${setSelected}
                onOpen=${open}
                onEnd=${more}
                row=${(hit) => html`<${HitRow} hit=${hit} words=${words} open=${open} />`}
                stamp=${words}
              />`
            : html`<${Nothing} query=${query} isBusy=${isBusy} />`
      }
      ${opened && html`<${Opened} key=${query.open} hit=${opened} ...${{ query, set, close }} />`}
    </div>
  <//>`;
}

const other = (show) => (show === "around" ? "" : "around");
const keyOf = (hit) => (hit.path ? `${hit.path}:${hit.start_line}` : hit.ref);

function countOf(query, hits, mode, took) {
  if (!query.q || took === null) return "";
  const number = `${hits.length} ${hits.length === 1 ? "result" : "results"}`;
  return `${number}, ${mode}, ${Math.round(took)} ms`;
}

/** Return the hits of an address: asked for a moment after the last key; the last request ends. */
function useHits(query, projects) {
  const nothing = { hits: [], mode: "", took: null, error: null };
  const [answer, setAnswer] = useState(nothing);
  const [isBusy, setBusy] = useState(false);
  const [limit, setLimit] = useState(STEP);
  const [tries, setTries] = useState(0);
  const asked = [query.q, query.source, query.days, query.project].join("\n");
  const isKnown = !query.project || projects.length > 0;
  useEffect(() => setLimit(STEP), [asked]);
  useEffect(() => {
    if (!query.q?.trim()) return setAnswer(nothing);
    if (!isKnown) return;
    const ending = new AbortController();
    const ask = async () => {
      setBusy(true);
      const began = performance.now();
      try {
        const body = bodyOf(query, projects, limit);
        const result = await post("/api/memory/search", body, { signal: ending.signal });
        const { hits, mode } = result;
        setAnswer({ hits, mode, took: performance.now() - began, error: null });
      } catch (error) {
        if (error.name === "AbortError") return;
        setAnswer({ ...nothing, error });
      }
      setBusy(false);
    };
    const timer = setTimeout(ask, answer.took === null || limit > STEP ? 0 : WAIT_MS);
    return () => (clearTimeout(timer), ending.abort(), setBusy(false));
  }, [asked, limit, tries, isKnown]);
  const more = () => answer.hits.length === limit && limit < MOST && setLimit(limit + STEP);
  return { ...answer, isBusy, more, retry: () => setTries(tries + 1) };
}

function bodyOf(query, projects, limit) {
  const project = projects.find(({ name }) => name === query.project);
  return {
    query: query.q.slice(0, 4_000),
    limit,
    sources: query.source ? [query.source] : null,
    since: query.days ? Date.now() - query.days * DAY_MS : null,
    scope: project ? { project: project.root ?? project.id } : null,
  };
}

function Nothing({ query, isBusy }) {
  if (isBusy) return html`<div class="empty"></div>`;
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
  const session = hit.session_id ? record(nameOf.session(hit.session_id)).value : null;
  const where = hit.path ?? session?.title ?? session?.session_key ?? "";
  const who = hit.name ?? hit.role;
  return html`<button class="hit" tabindex="-1" onClick=${() => open(hit)}>
    <${Icon} name=${ICONS[hit.source]} />
    <span class="hit-body">
      <span class="hit-text" dir="auto"><${Marked} text=${hit.snippet} words=${words} /></span>
      <span class="hit-where">
        ${who && html`<span>${clean(who)}</span>`}
        ${hit.fact && html`<${Chip} text=${hit.fact.kind} />`}
        ${where && html`<${Line} text=${where} />`}
        <${Time} at=${hit.at} ago />
        ${hit.until && html`<${Chip} text="no longer" tone="warn" title=${exactly(hit.until)} />`}
      </span>
    </span>
    <${Shares} why=${hit.why} score=${hit.score} />
  </button>`;
}

/** What is open: the record in full, or the moments around it. */
function Opened({ hit, query, set, close }) {
  const isAround = query.show === "around";
  return html`<aside class="opened" aria-label="Opened result">
    <header>
      <${Choice}
        label="Show"
        value=${isAround ? "around" : ""}
        options=${[
          ["", "Details"],
          ["around", "Around"],
        ]}
        onChange=${(show) => set({ show })}
      />
      <span class="gap"></span>
      <${Copy} text=${location.href} label="Copy the link" />
      <button class="icon-button" aria-label="Close" title="Close: Esc" onClick=${close}>
        <${Icon} name="close" />
      </button>
    </header>
    ${isAround ? html`<${Around} hit=${hit} />` : html`<${Details} hit=${hit} />`}
  </aside>`;
}

function Details({ hit }) {
  const { value, error } = useAnswer((signal) => detail(hit, signal), [keyOf(hit)]);
  if (error) return html`<${Problem} error=${error} />`;
  if (!value) return html`<${Loading} />`;
  return html`<div class="opened-body" tabindex="0">
    <p class="opened-head">
      <b>${clean(value.title)}</b>
      <span>${exactly(hit.at)}</span>
    </p>
    ${
      value.kind
        ? html`<${RecordBody} kind=${value.kind} record=${value.record} />`
        : html`<${Prose} text=${value.text} most=${6_000} />`
    }
    <h3 class="record-label">Why it was found</h3>
    <${Shares} why=${hit.why} score=${hit.score} isWhole />
  </div>`;
}

async function detail(hit, signal) {
  if (hit.path) {
    const query = { path: hit.path, from_line: hit.start_line };
    const lines = hit.end_line - hit.start_line + 1;
    const { text } = await get("/api/files", { ...query, lines }, { signal });
    return { title: `${hit.path}, lines ${hit.start_line} to ${hit.end_line}`, text };
  }
  const body = { ids: [hit.ref], max_tokens: null };
  const { found } = await post("/api/memory/get", body, { signal });
  if (!found.length) return { title: "It is gone", text: hit.snippet };
  const [{ name, kind, record: own }] = found;
  return {
    title: `${name}, ${own.name ?? own.role ?? own.type ?? own.kind ?? kind}`,
    kind,
    record: own,
  };
}

function Around({ hit }) {
  const { value, error } = useAnswer((signal) => around(hit, signal), [keyOf(hit)]);
  if (error) return html`<${Problem} error=${error} />`;
  if (!value) return html`<${Loading} />`;
  const { before, anchor, after } = value;
  const lines = [...before, ...(anchor ? [anchor] : []), ...after];
  return html`<ol class="moments" tabindex="0" aria-label="What was around">
    ${lines.map(
      (line) =>
        html`<li key=${line.ref} aria-current=${line === anchor ? "true" : null}>
          <${Time} at=${line.at} />
          <${Icon} name=${line.kind === "file" ? "files" : line.kind} />
          <span class="moment-text" dir="auto">${clean(line.title)}</span>
        </li>`,
    )}
    ${!lines.length && html`<li class="soft">Nothing was around it.</li>`}
  </ol>`;
}

function around(hit, signal) {
  const isMoment = hit.source === "observations" || hit.source === "sessions";
  const body = { anchor: isMoment ? hit.ref : hit.at, before: 12, after: 12 };
  return post("/api/memory/timeline", body, { signal });
}
