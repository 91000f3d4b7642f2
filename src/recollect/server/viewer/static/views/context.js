// Context: what was put into which prompt and why, what comes next, and what never is to be again.
import { get, post, remove } from "../api.js";
import { html, useEffect, useMemo, useState } from "../lib.js";
import { nameOf, record } from "../records.js";
import { go, href, route as address } from "../router.js";
import { useAnswer } from "../ui/answer.js";
import { Icon } from "../ui/icon.js";
import { useKeys } from "../ui/keys.js";
import { List } from "../ui/list.js";
import { Empty, Loading, Page, Problem } from "../ui/page.js";
import { usePages } from "../ui/pages.js";
import { Bar, Chip, Choice, Copy, Select } from "../ui/parts.js";
import { useProjects } from "../ui/projects.js";
import { titleOf } from "../ui/session.js";
import { Line, Prose, clean, count, many } from "../ui/text.js";
import { Time, dayOf, exactly } from "../ui/time.js";
import { toast } from "../ui/toast.js";

const STEP = 100;
const WAIT_MS = 250;
const VIEWS = [
  ["", "Injected"],
  ["next", "Next session"],
  ["never", "Never again"],
];
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
  const change = async (name, isOut) => {
    try {
      if (isOut) await post("/api/context/never", { id: name });
      else await remove(`/api/context/never/${encodeURIComponent(name)}`);
      await load();
      const undo = isOut ? () => change(name, false) : null;
      toast(isOut ? "It is put into no prompt again" : "It may be put into prompts", { undo });
    } catch (error) {
      toast.error(error);
    }
  };
  const never = { excluded, change };
  const view = id ? "" : (query.view ?? "");
  return html`<${Page}
    class="context ${id ? "has-open" : ""}"
    title="Context"
    lead="What goes into prompts by itself, and why"
    actions=${html`<${Choice}
      label="Show"
      value=${view}
      options=${VIEWS}
      onChange=${(to) => go(href("context", [], { view: to }))}
    />`}
  >
    ${view === "next" && html`<${Next} query=${query} never=${never} />`}
    ${view === "never" && html`<${Never} never=${never} />`}
    ${view === "" && html`<${Injected} id=${id} session=${query.session} never=${never} />`}
  <//>`;
}

/** The blocks of all sessions, or of one, the newest first; and the one that is open. */
function Injected({ id, session, never }) {
  const ask = async (cursor, signal) => {
    const query = { session, limit: STEP, cursor };
    const { blocks, cursor: next } = await get("/api/context/blocks", query, { signal });
    return { rows: blocks, cursor: next };
  };
  const { rows: blocks, error, more, again } = usePages(ask, [session]);
  const [selected, setSelected] = useState(id ?? null);
  const rows = useMemo(() => blocks && withDays(blocks), [blocks]);
  const to = (block, isOpen) =>
    go(href("context", block ? [block] : [], { session }), { replace: isOpen && Boolean(block) });
  useEffect(() => void (id && setSelected(id)), [id]);
  useKeys("Context", {
    Escape: ["close what is open", () => (address.peek().path[0] ? to(null) : false)],
  });
  if (error) return html`<${Problem} error=${error} retry=${again} />`;
  if (!rows) return html`<${Loading} />`;
  if (!rows.length) {
    return html`<${Empty} title="Nothing was put into a prompt" icon="context">
      It is noted here as soon as an agent is given something of its memory.
    <//>`;
  }
  return html`${session && html`<${OfSession} id=${session} />`}
    <div class="both">
      <${List}
        label="Context blocks, the newest first"
        items=${rows}
        keyOf=${(row) => row.id}
        estimate=${(row) => (row.day ? 44 : 62)}
        isHead=${(row) => Boolean(row.day)}
        selected=${selected}
        onSelect=${(key) => (setSelected(key), address.peek().path[0] && to(key, true))}
        onOpen=${(row) => to(row.id)}
        onEnd=${more}
        row=${(row) =>
          row.day
            ? html`<h2 class="block-day">${row.day}</h2>`
            : html`<${BlockRow} block=${row} open=${() => to(row.id)} />`}
      />
      ${id && html`<${Opened} key=${id} id=${id} never=${never} close=${() => to(null)} />`}
    </div>`;
}

