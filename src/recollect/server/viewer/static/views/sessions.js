// Sessions: find one, read it, go on with it.
import { get } from "../api.js";
import { listen } from "../events.js";
import { html, useEffect, useState } from "../lib.js";
import { keep, nameOf } from "../records.js";
import { go, href } from "../router.js";
import { Box, Choice, Empty, Filters, Icon, Line, List, NothingFits, Page } from "../ui.js";
import { Pending, SessionChips, Time, many, named, titleOf, usePages, useProject } from "../ui.js";
import Session from "./session.js";

const STEP = 100;
const WAIT_MS = 150;
const STATES = { "": "All", active: "Active", archived: "Ended", deleted: "Deleted" };
const agents = new Set(); // that any list had

export default function Sessions({ route }) {
  const [key] = route.path;
  if (key) return html`<${Session} key=${key} id=${key} at=${Number(route.query.at) || null} />`;
  return html`<${Overview} query=${route.query} />`;
}

function Overview({ query }) {
  const [selected, setSelected] = useState(null);
  const { title, agent, status } = query;
  const { names, scope, isKnown } = useProject(query.project);
  const ask = (cursor, signal) =>
    sessionsOf({ title, agent, status, project: scope, cursor }, signal);
  const inputs = [title, agent, status, query.project, isKnown];
  const { rows, error, more, again } = usePages(ask, inputs, title ? WAIT_MS : 0);
  useEffect(() => listen(({ type }) => /^session\./.test(type) && rows?.length <= STEP && again()));
  const filters = [
    ["status", "Status", STATES, Choice],
    ["project", "Project", named("All projects", names)],
    ["agent", "Agent", named("All agents", agents.size > 1 ? [...agents].sort() : [])],
  ];
  const list = {
    ...{ items: rows, selected, onSelect: setSelected, onEnd: more },
    keyOf: ({ id }) => id,
    estimate: () => 60,
    onOpen: ({ id }) => go(href("sessions", [id])),
    row: (session) => html`<${SessionRow} session=${session} />`,
  };
  const instead = rows
    ? html`<${Nothing} query=${query} />`
    : html`<${Pending} ...${{ error, again }} />`;
  const box = html`<${Box} name="title" hint="Words of the title" />`;
  return html`<${Page} class="sessions" title="Sessions" lead="What was said, and where it went on">
    <${Filters} first=${box} of=${filters} />
    ${rows?.length ? html`<${List} label="Sessions, the last used first" ...${list} />` : instead}
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
  if (Object.keys(query).length) return html`<${NothingFits} view="sessions" />`;
  return html`<${Empty} title="No sessions yet" icon="sessions">
    A session begins with the first thing that is said to your agent.
  <//>`;
}

function SessionRow({ session }) {
  return html`<a class="hit" tabindex="-1" href=${href("sessions", [session.id])}>
    <${Icon} name=${session.parent_id ? "fork" : "sessions"} />
    <span class="stack">
      <${Line} text=${titleOf(session)} />
      <span class="hit-where flow wide soft small">
        <${SessionChips} session=${session} />
        <span>${many(session.message_count, "message")}</span>
      </span>
    </span>
    <${Time} at=${session.updated_at} ago />
  </a>`;
}
