// One session: what was said in its order, how large its prompt was, and the ways on from it.
import { get, patch, post, send } from "../api.js";
import { listen } from "../events.js";
import { html, useEffect, useMemo, useState } from "../lib.js";
import { amend, go, href } from "../router.js";
import { Copy, Empty, Icon, Line, List, Loading, Page, Pending, Problem } from "../ui.js";
import { SessionChips, attempt, clean, count, cut, exactly, many, ms, titleOf } from "../ui.js";
import { toast, useAnswer, useGet, useKeys, useOpened, usePages } from "../ui.js";
import { Plot } from "./plot.js";
import { TranscriptRow, rowsOf } from "./transcript.js";

const FIRST = 500;
const REST = 10_000;
const MOST_MARKS = 1_000;
const NONE = [];
const REWRITES =
  /^(session\.compacted|messages\.(?!appended)|checkpoint\.taken|rewind\.ended|sessions\.erased)/;

export default function Session({ id, at }) {
  const [changes, setChanges] = useState(0);
  const tree = useGet(`/api/sessions/${encodeURIComponent(id)}/lineage`, {}, changes);
  const session = tree.value?.sessions.find((each) => each.id === tree.value.session_id);
  useEffect(() => {
    if (!session) return;
    return listen(({ type, scope }) => {
      if (scope?.session === session.id && REWRITES.test(type)) setChanges((old) => old + 1);
    });
  }, [session?.id]);
  useKeys("Session", { Escape: ["back to all sessions", () => go(href("sessions"))] });
  if (tree.error) {
    return html`<${Page} title="Session">
      <${Problem} error=${tree.error} retry=${tree.again} />
      <p><a class="link" href=${href("sessions")}>All sessions</a></p>
    <//>`;
  }
  if (!session) return html`<${Loading} />`;
  const name = clean(cut(titleOf(session), 200));
  const title = html`<bdi class="session-name" dir="auto">${name}</bdi>`;
  const lead = html`<a class="link" href=${href("sessions")}>All sessions</a>
    <${SessionChips} session=${session} />
    <span title=${exactly(session.started_at)}>
      ${many(session.message_count, "message")} of its own
    </span>`;
  const actions = html`<${Actions} session=${session} />`;
  return html`<${Page} class="session" ...${{ title, lead, actions }}>
    <${Tree} entries=${tree.value.sessions} own=${session.id} />
    <${Transcript} ...${{ session, at, changes }} />
  <//>`;
}

function Actions({ session }) {
  const command = commandOf(session);
  return html`<button class="button" onClick=${() => fork(session, session.last_seq)}>
      <${Icon} name="fork" />Fork
    </button>
    <button class="button" onClick=${() => save(session)}><${Icon} name="export" />Export</button>
    <span class="resume flow sunk">
      <span class="hidden">To go on with it, run</span>
      <code class="line" dir="ltr" title=${command}>${command}</code>
      <${Copy} text=${command} label="Copy the command that resumes it" />
    </span>`;
}

