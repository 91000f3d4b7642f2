// Checkpoints: what files were, what going back would do to each path, and doing it.
import { post } from "../api.js";
import { html, useRef, useState } from "../lib.js";
import { Choice, Empty, Loading, Opened, Problem, Select } from "../ui.js";
import { clean, confirm, many, toast, useAnswer, useGet } from "../ui.js";
import { Command, Foot, Newest, PathRow, Place, attempt, sentenceOf } from "./files-parts.js";

const STEP = 200; // paths
const MOST_OPEN = 4; // diffs that are open from the beginning
const KINDS = { message: "Before an answer", manual: "By hand" };
const SCOPES = Object.entries({
  files: "Files",
  both: "Files and conversation",
  conversation: "Conversation",
});
const CHOICES = Object.entries({
  stop: "Choose…",
  keep: "Keep what is there",
  force: "Put it back all the same",
  merge: "Take out only the session’s part",
});
const NOTHING = html`<${Empty} title="No checkpoints" icon="files">
  What agents change is kept where you say so:
  <${Command} words=${["recollect", "config", "set", "checkpoints.enabled", "true"]} />
  <${Command} words=${["recollect", "checkpoint", "roots", "--add", "."]} />
<//>`;

const titleOf = ({ kind, label, tool_name: tool }) =>
  kind === "rescue" ? `Before the ${label}` : (label ?? KINDS[kind] ?? tool ?? "A tool");

const lineOf = (of) => ({
  chip: of.id,
  tone: of.kind === "rescue" ? "" : "accent",
  title: titleOf(of),
  about: (folder) => `${many(of.files, "path")} in ${folder}`,
});

export function Checkpoints({ id, query, hrefOf }) {
  const shown = { lineOf, id, query, hrefOf, nothing: NOTHING };
  const own = { id, session: query.session, close: hrefOf() };
  return html`<${Newest} name="checkpoints" ...${shown}>
    ${({ tick }) => html`<${Checkpoint} key=${id} ...${own} tick=${tick} />`}
  <//>`;
}

function Checkpoint({ id, session, tick, close }) {
  const address = `/api/checkpoints/${encodeURIComponent(id)}`;
  const answer = useGet(address);
  const title = clean(answer.value ? `${id}, ${titleOf(answer.value)}` : id);
  const head = html`<h2 class="files-name" dir="auto">${title}</h2>`;
  const whole = (of) => html`<${Place} of=${of} /><${Plan} ...${{ of, session, tick, address }} />`;
  return html`<${Opened} label="Opened checkpoint" ...${{ head, close, answer, whole }} />`;
}

/** What going back would do now; asked again with every choice, and when something changed. */
function Plan({ of, session, tick, address }) {
  const [scope, setScope] = useState("files");
  const [left, setLeft] = useState([]); // paths that are not put back
  const [choices, setChoices] = useState(new Map()); // of paths in conflict
  const [isBusy, setBusy] = useState(false);
  const every = useRef([]); // the items of the plan of all paths
  const hasFiles = scope !== "conversation";
  const isIn = (path) => hasFiles && !left.includes(path);
  const isAll = hasFiles && !left.length;
  const body = {
    session: session ?? null,
    paths: isAll ? null : every.current.map(({ path }) => path).filter(isIn),
    on_conflict: Object.fromEntries([...choices].filter(([path]) => isIn(path))),
    conversation: scope !== "files",
  };
  const ask = async (signal) => {
    const plan = await post(`${address}/plan`, body, { signal });
    if (isAll) every.current = plan.items;
    return { plan, body };
  };
  const asked = JSON.stringify([body, tick]);
  const { value, error, again } = useAnswer(ask, [of.id, session], asked);
  const reset = () => (setLeft([]), setChoices(new Map()), again());
  if (error) return html`<${Problem} error=${error} retry=${reset} />`;
  if (!value) return html`<${Loading} what="Looking at the files" />`;
  const { plan } = value;
  const toggle = (path) =>
    setLeft(isIn(path) ? [...left, path] : left.filter((each) => each !== path));
  const choose = (path, choice) => setChoices(new Map(choices).set(path, choice));
  const rewind = async () => {
    const sent = { ...value.body, plan_id: plan.plan_id };
    const { rewind_id: id } = await post(`${address}/rewind`, sent);
    toast(`Rewound to ${of.id}`, { undo: () => post(`/api/rewinds/${id}/undo`) });
  };
  const apply = async () => {
    if (!(await agreed(plan))) return;
    setBusy(true);
    await attempt(rewind);
    setBusy(false);
    again();
  };
  const paths = { every: every.current, plan, isIn, toggle, choices, choose };
  const words = wordsOf(of, plan, session, scope, left);
  return html`
    <${Choice} label="What goes back" value=${scope} options=${SCOPES} onChange=${setScope} />
    ${hasFiles && html`<${Paths} ...${paths} />`}
    <${Footer} ...${{ plan, words, apply, isBusy }} />
  `;
}