function withDays(blocks) {
  const rows = [];
  let last = null;
  for (const block of blocks) {
    const day = dayOf(block.at);
    if (day !== last) rows.push({ id: `day/${block.id}`, day });
    rows.push(block);
    last = day;
  }
  return rows;
}

const sessionOf = (id) => record(nameOf.session(id)).value;

function OfSession({ id }) {
  const session = sessionOf(id);
  return html`<p class="filters">
    <${Chip} text=${`of ${session ? titleOf(session) : id.slice(0, 8)}`} tone="accent" />
    <a class="link" href=${href("context")}>Show all</a>
  </p>`;
}

function BlockRow({ block, open }) {
  const session = sessionOf(block.session_id);
  return html`<button class="hit block-row" tabindex="-1" onClick=${open}>
    <span class="hit-body">
      <span class="block-what">
        <b>${REASONS[block.reason] ?? clean(block.reason)}</b>
        <${Line} text=${session ? titleOf(session) : block.session_id.slice(0, 8)} class="soft" />
      </span>
      <span class="hit-where">
        <span>${many(block.items, "line")}, ${many(block.tokens, "token")}</span>
        ${block.budget && html`<${Share} block=${block} />`}
      </span>
    </span>
    <${Time} at=${block.at} />
  </button>`;
}

const Share = ({ block }) =>
  html`<${Bar} value=${block.tokens / block.budget} label="share of the budget" />`;

function Opened({ id, never, close }) {
  const { value, error, again } = useAnswer(
    (signal) => get(`/api/context/blocks/${encodeURIComponent(id)}`, {}, { signal }),
    [id],
  );
  const session = value && sessionOf(value.session_id);
  return html`<aside class="opened" aria-label="Opened block">
    <header>
      <h2 class="gap">${value ? (REASONS[value.reason] ?? clean(value.reason)) : "Block"}</h2>
      <${Copy} text=${location.href} label="Copy the link" icon="link" />
      <button class="icon-button" aria-label="Close" title="Close: Esc" onClick=${close}>
        <${Icon} name="close" />
      </button>
    </header>
    <div class="opened-body">
      ${error && html`<${Problem} error=${error} retry=${again} />`}
      ${!error && !value && html`<${Loading} />`}
      ${
        value &&
        html`<p class="block-when">
            <a class="link" href=${href("sessions", [value.session_id])}>
              <${Line} text=${session ? titleOf(session) : "The session"} />
            </a>
            <span>${exactly(value.at)}</span>
            ${value.client && html`<${Chip} text=${value.client} />`}
            <a class="link" href=${href("context", [], { session: value.session_id })}>
              Other blocks of it
            </a>
          </p>
          <${Block} block=${value} never=${never} />`
      }
    </div>
  </aside>`;
}

/** The lines of a block under their headings, with what it cost. */
function Block({ block, never }) {
  const groups = Map.groupBy(block.lines, ({ section }) => section);
  return html`<${Budget} block=${block} /> ${[...groups].map(
      ([section, lines]) =>
        html`<section class="block-section" key=${section}>
          <h3>${SECTIONS[section] ?? clean(section)}</h3>
          <ul>
            ${lines.map(
              (line) => html`<${BlockLine} key=${line.id} line=${line} never=${never} />`,
            )}
          </ul>
        </section>`,
    )}
    ${!block.lines.length && html`<p class="soft">${emptyText(block)}</p>`}`;
}

const emptyText = ({ empty_because: why }) =>
  why ? `Nothing: ${clean(why)}.` : "All that was in it is erased.";

