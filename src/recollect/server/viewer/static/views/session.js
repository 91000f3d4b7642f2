// One session: what was said in its order, how large its prompt was, and the ways on from it.
import { get, patch, post, send } from "../api.js";
import { listen } from "../events.js";
import { html, useEffect, useMemo, useRef, useState } from "../lib.js";
import { go, href } from "../router.js";
import { useAnswer } from "../ui/answer.js";
import { Icon } from "../ui/icon.js";
import { useKeys } from "../ui/keys.js";
import { List } from "../ui/list.js";
import { Empty, Loading, Page, Problem } from "../ui/page.js";
import { Copy } from "../ui/parts.js";
import { SessionChips, titleOf } from "../ui/session.js";
import { Line, clean, count, cut, many } from "../ui/text.js";
import { toast } from "../ui/toast.js";
import { exactly, ms } from "../ui/time.js";
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
  const tree = useAnswer(
    (signal) => get(`/api/sessions/${encodeURIComponent(id)}/lineage`, {}, { signal }),
    [id],
    changes,
  );
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
  return html`<${Page}
    class="session"
    title=${html`<bdi class="session-name" dir="auto">${nameOf(session)}</bdi>`}
    lead=${html`<${Lead} session=${session} />`}
    actions=${html`<${Actions} session=${session} />`}
  >
    <${Tree} entries=${tree.value.sessions} own=${session.id} />
    <${Transcript} name=${id} session=${session} at=${at} changes=${changes} />
  <//>`;
}

const nameOf = (session) => clean(cut(titleOf(session), 200));

function Lead({ session }) {
  return html`<a class="link" href=${href("sessions")}>All sessions</a>
    <${SessionChips} session=${session} />
    <span title=${exactly(session.started_at)}>
      ${many(session.message_count, "message")} of its own
    </span>`;
}