/** The paths that are not as they were, those in conflict first. */
function Paths({ every, plan, isIn, toggle, choices, choose }) {
  const [limit, setLimit] = useState(STEP);
  const drawn = new Map(plan.items.map((item) => [item.path, item]));
  const items = every.map((item) => drawn.get(item.path) ?? item);
  const isConflict = ({ status }) => Number(status === "conflict");
  const changed = items.filter(({ status }) => status !== "already");
  changed.sort((one, other) => isConflict(other) - isConflict(one));
  const already = items.length - changed.length;
  const isFirst = changed.filter(({ diff }) => diff).length <= MOST_OPEN;
  const row = (item) => {
    const { path } = item;
    const check = html`<input
      type="checkbox"
      aria-label="Put back ${clean(path)}"
      checked=${isIn(path)}
      onChange=${() => toggle(path)}
    />`;
    const choice = html`<${Select}
      label="What to do with ${clean(path)}"
      value=${choices.get(path) ?? "stop"}
      options=${CHOICES}
      onChange=${(value) => choose(path, value)}
    />`;
    const own = { item, isFirst, check, choice: isConflict(item) > 0 && isIn(path) && choice };
    return html`<${PathRow} key=${path} ...${own} />`;
  };
  const more = html`<button class="button" onClick=${() => setLimit(limit + STEP)}>
    More, of ${many(changed.length, "path")}
  </button>`;
  return html`<ul class="files-items stack wide" aria-label="Paths">
    ${changed.slice(0, limit).map(row)} ${changed.length > limit && html`<li>${more}</li>`}
    ${drawn.size > 0 && html`<li class="soft small">− as it is now, + as it will be</li>`}
    ${already > 0 && html`<li class="soft">${many(already, "path")} as it was then.</li>`}
  </ul>`;
}

function Footer({ plan, words, apply, isBusy }) {
  const undecided = plan.items.filter(({ choice }) => choice === "stop").length;
  const isNothing = plan.first_seq === null && plan.items.every(({ action }) => action === "skip");
  const said = undecided
    ? `${many(undecided, "path")} changed by somebody else: choose what happens to each.`
    : isNothing
      ? "Nothing would change."
      : sentenceOf(plan);
  const isReady = !undecided && !isNothing && !isBusy;
  return html`<${Foot} label="Rewind" act=${apply} ...${{ words, isReady }}>
    <p role="status">${said}</p>
  <//>`;
}

/** Ask; what may lose something must be typed, as a terminal asks for it. */
function agreed(plan) {
  const isLoss =
    plan.first_seq !== null ||
    plan.items.some(({ action, choice }) => action === "delete" || choice === "force");
  return confirm({
    title: `Go back to ${plan.target}?`,
    body: html`<p>${sentenceOf(plan)}</p>
      <p class="soft">What is there now is kept first: the rewind can be undone.</p>`,
    action: "Rewind",
    typed: isLoss ? "rewind" : "",
  });
}

/** Return the words of the command that does the same; null where no command does. */
function wordsOf(of, plan, session, scope, left) {
  const choices = plan.items.map((item) => item.choice).filter(Boolean);
  const [choice = "stop", ...others] = new Set(choices);
  if (others.length) return null;
  const isPart = left.length && scope !== "conversation";
  const kept = plan.items.filter(({ path }) => isPart && !left.includes(path));
  return [
    ...["recollect", "rewind", of.id],
    ...(scope === "files" ? [] : ["--scope", scope]),
    ...(session ? ["--session", session] : []),
    ...(choice === "stop" ? [] : [`--${choice}`]),
    ...kept.flatMap(({ path }) => ["--paths", `${plan.root}/${path}`]),
  ];
}