const save = ({ id }) =>
  attempt(async () => {
    const answer = await send("GET", "/api/export", { query: { session: id } });
    const address = URL.createObjectURL(await answer.blob());
    const name = `session-${id}.jsonl`;
    Object.assign(document.createElement("a"), { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    toast(`Exported as ${name}`);
  });

const COMMANDS = {
  "claude-code": (id) => `claude --resume ${id}`,
  codex: (id) => `codex resume ${id}`,
  cursor: (id) => `cursor-agent --resume ${id}`,
  opencode: (id) => `opencode --session ${id}`,
};

/** Return what goes on with a session in a shell: its own program where that is known. */
function commandOf({ id, source, foreign_id: foreign, project_path: folder }) {
  const own = COMMANDS[source];
  // Ids and folders are texts of others: what a shell would read otherwise is not handed to one.
  if (!own || !/^\w[\w.-]*$/.test(foreign ?? "")) return `recollect sessions resume ${id}`;
  if (!/^\/[^\p{C}]*$/u.test(folder ?? "")) return own(foreign);
  const quoted = /^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", `'\\''`)}'`;
  return `cd ${quoted} && ${own(foreign)}`;
}

/** Begin a session with the messages up to a seq, and show it. */
const fork = ({ id }, seq) =>
  attempt(async () => {
    const show = (each) => go(href("sessions", [each], { at: seq || "" }));
    const forked = await post(`/api/sessions/${id}/fork`, seq ? { at_seq: seq } : {});
    const undo = async () => {
      await patch(`/api/sessions/${forked.id}`, { status: "deleted" });
      show(id);
    };
    show(forked.id);
    toast(seq ? `Forked after message ${seq}` : "Forked", { undo });
  });

/** The sessions that this one grew from, and those that grew from it. */
function Tree({ entries, own }) {
  if (entries.length < 2) return null;
  const depths = new Map();
  for (const { id, above_id: above } of entries) depths.set(id, (depths.get(above) ?? -1) + 1);
  const said = { fork: (each) => `fork after ${each.forked_at_seq}`, reset: () => "began afresh" };
  return html`<details class="tree small" open=${entries.length < 8}>
    <summary>${count(entries.length)} sessions in its tree</summary>
    <ul>
      ${entries.map((each) => {
        const { id, relation } = each;
        const is = id === own ? "page" : null;
        return html`<li key=${id} style=${{ "--depth": Math.min(depths.get(id), 8) }}>
          <a class="link" href=${href("sessions", [id])} aria-current=${is}>
            <${Icon} name=${relation === "fork" ? "fork" : "sessions"} />
            <${Line} text=${titleOf(each)} />
          </a>
          <span class="soft small">${said[relation]?.(each)}</span>
        </li>`;
      })}
    </ul>
  </details>`;
}

function Transcript({ session, at, changes }) {
  const { rows: messages, most, error, again } = useMessages(session, changes);
  const ask = (signal) => marksOf(session, signal);
  const { value: marks = NONE } = useAnswer(ask, [session.id], changes);
  const { opened, toggle } = useOpened();
  const rows = useMemo(() => messages && rowsOf(messages, marks), [messages, marks]);
  const show = (seq) => amend({ at: seq });
  const [other, setOther] = useState(null); // a mark that is selected, which no address names
  const select = (key) => {
    const row = rows.find((each) => each.key === key);
    setOther(row.kind === "message" ? null : key);
    show(row.seq);
  };
  const step = (sign) => () => {
    const from = rows.findIndex(({ key }) => key === (other ?? `m${at}`));
    const ahead = sign > 0 ? rows.slice(from + 1) : rows.slice(0, Math.max(0, from)).reverse();
    const next = ahead.find(({ kind }) => kind === "mark");
    if (next) select(next.key);
  };
  useKeys("Session", {
    f: ["fork after the message", () => fork(session, at ?? session.last_seq)],
    "]": ["next mark", step(1)],
    "[": ["mark before", step(-1)],
  });
  if (!messages) return html`<${Pending} ...${{ error, again }} />`;
  if (!rows.length) {
    return html`<${Empty} title="Nothing was said" icon="sessions">
      Neither a message nor the use of a tool is stored.
    <//>`;
  }
  const selected = other ?? (at ? `m${at}` : null);
  const shared = { session, opened, toggle, fork: (seq) => fork(session, seq) };
  const cuts = marks.filter(({ type }) => type === "compaction").map(({ after }) => after);
  const onChange = (seq) => (setOther(null), show(seq));
  return html`${
      messages.length > 1 && html`<${Plot} ...${{ messages, most, cuts, at, onChange }} />`
    }
    <${List}
      label="Transcript"
      ...${{ items: rows, selected, goal: selected, onSelect: select, stamp: opened }}
      keyOf=${(row) => row.key}
      estimate=${(row) => row.height}
      isHead=${(row) => row.kind === "day"}
      onOpen=${(row) => toggle(row.key)}
      row=${(row) => html`<${TranscriptRow} row=${row} ...${shared} />`}
    />`;
}

/** Return what is known of all messages of a session: a first page at once, the rest after it. */
function useMessages({ id }, changes) {
  const ask = async (after, signal) => {
    const query = { limit: pages.rows ? REST : FIRST, after_seq: after };
    const page = await get(`/api/sessions/${id}/usage`, query, { signal });
    const { messages: rows, next_after: next, window_tokens: most } = page;
    return { rows, most, isWhole: !next, cursor: next ?? rows.at(-1)?.seq ?? after };
  };
  const pages = usePages(ask, [id, changes]);
  useEffect(() => void (pages.isWhole === false && pages.more()), [pages.rows]);
  const hear = ({ type, scope }) => {
    if (type !== "messages.appended" || scope.session !== id) return;
    if (pages.cursor) pages.more();
    else pages.again();
  };
  useEffect(() => listen(hear));
  return pages;
}

/** Return what stands between messages: [{type, key, after, at, deed, …}]. */
async function marksOf({ id }, signal) {
  const session = { session: id, limit: MOST_MARKS };
  const asked = [
    ["compaction", `/api/sessions/${id}/compactions`, {}, "compactions"],
    ["taken", `/api/sessions/${id}/rewinds`, {}, "rewinds"],
    ["checkpoint", "/api/checkpoints", session, "checkpoints"],
    ["rewind", "/api/rewinds", { session: id }, "rewinds"],
    ["block", "/api/context/blocks", session, "blocks"],
    ["observation", "/api/observations", { session_key: id, limit: MOST_MARKS }, "observations"],
  ];
  const used = get(`/api/sessions/${id}/tool-calls`, { limit: 1 }, { signal });
  const answers = asked.map(async ([type, path, query, field]) => {
    // What was done is in the transcript already where that has the use of a tool.
    if (type === "observation" && (await used).calls.length) return [];
    const answer = await get(path, query, { signal });
    return answer[field].map((each) => markOf(type, each));
  });
  // What the token may not read is left out.
  const settled = await Promise.allSettled(answers);
  return settled.flatMap(({ value }) => value ?? []);
}

function markOf(type, own) {
  const name = own.id ?? `${own.rewind_id}/${own.first_seq}`;
  const after = { compaction: own.last_seq, taken: own.first_seq - 1 }[type];
  const at = ms(own.at ?? own.created_at);
  return { ...own, type, deed: own.type, key: `${type}/${name}`, after, at };
}
