// Checkpoints: what files were, what going back would do to each path, and doing it.
import { get, post } from "../api.js";
import { html, useRef, useState } from "../lib.js";
import { useAnswer } from "../ui/answer.js";
import { confirm } from "../ui/dialog.js";
import { Empty, Loading, Problem } from "../ui/page.js";
import { Chip, Choice, Select } from "../ui/parts.js";
import { Line, clean, many } from "../ui/text.js";
import { Time } from "../ui/time.js";
import { toast } from "../ui/toast.js";
import * as shared from "./files-parts.js";

const { Command, Panel, PathRow, Place, Refused, folderOf, sentenceOf } = shared;
const STEP = 200; // paths
const KINDS = { message: "Before an answer", manual: "By hand" };
const SCOPES = [
  ["files", "Files"],
  ["both", "Files and conversation"],
  ["conversation", "Conversation"],
];
const CHOICES = [
  ["stop", "Choose…"],
  ["keep", "Keep what is there"],
  ["force", "Put it back all the same"],
  ["merge", "Take out only the session’s part"],
];

export function Checkpoints({ opened, query, close }) {
  const row = (item, open) => html`<${Row} of=${item} open=${open} />`;
  const nothing = html`<${NoCheckpoints} />`;
  const { session } = query;
  return html`<${shared.Newest} name="checkpoints" ...${{ query, opened, row, nothing }}>
    ${(_, tick) => html`<${Opened} key=${opened} id=${opened} ...${{ session, tick, close }} />`}
  <//>`;
}

const NoCheckpoints = () =>
  html`<${Empty} title="No checkpoints" icon="files">
    What agents change is kept where you say so:
    <${Command} words=${["recollect", "config", "set", "checkpoints.enabled", "true"]} />
    <${Command} words=${["recollect", "checkpoint", "roots", "--add", "."]} />
  <//>`;

const titleOf = ({ kind, label, tool_name: tool }) =>
  kind === "rescue" ? `Before the ${label}` : (label ?? KINDS[kind] ?? tool ?? "A tool");

const Row = ({ of, open }) =>
  html`<button class="files-row" tabindex="-1" onClick=${() => open(of)}>
    <${Chip} text=${of.id} tone=${of.kind === "rescue" ? "" : "accent"} />
    <span class="files-both">
      <${Line} text=${titleOf(of)} />
      <${Line} class="soft small" text="${many(of.files, "path")} in ${folderOf(of.root)}" />
    </span>
    <${Time} at=${of.created_at} ago />
  </button>`;

function Opened({ id, session, tick, close }) {
  const address = `/api/checkpoints/${encodeURIComponent(id)}`;
  const answer = useAnswer((signal) => get(address, {}, { signal }), [id]);
  const title = answer.value ? `${id}, ${titleOf(answer.value)}` : id;
  const head = html`<h2 class="files-name" dir="auto">${clean(title)}</h2>`;
  return html`<${Panel} label="Opened checkpoint" ...${{ head, answer, close }}>
    ${(of) =>
      html`<${Place} at=${of.created_at} root=${of.root} />
        <${Plan} of=${of} session=${session} tick=${tick} address=${address} />`}
  <//>`;
}

