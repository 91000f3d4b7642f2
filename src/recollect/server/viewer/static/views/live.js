// Live: memory while it is made, the newest first.
import { history, link, listen, place, seqOf } from "../events.js";
import { html, signal, useEffect, useMemo, useState } from "../lib.js";
import { loads, nameOf, record, types } from "../records.js";
import { go, href } from "../router.js";
import { Icon } from "../ui/icon.js";
import { useKeys } from "../ui/keys.js";
import { List } from "../ui/list.js";
import { Empty, Loading, Page, Problem } from "../ui/page.js";
import { Bar, Chip, Choice, Select } from "../ui/parts.js";
import { useProjects } from "../ui/projects.js";
import { RecordBody } from "../ui/record.js";
import { Line, clean, count } from "../ui/text.js";
import { Time, dayOf } from "../ui/time.js";
import { eventText } from "./live-events.js";

const FIRST_STEP = 25; // events of the first look back: one event may tell of 500 observations
const MOST_STEP = 400;
const GATHER_MS = 150;
const HEIGHTS = { day: 52, session: 44, message: 62, observation: 40, fact: 40, event: 38 };
const KINDS = [
  ["", "All"],
  ["message", "Messages"],
  ["observation", "Observations"],
  ["fact", "Facts"],
  ["event", "Events"],
];
const IMPORTANCE = [
  ["", "Any importance"],
  ["0.3", "0.3 and more"],
  ["0.5", "0.5 and more"],
  ["0.7", "0.7 and more"],
];

// What was heard stays while other views are open: [{key, kind, at, scope, …}], the oldest first.
const items = signal([]);
const paused = signal(null); // what came meanwhile; null: it is not paused
const state = signal("new"); // new, loading, ready, or an error
let first = null; // the seq before the first item
let step = FIRST_STEP;
let waiting = [];

function begin() {
  if (state.peek() !== "new" || place.value === null) return;
  state.value = "loading";
  const until = place.peek();
  listen(hear);
  first = seqOf(until);
  back().catch((error) => (state.value = error));
}

async function back() {
  const since = Math.max(0, first - step);
  step = Math.min(step * 2, MOST_STEP);
  const mark = place.peek().replace(/^\d+/, "");
  state.value = "loading";
  const events = await history(since, `${first}${mark}`);
  first = since;
  items.value = [...events.flatMap(itemsOf), ...items.peek()];
  state.value = "ready";
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
  if (paused.peek()) paused.value = [...paused.peek(), ...waiting];
  else items.value = [...items.peek(), ...waiting];
  waiting = [];
}

function togglePause() {
  if (paused.value) {
    items.value = [...items.peek(), ...paused.value];
    paused.value = null;
  } else {
    paused.value = [];
  }
}

/** Return the items of an event: each message, observation and fact is one. */
function itemsOf(event) {
  const { seq, at, scope } = event;
  const item = (kind, name, key = name) => ({ key: `${seq}/${key}`, kind, name, at, scope, event });
  if (event.type === "messages.appended") {
    return Array.from({ length: event.count }, (_, step) =>
      item("message", nameOf.message(scope.session, event.first_seq + step)),
    );
  }
  if (event.type === "observations.recorded") {
    return event.numbers.map((number) => item("observation", nameOf.observation(number)));
  }
  if (event.type === "facts.remembered") {
    return event.numbers.map((number) => item("fact", nameOf.fact(number)));
  }
  return [item("event", null, event.type)];
}

export default function Live({ route }) {
  const { query } = route;
  const [selected, setSelected] = useState(null);
  const [opened, setOpened] = useState(() => new Set());
  const projects = useProjects();
  useEffect(begin, [place.value === null]);
  useKeys("Live", { p: ["pause and go on", togglePause] });
  const isDeep = query.type || query.importance;
  const rows = useMemo(
    () => rowsOf(items.value.filter((item) => fits(item, query, projects))),
    [items.value, projects, JSON.stringify(query), isDeep && loads.value],
  );
  const set = (name) => (value) =>
    go(href("live", [], { ...query, [name]: value }), { replace: true });
  const open = (item) => {
    setSelected(item.key);
    setOpened((old) => {
      const next = new Set(old);
      if (!next.delete(item.key)) next.add(item.key);
      return next;
    });
  };
  return html`<${Page}
    class="live"
    title="Live"
    lead="Memory while it is made"
    actions=${html`<${PauseButton} />`}
  >
    <${Filters} query=${query} set=${set} projects=${projects} />
    ${
      state.value instanceof Error
        ? html`<${Problem} error=${state.value} retry=${() => void back()} />`
        : rows.length
          ? html`<${List}
              label="What happened, the newest first"
              items=${rows}
              keyOf=${(item) => item.key}
              estimate=${(item) => HEIGHTS[item.kind]}
              isHead=${(item) => item.kind === "day" || item.kind === "session"}
              selected=${selected}
              onSelect=${setSelected}
              onOpen=${open}
              onEnd=${() => state.peek() === "ready" && first > 0 && back()}
              row=${(item) => rowOf(item, opened.has(item.key), open)}
              stamp=${opened}
              foot=${html`<${Beginning} />`}
            />`
          : html`<${Nothing} query=${query} />`
    }
  <//>`;
}

function Beginning() {
  if (state.value === "loading") return html`<${Loading} what="Looking further back" />`;
  return html`<p class="live-begin">${first > 0 ? "" : "The memory begins here."}</p>`;
}