function Budget({ block }) {
  const of = block.budget ? ` of ${many(block.budget, "token")}` : " tokens";
  const more = block.dropped > 0 ? `, ${many(block.dropped, "line")} did not fit` : "";
  return html`<div class="budget">
    ${block.budget && html`<${Share} block=${block} />`}
    <p>${`${count(block.tokens)}${of}${more}`}</p>
  </div>`;
}

function BlockLine({ line, never }) {
  const isOut = never.excluded.has(String(line.id));
  const parts = Object.entries(line.why).sort(([, a], [, b]) => b - a);
  return html`<li class="block-line">
    ${
      line.gone
        ? html`<p><${Chip} text="gone" tone="warn" /> Forgotten or taken out by a rewind since.</p>`
        : html`<${Prose} text=${line.text} most=${600} />`
    }
    <div class="block-why">
      <${Chip} text=${line.kind} />
      <span class="soft">${many(line.tokens, "token")}</span>
      ${parts.map(
        ([name, value]) =>
          html`<span key=${name}>
            ${clean(name)} <${Bar} value=${value} label=${clean(name)} /> ${value.toFixed(2)}
          </span>`,
      )}
      ${!line.gone && html`<${NeverButton} id=${line.id} isOut=${isOut} never=${never} />`}
    </div>
  </li>`;
}

function NeverButton({ id, isOut, never }) {
  return html`<button class="quiet small never" onClick=${() => never.change(id, !isOut)}>
    ${isOut ? "Inject it again" : "Never inject this again"}
  </button>`;
}

/** What the first prompt of a new session in a project would be given now. */
function Next({ query, never }) {
  const projects = useProjects();
  const set = (changes) => go(href("context", [], { ...query, ...changes }), { replace: true });
  const { project: name, q } = query;
  const project = projects.find((each) => each.name === name);
  const asked = { project: project ? (project.root ?? project.id) : name, query: q?.trim() };
  const stamp = JSON.stringify([asked, [...never.excluded]]);
  const ask = async (signal) => {
    await new Promise((done) => setTimeout(done, value ? WAIT_MS : 0));
    signal.throwIfAborted();
    return get("/api/context/next", asked, { signal });
  };
  const { value, error, again } = useAnswer(ask, [], stamp);
  return html`<div class="filters" role="group" aria-label="The next session">
      <${Select}
        label="Project"
        value=${name ?? ""}
        options=${[["", "No project"], ...projects.map((each) => [each.name, each.name])]}
        onChange=${(to) => set({ project: to })}
      />
      <input
        class="next-ask"
        data-first
        dir="auto"
        maxlength="4000"
        aria-label="What the first prompt asks"
        placeholder="What the first prompt asks, if anything"
        value=${q ?? ""}
        onInput=${(event) => set({ q: event.target.value })}
      />
    </div>
    <div class="block-body">
      ${
        error
          ? html`<${Problem} error=${error} retry=${again} />`
          : value
            ? html`<${Block} block=${value} never=${never} />`
            : html`<${Loading} />`
      }
    </div>`;
}

/** What is excluded, with what it says. */
function Never({ never }) {
  const stamp = [...never.excluded].join();
  const { value, error, again } = useAnswer(excludedTexts, [stamp]);
  if (error) return html`<${Problem} error=${error} retry=${again} />`;
  if (!value) return html`<${Loading} />`;
  if (!value.length) {
    return html`<${Empty} title="Nothing is excluded" icon="never">
      “Never inject this again” at a line of a block keeps it out of all prompts. Searches still
      find it.
    <//>`;
  }
  return html`<ul class="block-body">
    ${value.map(
      ({ id, kind, at, text }) =>
        html`<li class="block-line" key=${id}>
          <${Prose} text=${text} most=${600} />
          <div class="block-why">
            <${Chip} text=${kind} />
            <span class="soft">since <${Time} at=${at} ago /></span>
            <${NeverButton} id=${id} isOut never=${never} />
          </div>
        </li>`,
    )}
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
