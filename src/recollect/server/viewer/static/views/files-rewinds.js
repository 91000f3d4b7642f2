// Rewinds: what was put back, with undo and redo; those that a crash cut off are named.
import { post } from "../api.js";
import { html, useState } from "../lib.js";
import { go, href } from "../router.js";
import { Empty, Opened, clean, confirm, many, toast } from "../ui.js";
import * as shared from "./files-parts.js";

const { Command, Foot, PathRow, attempt, idOf, sentenceOf } = shared;
const STATES = { rolled_back: "warn", interrupted: "bad", applying: "bad" };
const WAYS = {
  rewind: { chip: "Rewind", tone: "accent" },
  undo: { chip: "Undo", ask: "Take this rewind back?", done: "Taken back" },
  redo: { chip: "Redo", ask: "Do this rewind again?", done: "Done again" },
};
const MISSING = { error: { message: "this rewind is not among the newest" } };

const aimOf = ({ type, target }) => (type === "rewind" ? `to ${target}` : "of a rewind");
const lineOf = (of) => ({
  ...WAYS[of.type],
  title: shared.capital(aimOf(of)),
  about: (folder) => `${folder}: ${sentenceOf(of)}`,
  state: of.status !== "done" && { text: of.status, tone: STATES[of.status] },
});

export function Rewinds({ id, query, hrefOf }) {
  const nothing = html`<${Empty} title="Nothing was rewound" icon="files">
    <a class="link" href=${href("files", ["checkpoints"], query)}>Checkpoints</a> are where files
    can go back to.
  <//>`;
  const opened = ({ answer, items }) => {
    const of = items.find((each) => idOf(each) === id);
    const title = of ? clean(`${WAYS[of.type].chip} ${aimOf(of)}`) : "Rewind";
    return html`<${Opened}
      key=${id}
      label="Opened rewind"
      head=${html`<h2 class="files-name">${title}</h2>`}
      close=${hrefOf()}
      answer=${of ? { value: of } : answer.value ? MISSING : answer}
      whole=${() => html`<${Done} of=${of} all=${items} />`}
    />`;
  };
  return html`<${shared.Newest} name="rewinds" ...${{ lineOf, id, query, hrefOf, nothing }}
    >${opened}<//
  >`;
}

function Done({ of, all }) {
  const first = of.type === "rewind" ? of : all.find((each) => idOf(each) === of.target);
  const last = first && all.find((each) => [idOf(each), each.target].includes(idOf(first)));
  return html`<${shared.Place} of=${of} />
    <p>${sentenceOf(of)}</p>
    ${of.status === "interrupted" && html`<${Interrupted} of=${of} />`}
    <ul class="files-items stack wide" aria-label="Paths">
      ${of.items.map((item) => html`<${PathRow} key=${item.path} item=${item} />`)}
    </ul>
    ${last?.status === "done" && html`<${Reverse} first=${first} last=${last} />`}`;
}

function Interrupted({ of }) {
  const left = of.items.filter(({ outcome }) => outcome === "unresolved");
  return html`<div class="problem stack">
    <p class="bad">It was cut off, and ${many(left.length, "path")} changed since.</p>
    <p>To leave what is there, or with <code>--force</code> to put back what was:</p>
    <${Command} words=${["recollect", "rewind", "--resolve", of.rewind_id, "--keep"]} />
  </div>`;
}

/** Undo and redo, of the rewind that it all began with. */
function Reverse({ first, last }) {
  const [isWhole, setWhole] = useState(true);
  const name = last.type === "undo" ? "redo" : "undo";
  const { chip: label, ask: title, done } = WAYS[name];
  const hasMessages = first.first_seq !== null;
  const words = ["recollect", "rewind", `--${name}`, first.rewind_id];
  if (hasMessages && !isWhole) words.push("--files-only");
  const act = async () => {
    const body = "A path that somebody changed since stops it, and nothing is changed then.";
    if (!(await confirm({ title, body, action: label }))) return;
    const path = `/api/rewinds/${encodeURIComponent(first.rewind_id)}/${name}`;
    const { rewind_id: id } = await post(path, { conversation: isWhole });
    toast(done);
    go(href("files", ["rewinds", id]));
  };
  const box = html`<label class="flow">
    <input type="checkbox" checked=${isWhole} onChange=${() => setWhole(!isWhole)} />
    The messages, too
  </label>`;
  return html`<${Foot} ...${{ words, label }} act=${() => attempt(act)}>${hasMessages && box}<//>`;
}