function Nothing({ query }) {
  if (state.value !== "ready") {
    return html`<${Loading} what=${link.value === "open" ? "Looking back" : "Connecting"} />`;
  }
  if (Object.keys(query).length) {
    return html`<${Empty} title="Nothing fits" icon="filter">
      <a class="link" href=${href("live")}>Show all</a>
    <//>`;
  }
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

function Filters({ query, set, projects }) {
  const agents = [...new Set(items.value.map(({ scope }) => scope.agent).filter(Boolean))].sort();
  const named = (name, values) => [["", name], ...values.map((each) => [each, each])];
  const names = projects.map(({ name }) => name);
  return html`<div class="filters" role="group" aria-label="Filters">
    <${Choice} label="Kind" value=${query.kind ?? ""} options=${KINDS} onChange=${set("kind")} />
    ${
      names.length > 0 &&
      html`<${Select}
        label="Project"
        value=${query.project ?? ""}
        options=${named("All projects", names)}
        onChange=${set("project")}
      />`
    }
    ${
      agents.length > 1 &&
      html`<${Select}
        label="Agent"
        value=${query.agent ?? ""}
        options=${named("All agents", agents)}
        onChange=${set("agent")}
      />`
    }
    <${Select}
      label="Type of observation"
      value=${query.type ?? ""}
      options=${named("All types", [...new Set([...types.value, query.type ?? []].flat())])}
      onChange=${set("type")}
    />
    <${Select}
      label="Importance"
      value=${query.importance ?? ""}
      options=${IMPORTANCE}
      onChange=${set("importance")}
    />
  </div>`;
}

function fits(item, query, projects) {
  if (query.kind && item.kind !== query.kind) return false;
  if (query.agent && item.scope.agent !== query.agent) return false;
  if (query.project) {
    const project = projects.find(({ name }) => name === query.project);
    if (!project?.paths.includes(item.scope.project)) return false;
  }
  if (!query.type && !query.importance) return true;
  if (item.kind !== "observation") return false;
  const own = record(item.name).peek();
  if (!own) return false;
  return (!query.type || own.type === query.type) && own.importance >= (query.importance ?? 0);
}

/** Return the items, the newest first, under a heading for each day and each run of a session. */
function rowsOf(shown) {
  const rows = [];
  const dayAt = daysOf();
  let run = null;
  let day = null;
  const close = () => run && rows.push({ kind: "session", key: `s/${run.key}`, scope: run.scope });
  for (const item of shown) {
    const own = dayAt(item.at);
    if (run && (own !== day || item.scope.session !== run.scope.session)) {
      close();
      run = null;
    }
    if (day !== null && own !== day) rows.push({ kind: "day", key: `d/${day}`, text: day });
    run ??= item;
    day = own;
    rows.push(item);
  }
  close();
  if (day !== null) rows.push({ kind: "day", key: `d/${day}`, text: day });
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
  const Row = ROWS[item.kind];
  return html`<div class="live-row ${item.kind} ${isOpen ? "open" : ""}">
    <${Icon} name=${item.kind} />
    <div class="live-body" onClick=${(event) => isHead(event, item) && open(item)}>
      <${Row} item=${item} isOpen=${isOpen} />
    </div>
    <${Time} at=${item.at} />
  </div>`;
}

/** Whether a click is for the row and not for what is open in it; its button may be gone by now. */
const isHead = (event, item) =>
  item.kind !== "event" && !event.composedPath().some((each) => each.matches?.(".record"));

function SessionHead({ scope }) {
  const own = scope.session ? record(nameOf.session(scope.session)).value : null;
  const project = (own?.project_path ?? scope.project)?.split("/").pop();
  const title = own?.title ?? own?.session_key ?? project ?? scope.session?.slice(0, 8);
  return html`<h3 class="live-session">
    <${Line} text=${title ?? "Outside of a session"} />
    ${project && project !== title && html`<${Chip} text=${project} />`}
    ${scope.agent && html`<${Chip} text=${scope.agent} />`}
  </h3>`;
}

const ROWS = {
  message: MessageRow,
  observation: ObservationRow,
  fact: FactRow,
  event: ({ item }) => html`<span class="soft">${eventText(item.event)}</span>`,
};

function Pending({ own }) {
  return html`<span class="soft">${own === null ? "gone" : "…"}</span>`;
}

function MessageRow({ item, isOpen }) {
  const own = record(item.name).value;
  if (!own) return html`<${Pending} own=${own} />`;
  return html`<span class="live-role ${own.role}">${clean(own.name ?? own.role)}</span> ${
      isOpen
        ? html`<${RecordBody} kind="message" record=${own} />`
        : html`<div class="live-cut" dir="auto">${clean(own.text.slice(0, 400))}</div>`
    }`;
}

function ObservationRow({ item, isOpen }) {
  const own = record(item.name).value;
  if (!own) return html`<${Pending} own=${own} />`;
  return html`<div class="live-line">
      <${Chip} text=${own.type} tone=${own.type === "decision" ? "accent" : ""} />
      <${Line} text=${own.title || own.summary || own.tool_name} />
      <${Bar} value=${own.importance} label="importance" />
    </div>
    ${isOpen && html`<${RecordBody} kind="observation" record=${own} />`}`;
}

function FactRow({ item, isOpen }) {
  const own = record(item.name).value;
  if (!own) return html`<${Pending} own=${own} />`;
  return html`<div class="live-line">
      <${Chip} text=${own.kind} tone="accent" />
      <${Line} text=${own.text} />
      <${Bar} value=${own.confidence} label="confidence" />
    </div>
    ${isOpen && html`<${RecordBody} kind="fact" record=${own} />`}`;
}
