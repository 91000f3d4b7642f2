// Rewinds: what was put back, with undo and redo; those that a crash cut off are named.
import { post } from "../api.js";
import { html, useState } from "../lib.js";
import { go, href } from "../router.js";
import { confirm } from "../ui/dialog.js";
import { Empty } from "../ui/page.js";
import { Chip } from "../ui/parts.js";
import { Line, clean, many } from "../ui/text.js";
import { Time } from "../ui/time.js";
import { toast } from "../ui/toast.js";
import * as shared from "./files-parts.js";

const { Command, Panel, PathRow, Place, Refused, folderOf, sentenceOf } = shared;
const NAMES = { rewind: "Rewind", undo: "Undo", redo: "Redo" };
const STATES = { done: "", rolled_back: "warn", interrupted: "bad", applying: "bad" };

export function Rewinds({ opened, query, close }) {
  const nothing = html`<${Empty} title="Nothing was rewound" icon="files">
    <a class="link" href=${href("files", ["checkpoints"], query)}>Checkpoints</a> are where files
    can go back to.
  <//>`;
  const row = (item, open) => html`<${Row} of=${item} open=${open} />`;
  return html`<${shared.Newest} name="rewinds" ...${{ query, opened, row, nothing }}>
    ${(items) => html`<${Opened} key=${opened} ...${{ id: opened, items, close }} />`}
  <//>`;
}

function Interrupted({ of }) {
  const left = of.items.filter(({ outcome }) => outcome === "unresolved");
  return html`<div class="problem">
    <p class="problem-message">It was cut off, and ${many(left.length, "path")} changed since.</p>
    <p>To leave what is there, or with <code>--force</code> to put back what was:</p>
    <${Command} words=${["recollect", "rewind", "--resolve", of.rewind_id, "--keep"]} />
  </div>`;
}

const Row = ({ of, open }) =>
  html`<button class="files-row" tabindex="-1" onClick=${() => open(of)}>
    <${Chip} text=${NAMES[of.type]} tone=${of.type === "rewind" ? "accent" : ""} />
    <span class="files-both">
      <${Line} text=${of.type === "rewind" ? `To ${of.target}` : "Of a rewind"} />
      <${Line} class="soft small" text="${folderOf(of.root)}: ${sentenceOf(of)}" />
    </span>
    ${of.status !== "done" && html`<${Chip} text=${of.status} tone=${STATES[of.status]} />`}
    <${Time} at=${of.created_at} ago />
  </button>`;

function Opened({ id, items, close }) {
  const of = items.find(({ key }) => key === id);
  const answer = of ? { value: of } : { error: { message: "this rewind is not among the newest" } };
  const head = html`<h2 class="files-name">${of ? titleOf(of) : "Rewind"}</h2>`;
  return html`<${Panel} label="Opened rewind" ...${{ head, answer, close }}>
    ${() => html`<${Done} of=${of} all=${items} />`}
  <//>`;
}

const titleOf = ({ type, target }) =>
  clean(`${NAMES[type]}${type === "rewind" ? ` to ${target}` : " of a rewind"}`);

function Done({ of, all }) {
  const first = of.type === "rewind" ? of : all.find(({ key }) => key === of.target);
  const last = all.find(({ key, target }) => key === first?.key || target === first?.key);
  return html`<${Place} at=${of.created_at} root=${of.root} />
    <p>${sentenceOf(of)}</p>
    ${of.status === "interrupted" && html`<${Interrupted} of=${of} />`}
    <ul class="files-items" aria-label="Paths">
      ${of.items.map((item) => html`<${PathRow} key=${item.path} item=${item} />`)}
    </ul>
    ${first && last?.status === "done" && html`<${Reverse} first=${first} last=${last} />`}`;
}

/** Undo and redo, of the rewind that it all began with. */
function Reverse({ first, last }) {
  const [isWhole, setWhole] = useState(true);
  const name = last.type === "undo" ? "redo" : "undo";
  const hasMessages = first.first_seq !== null;
  const words = ["recollect", "rewind", `--${name}`, first.rewind_id];
  if (hasMessages && !isWhole) words.push("--files-only");
  if (shared.refusal.value) return html`<${Refused} words=${words} />`;
  const reverse = async () => {
    const title = name === "undo" ? "Take this rewind back?" : "Do this rewind again?";
    const body = "A path that somebody changed since stops it, and nothing is changed then.";
    if (!(await confirm({ title, body, action: NAMES[name] }))) return;
    try {
      const body = { conversation: isWhole };
      const done = await post(`/api/rewinds/${encodeURIComponent(first.rewind_id)}/${name}`, body);
      toast(name === "undo" ? "Taken back" : "Done again");
      go(href("files", ["rewinds", done.rewind_id]));
    } catch (failure) {
      if (failure.status === 403) shared.refusal.value = failure;
      else toast.error(failure);
    }
  };
  return html`<div class="files-foot">
    ${
      hasMessages &&
      html`<label class="files-check">
        <input type="checkbox" checked=${isWhole} onChange=${() => setWhole(!isWhole)} />
        The messages, too
      </label>`
    }
    <button class="button primary" onClick=${reverse}>${NAMES[name]}…</button>
    <${Command} words=${words} />
  </div>`;
}