/** What going back would do now; asked again with every choice, and when something changed. */
function Plan({ of, session, tick, address }) {
  const [scope, setScope] = useState("files");
  const [left, setLeft] = useState([]); // paths that are not put back
  const [choices, setChoices] = useState(new Map()); // of paths in conflict
  const every = useRef(null); // the items of the plan of all paths
  const [isBusy, setBusy] = useState(false);
  const [limit, setLimit] = useState(STEP);
  const paths = every.current?.map(({ path }) => path).filter((path) => !left.includes(path));
  const body = {
    session: session ?? null,
    paths: scope === "conversation" ? [] : left.length ? paths : null,
    on_conflict: Object.fromEntries(
      [...choices].filter(([at]) => scope !== "conversation" && !left.includes(at)),
    ),
    conversation: scope !== "files",
  };
  const ask = async (signal) => {
    const plan = await post(`${address}/plan`, body, { signal });
    if (body.paths === null) every.current = plan.items;
    return { plan, body };
  };
  const asked = JSON.stringify([body, tick]);
  const { value, error, again } = useAnswer(ask, [of.id, session], asked);
  const reset = () => (setLeft([]), setChoices(new Map()), again());
  if (error) return html`<${Problem} error=${error} retry=${reset} />`;
  if (!value) return html`<${Loading} what="Looking at the files" />`;
  const { plan } = value;
  const drawn = new Map(plan.items.map((item) => [item.path, item]));
  const items = every.current.map((item) => drawn.get(item.path) ?? item);
  const isConflict = ({ status }) => Number(status === "conflict");
  const changed = items
    .filter(({ status }) => status !== "already")
    .sort((one, other) => isConflict(other) - isConflict(one));
  const already = items.length - changed.length;
  const words = wordsOf(of, plan, session, scope, left);
  const choose = (path, choice) => setChoices(new Map(choices).set(path, choice));
  const toggle = (path) =>
    setLeft(left.includes(path) ? left.filter((each) => each !== path) : [...left, path]);
  const apply = async () => {
    if (!(await agreed(plan))) return;
    setBusy(true);
    try {
      const done = await post(`${address}/rewind`, { ...value.body, plan_id: plan.plan_id });
      const undo = () => post(`/api/rewinds/${done.rewind_id}/undo`);
      toast(`Rewound to ${of.id}`, { undo });
    } catch (failure) {
      if (failure.status === 403) shared.refusal.value = failure;
      else toast.error(failure);
    }
    setBusy(false);
    again();
  };
  return html`
    <${Choice} label="What goes back" value=${scope} options=${SCOPES} onChange=${setScope} />
    ${
      scope !== "conversation" &&
      html`<ul class="files-items" aria-label="Paths">
        ${changed
          .slice(0, limit)
          .map(
            (item) =>
              html`<${PathRow}
                key=${item.path}
                item=${item}
                isFirst=${shared.isShort(changed)}
                check=${html`<input
                  type="checkbox"
                  aria-label="Put back ${clean(item.path)}"
                  checked=${!left.includes(item.path)}
                  onChange=${() => toggle(item.path)}
                />`}
                choice=${
                  isConflict(item) > 0 &&
                  !left.includes(item.path) &&
                  html`<${Select}
                    label="What to do with ${clean(item.path)}"
                    value=${choices.get(item.path) ?? "stop"}
                    options=${CHOICES}
                    onChange=${(choice) => choose(item.path, choice)}
                  />`
                }
              />`,
          )}
        ${
          changed.length > limit &&
          html`<li>
            <button class="button" onClick=${() => setLimit(limit + STEP)}>
              More, of ${many(changed.length, "path")}
            </button>
          </li>`
        }
        ${drawn.size > 0 && html`<li class="soft small">− as it is now, + as it will be</li>`}
        ${already > 0 && html`<li class="soft">${many(already, "path")} as it was then.</li>`}
      </ul>`
    }
    <${Footer} ...${{ plan, words, apply, isBusy }} />
  `;
}

function Footer({ plan, words, apply, isBusy }) {
  const undecided = plan.items.filter(({ choice }) => choice === "stop").length;
  const isNothing = plan.first_seq === null && plan.items.every(({ action }) => action === "skip");
  const said = undecided
    ? `${many(undecided, "path")} changed by somebody else: choose what happens to each.`
    : isNothing
      ? "Nothing would change."
      : sentenceOf(plan);
  if (shared.refusal.value)
    return html`<p>${said}</p>
      <${Refused} words=${words} />`;
  return html`<div class="files-foot">
    <p role="status">${said}</p>
    <button
      class="button primary"
      disabled=${Boolean(undecided) || isNothing || isBusy}
      onClick=${apply}
    >
      Rewind…
    </button>
    <${Command} words=${words} />
  </div>`;
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
  const choices = new Set(plan.items.map(({ choice }) => choice).filter(Boolean));
  if (choices.size > 1) return null;
  const [choice = "stop"] = choices;
  const kept = plan.items.filter(({ path }) => !left.includes(path));
  return [
    ...["recollect", "rewind", of.id],
    ...(scope === "files" ? [] : ["--scope", scope]),
    ...(session ? ["--session", session] : []),
    ...(choice === "stop" ? [] : [`--${choice}`]),
    ...(left.length && scope !== "conversation" ? kept : []).flatMap(({ path }) => [
      "--paths",
      `${plan.root}/${path}`,
    ]),
  ];
}
