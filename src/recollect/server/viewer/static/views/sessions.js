// Sessions: find one, read it, go on with it.
import { get } from "../api.js";
import { listen } from "../events.js";
import { html, useEffect, useRef, useState } from "../lib.js";
import { keep, nameOf } from "../records.js";
import { go, href } from "../router.js";
import { Icon } from "../ui/icon.js";
import { useKeys } from "../ui/keys.js";
import { List } from "../ui/list.js";
import { Empty, Loading, Page, Problem } from "../ui/page.js";
import { usePages } from "../ui/pages.js";
import { Choice, Select } from "../ui/parts.js";
import { useProjects } from "../ui/projects.js";
import { SessionChips, titleOf } from "../ui/session.js";
import { Line, many } from "../ui/text.js";
import { Time } from "../ui/time.js";
import Session from "./session.js";

const STEP = 100;
const WAIT_MS = 150;
const STATES = [
  ["", "All"],
  ["active", "Active"],
  ["archived", "Ended"],
  ["deleted", "Deleted"],
];
const agents = new Set(); // that any list had

export default function Sessions({ route }) {
  const [key] = route.path;
  if (key) return html`<${Session} key=${key} id=${key} at=${Number(route.query.at) || null} />`;
  return html`<${Overview} query=${route.query} />`;
}

function Overview({ query }) {
  const box = useRef();
  const [selected, setSelected] = useState(null);
  const projects = useProjects();
  const project = projects.find(({ name }) => name === query.project);
  const isKnown = !query.project || projects.length > 0;
  const ask = (cursor, signal) => {
    const { title, agent, status } = query;
    const of = project ? (project.root ?? project.id) : query.project;
    return sessionsOf({ title, agent, status, project: of, cursor }, signal);
  };
  const inputs = [query.title, query.agent, query.status, query.project, isKnown];
  const { rows, error, more, again } = usePages(ask, inputs, query.title ? WAIT_MS : 0);
  const set = (name) => (value) =>
    go(href("sessions", [], { ...query, [name]: value }), { replace: true });
  useEffect(() => listen(({ type }) => /^session\./.test(type) && rows?.length <= STEP && again()));
  useKeys("Sessions", {
    "/": ["to the titles", () => (box.current.focus(), box.current.select())],
  });
  const names = projects.map(({ name }) => name);
  const named = (name, values) => [["", name], ...values.map((each) => [each, each])];
  return html`<${Page} class="sessions" title="Sessions" lead="What was said, and where it went on">
    <div class="filters" role="group" aria-label="Filters">
      <input
        type="search"
        ref=${box}
        data-first
        dir="auto"
        aria-label="Words of the title"
        placeholder="Words of the title"
        value=${query.title ?? ""}
        onInput=${(event) => set("title")(event.target.value)}
      />
      <${Choice}
        label="Status"
        value=${query.status ?? ""}
        options=${STATES}
        onChange=${set("status")}
      />
      ${
        projects.length > 0 &&
        html`<${Select}
          label="Project"
          value=${query.project ?? ""}
          options=${named("All projects", names)}
          onChange=${set("project")}
        />`
      }
      ${
        (agents.size > 1 || query.agent) &&
        html`<${Select}
          label="Agent"
          value=${query.agent ?? ""}
          options=${named("All agents", [...agents].sort())}
          onChange=${set("agent")}
        />`
      }
    </div>
    ${
      error
        ? html`<${Problem} error=${error} retry=${again} />`
        : rows === null
          ? html`<${Loading} />`
          : rows.length
            ? html`<${List}
                label="Sessions, the last used first"
                items=${rows}
                keyOf=${(session) => session.id}
                estimate=${() => 60}
                selected=${selected}
                onSelect=${setSelected}
                onOpen=${(session) => go(href("sessions", [session.id]))}
                onEnd=${more}
                row=${(session) => html`<${SessionRow} session=${session} />`}
              />`
            : html`<${Nothing} query=${query} />`
    }
  <//>`;
}

async function sessionsOf(query, signal) {
  const { sessions, cursor } = await get("/api/sessions", { ...query, limit: STEP }, { signal });
  for (const session of sessions) {
    keep(nameOf.session(session.id), session);
    if (session.agent) agents.add(session.agent);
  }
  return { rows: sessions, cursor };
}

function Nothing({ query }) {
  if (Object.keys(query).length) {
    return html`<${Empty} title="Nothing fits" icon="filter">
      <a class="link" href=${href("sessions")}>Show all</a>
    <//>`;
  }
  return html`<${Empty} title="No sessions yet" icon="sessions">
    A session begins with the first thing that is said to your agent.
  <//>`;
}

function SessionRow({ session }) {
  return html`<a class="hit" tabindex="-1" href=${href("sessions", [session.id])}>
    <${Icon} name=${session.parent_id ? "fork" : "sessions"} />
    <span class="hit-body">
      <${Line} text=${titleOf(session)} />
      <span class="hit-where">
        <${SessionChips} session=${session} />
        <span>${many(session.message_count, "message")}</span>
      </span>
    </span>
    <${Time} at=${session.updated_at} ago />
  </a>`;
}
