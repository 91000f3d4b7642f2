// Live: memory while it is made, the newest first.
import { history, link, listen, place, seqOf } from "../events.js";
import { html, signal, useEffect, useMemo, useState } from "../lib.js";
import { loads, nameOf, record, types } from "../records.js";
import { Filters, named } from "../ui/filters.js";
import { Icon } from "../ui/icon.js";
import { useKeys } from "../ui/keys.js";
import { List, useOpened } from "../ui/list.js";
import { Empty, Loading, NothingFits, Page, Problem } from "../ui/page.js";
import { Bar, Chip, Choice } from "../ui/parts.js";
import { useProjects } from "../ui/projects.js";
import { RecordBody } from "../ui/record.js";
import { sessionOf, titleOf } from "../ui/session.js";
import { Line, clean, count } from "../ui/text.js";
import { Time, dayOf } from "../ui/time.js";
import { eventText } from "./live-events.js";

const FIRST_STEP = 25; // events of the first look back: one event may tell of 500 observations
const MOST_STEP = 400;
const GATHER_MS = 150;
const HEIGHTS = { day: 52, session: 44, message: 62, observation: 40, fact: 40, event: 38 };
const RECORDS = { message: "Messages", observation: "Observations", fact: "Facts" };
const KINDS = { "": "All", ...RECORDS, event: "Events" };
const LEAST = ["0.3", "0.5", "0.7"].map((least) => [least, `${least} and more`]);

// What was heard stays while other views are open: [{key, kind, at, scope, …}], the oldest first.
const items = signal([]);
const paused = signal(null); // what came meanwhile; null: it is not paused
const state = signal("new"); // new, loading, ready, or an error
let first = null; // the seq before the first item
let step = FIRST_STEP;
let waiting = [];

function begin() {
  if (state.peek() !== "new" || place.value === null) return;
  listen(hear);
  first = seqOf(place.peek());
  back();
}

async function back() {
  const since = Math.max(0, first - step);
  const mark = place.peek().replace(/^\d+/, "");
  state.value = "loading";
  try {
    const events = await history(since, `${first}${mark}`);
    step = Math.min(step * 2, MOST_STEP);
    first = since;
    items.value = [...events.flatMap(itemsOf), ...items.peek()];
    state.value = "ready";
  } catch (error) {
    state.value = error;
  }
}

function hear(event) {
  if (event.type === "reset") {
    items.value = [];
    first = event.seq;
    return;
  }
  if (!waiting.length) setTimeout(take, GATHER_MS);
  waiting.push(...itemsOf(event));
}

function take() {
  const into = paused.peek() ? paused : items;
  into.value = [...into.peek(), ...waiting];
  waiting = [];
}

function togglePause() {
  if (paused.value) items.value = [...items.peek(), ...paused.value];
  paused.value = paused.value ? null : [];
}

/** Return the items of an event: each message, observation and fact is one. */
function itemsOf(event) {
  const { seq, at, scope, type, numbers } = event;
  const item = (kind, name, key = name) => ({ key: `${seq}/${key}`, kind, name, at, scope, event });
  if (type === "messages.appended") {
    return Array.from({ length: event.count }, (_, step) =>
      item("message", nameOf.message(scope.session, event.first_seq + step)),
    );
  }
  const kind = { "observations.recorded": "observation", "facts.remembered": "fact" }[type];
  return kind
    ? numbers.map((number) => item(kind, nameOf[kind](number)))
    : [item("event", null, type)];
}

export default function Live({ route }) {
  const { query } = route;
  const [selected, setSelected] = useState(null);
  const { opened, toggle } = useOpened();
  const projects = useProjects();
  useEffect(begin, [place.value === null]);
  useKeys("Live", { p: ["pause and go on", togglePause] });
  const isDeep = query.type || query.importance;
  const rows = useMemo(
    () => rowsOf(items.value.filter((item) => fits(item, query, projects))),
    [items.value, projects, JSON.stringify(query), isDeep && loads.value],
  );
  const open = ({ key }) => (setSelected(key), toggle(key));
  const names = projects.map(({ name }) => name);
  const agents = [...new Set(items.value.map(({ scope }) => scope.agent).filter(Boolean))].sort();
  const filters = [
    ["kind", "Kind", KINDS, Choice],
    ["project", "Project", named("All projects", names)],
    ["agent", "Agent", named("All agents", agents.length > 1 ? agents : [])],
    ["type", "Type of observation", named("All types", types.value)],
    ["importance", "Importance", [["", "Any importance"], ...LEAST]],
  ];
  const list = {
    ...{ items: rows, selected, onSelect: setSelected, onOpen: open, stamp: opened },
    keyOf: (item) => item.key,
    estimate: (item) => HEIGHTS[item.kind],
    isHead: (item) => item.kind === "day" || item.kind === "session",
    onEnd: () => state.peek() === "ready" && first > 0 && back(),
    row: (item) => rowOf(item, opened.has(item.key), open),
    foot: html`<${Beginning} />`,
  };
  const lead = "Memory while it is made";
  const instead = html`<${Nothing} query=${query} />`;
  return html`<${Page} class="live" title="Live" lead=${lead} actions=${html`<${PauseButton} />`}>
    <${Filters} of=${filters} />
    ${rows.length ? html`<${List} label="What happened, the newest first" ...${list} />` : instead}
  <//>`;
}