function Actions({ session }) {
  const save = async () => {
    try {
      const answer = await send("GET", "/api/export", { query: { session: session.id } });
      const address = URL.createObjectURL(await answer.blob());
      const name = `session-${session.id}.jsonl`;
      Object.assign(document.createElement("a"), { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
      toast(`Exported as ${name}`);
    } catch (error) {
      toast.error(error);
    }
  };
  return html`<button class="button" onClick=${() => fork(session, session.last_seq)}>
      <${Icon} name="fork" />Fork
    </button>
    <button class="button" onClick=${save}><${Icon} name="export" />Export</button>
    <${Resume} session=${session} />`;
}

const COMMANDS = {
  "claude-code": (id) => `claude --resume ${id}`,
  codex: (id) => `codex resume ${id}`,
  cursor: (id) => `cursor-agent --resume ${id}`,
  opencode: (id) => `opencode --session ${id}`,
};

/** Return what goes on with a session in a shell: its own program where that is known. */
export function commandOf({ id, source, foreign_id: foreign, project_path: folder }) {
  const own = COMMANDS[source];
  // Ids and folders are texts of others: what a shell would read otherwise is not handed to one.
  if (!own || !/^\w[\w.-]*$/.test(foreign ?? "")) return `recollect sessions resume ${id}`;
  if (!/^\/[^\p{C}]*$/u.test(folder ?? "")) return own(foreign);
  const quoted = /^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", `'\\''`)}'`;
  return `cd ${quoted} && ${own(foreign)}`;
}

function Resume({ session }) {
  const command = commandOf(session);
  return html`<span class="resume">
    <span class="hidden">To go on with it, run</span>
    <code class="line" dir="ltr" title=${command}>${command}</code>
    <${Copy} text=${command} label="Copy the command that resumes it" />
  </span>`;
}

/** Begin a session with the messages up to a seq, and show it. */
async function fork(session, seq) {
  try {
    const address = `/api/sessions/${session.id}/fork`;
    const forked = await post(address, seq ? { at_seq: seq } : {});
    const undo = async () => {
      await patch(`/api/sessions/${forked.id}`, { status: "deleted" });
      go(href("sessions", [session.id], { at: seq || "" }));
    };
    go(href("sessions", [forked.id], { at: seq || "" }));
    toast(seq ? `Forked after message ${seq}` : "Forked", { undo });
  } catch (error) {
    toast.error(error);
  }
}

/** The sessions that this one grew from, and those that grew from it. */
function Tree({ entries, own }) {
  if (entries.length < 2) return null;
  const depths = new Map();
  for (const { id, above_id: above } of entries) depths.set(id, (depths.get(above) ?? -1) + 1);
  const said = { fork: (each) => `fork after ${each.forked_at_seq}`, reset: () => "began afresh" };
  return html`<details class="tree" open=${entries.length < 8}>
    <summary>${count(entries.length)} sessions in its tree</summary>
    <ul>
      ${entries.map(
        (each) =>
          html`<li key=${each.id} style=${{ "--depth": Math.min(depths.get(each.id), 8) }}>
            <a
              class="link"
              href=${href("sessions", [each.id])}
              aria-current=${each.id === own ? "page" : null}
            >
              <${Icon} name=${each.relation === "fork" ? "fork" : "sessions"} />
              <${Line} text=${titleOf(each)} />
            </a>
            <span class="soft small">${said[each.relation]?.(each)}</span>
          </li>`,
      )}
    </ul>
  </details>`;
}

function Transcript({ name, session, at, changes }) {
  const { messages, most, error, retry } = useMessages(session, changes);
  const { value: marks = NONE } = useAnswer(
    (signal) => marksOf(session, signal),
    [session.id],
    changes,
  );
  const [opened, setOpened] = useState(() => new Set());
  const rows = useMemo(() => messages && rowsOf(messages, marks), [messages, marks]);
  const toggle = (key) =>
    setOpened((old) => {
      const next = new Set(old);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const show = (seq) => go(href("sessions", [name], { at: seq }), { replace: true });
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
  if (error) return html`<${Problem} error=${error} retry=${retry} />`;
  if (!messages) return html`<${Loading} />`;
  if (!rows.length) {
    return html`<${Empty} title="Nothing was said" icon="sessions">
      Neither a message nor the use of a tool is stored.
    <//>`;
  }
  const selected = other ?? (at ? `m${at}` : null);
  const actions = { fork: (seq) => fork(session, seq), toggle };
  return html`${
      messages.length > 1 &&
      html`<${Plot}
        messages=${messages}
        most=${most}
        cuts=${marks.filter(({ type }) => type === "compaction").map(({ after }) => after)}
        at=${at}
        onChange=${(seq) => (setOther(null), show(seq))}
      />`
    }
    <${List}
      label="Transcript"
      items=${rows}
      keyOf=${(row) => row.key}
      estimate=${(row) => row.height}
      isHead=${(row) => row.kind === "day"}
      selected=${selected}
      goal=${selected}
      onSelect=${select}
      onOpen=${(row) => toggle(row.key)}
      stamp=${opened}
      row=${(row) =>
        html`<${TranscriptRow} row=${row} session=${session} opened=${opened} ...${actions} />`}
    />`;
}

/** Return what is known of all messages of a session: a first page at once, the rest after it. */
function useMessages(session, changes) {
  const [state, setState] = useState({ messages: null });
  const [tries, setTries] = useState(0);
  const grown = useRef(null);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    let all = [];
    let loading = Promise.resolve();
    const load = async (limit) => {
      let after = all.at(-1)?.seq ?? null;
      for (let size = limit; size; size = after && REST) {
        const query = { limit: size, after_seq: after };
        const page = await get(`/api/sessions/${session.id}/usage`, query, { signal });
        all = [...all, ...page.messages];
        after = page.next_after;
        setState({ messages: all, most: page.window_tokens });
      }
    };
    const failed = (error) => signal.aborted || setState({ messages: null, error });
    const begin = (limit) => (loading = loading.then(() => load(limit)).catch(failed));
    begin(state.messages ? REST : FIRST);
    grown.current = () => begin(REST);
    return () => ending.abort();
  }, [session.id, changes, tries]);
  const hear = ({ type, scope }) =>
    type === "messages.appended" && scope.session === session.id && grown.current?.();
  useEffect(() => listen(hear), [session.id]);
  return { ...state, retry: () => setTries(tries + 1) };
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