function Beginning() {
  if (state.value instanceof Error) return html`<${Problem} error=${state.value} retry=${back} />`;
  if (state.value === "loading") return html`<${Loading} what="Looking further back" />`;
  return html`<p class="live-begin soft small">${first > 0 ? "" : "The memory begins here."}</p>`;
}

function Nothing({ query }) {
  if (state.value instanceof Error) return html`<${Problem} error=${state.value} retry=${back} />`;
  if (state.value !== "ready") {
    return html`<${Loading} what=${link.value === "open" ? "Looking back" : "Connecting"} />`;
  }
  if (Object.keys(query).length) return html`<${NothingFits} view="live" />`;
  return html`<${Empty} title="Nothing yet">
    What your agent says and does appears here as it happens.
  <//>`;
}

function PauseButton() {
  const held = paused.value;
  return html`<button class="button" aria-pressed=${held !== null} onClick=${togglePause}>
    <${Icon} name=${held ? "play" : "pause"} />
    ${held ? `Go on${held.length ? `, ${count(held.length)} new` : ""}` : "Pause"}
  </button>`;
}

function fits(item, query, projects) {
  if (query.kind && item.kind !== query.kind) return false;
  if (query.agent && item.scope.agent !== query.agent) return false;
  if (query.project) {
    const project = projects.find(({ name }) => name === query.project);
    if (!project?.paths.includes(item.scope.project)) return false;
  }
  if (!query.type && !query.importance) return true;
  const own = item.kind === "observation" && record(item.name).peek();
  if (!own) return false;
  return (!query.type || own.type === query.type) && own.importance >= (query.importance ?? 0);
}

/** Return the items, the newest first, under a heading for each day and each run of a session. */
function rowsOf(shown) {
  const rows = [];
  const dayAt = daysOf();
  let [run, day] = [null, null];
  const endRun = () => run && rows.push({ ...run, kind: "session", key: `s/${run.key}` });
  const endDay = () => day !== null && rows.push({ kind: "day", key: `d/${day}`, text: day });
  for (const item of shown) {
    const own = dayAt(item.at);
    if (run && (own !== day || item.scope.session !== run.scope.session)) {
      endRun();
      run = null;
    }
    if (own !== day) endDay();
    run ??= item;
    day = own;
    rows.push(item);
  }
  endRun();
  endDay();
  return rows.reverse();
}

/** Return what names the day of a moment; moments of the day before are asked for once. */
function daysOf() {
  let [from, to, name] = [0, 0, ""];
  return (at) => {
    if (at < from || at >= to) {
      from = new Date(at).setHours(0, 0, 0, 0);
      to = new Date(at).setHours(24, 0, 0, 0);
      name = dayOf(at);
    }
    return name;
  };
}

function rowOf(item, isOpen, open) {
  if (item.kind === "day") return html`<h2 class="live-day">${item.text}</h2>`;
  if (item.kind === "session") return html`<${SessionHead} scope=${item.scope} />`;
  const body =
    item.kind === "event"
      ? html`<span class="soft">${eventText(item.event)}</span>`
      : html`<${Row} kind=${item.kind} name=${item.name} isOpen=${isOpen} />`;
  return html`<div class="live-row ${item.kind} ${isOpen ? "open" : ""}">
    <${Icon} name=${item.kind} />
    <div class="live-body" onClick=${(event) => isHead(event, item) && open(item)}>${body}</div>
    <${Time} at=${item.at} />
  </div>`;
}

/** Whether a click is for the row and not for what is open in it; its button may be gone by now. */
const isHead = (event, item) =>
  item.kind !== "event" && !event.composedPath().some((each) => each.matches?.(".record"));

function SessionHead({ scope }) {
  const own = sessionOf(scope.session) ?? { id: scope.session, project_path: scope.project };
  const project = own.project_path?.split("/").pop();
  const title = own.id ? titleOf(own) : (project ?? "Outside of a session");
  return html`<h3 class="live-session flow">
    <${Line} text=${title} />
    ${project && project !== title && html`<${Chip} text=${project} />`}
    ${scope.agent && html`<${Chip} text=${scope.agent} />`}
  </h3>`;
}

// Of a row in one line: the label, the text, a share and what it is a share of.
const LINES = {
  observation: (own) => [own.type, own.title || own.summary || own.tool_name, "importance"],
  fact: (own) => [own.kind, own.text, "confidence"],
};

function Row({ kind, name, isOpen }) {
  const own = record(name).value;
  if (!own) return html`<span class="soft">${own === null ? "gone" : "…"}</span>`;
  const body = isOpen && html`<${RecordBody} kind=${kind} record=${own} />`;
  if (kind === "message") {
    const short = html`<div class="live-cut" dir="auto">${clean(own.text.slice(0, 400))}</div>`;
    const role = html`<span class="live-role ${own.role}">${clean(own.name ?? own.role)}</span>`;
    return html`${role} ${body || short}`;
  }
  const [label, text, share] = LINES[kind](own);
  const tone = kind === "fact" || label === "decision" ? "accent" : "";
  return html`<div class="live-line flow">
      <${Chip} text=${label} tone=${tone} />
      <${Line} text=${text} />
      <${Bar} value=${own[share]} label=${share} />
    </div>
    ${body}`;
}
