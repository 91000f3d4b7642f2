// What checkpoints and rewinds share: lists, paths with what is done to them, commands to copy.
import { get } from "../api.js";
import { listen } from "../events.js";
import { html, signal, useEffect, useMemo, useState } from "../lib.js";
import { nameOf, record } from "../records.js";
import { go, href } from "../router.js";
import { useAnswer } from "../ui/answer.js";
import { Icon } from "../ui/icon.js";
import { Diff } from "../ui/lines.js";
import { List } from "../ui/list.js";
import { Loading, Problem } from "../ui/page.js";
import { Chip, Copy } from "../ui/parts.js";
import { Line, clean, many } from "../ui/text.js";
import { exactly } from "../ui/time.js";

const MOST = 500;
const MOST_OPEN = 4;
const REDRAWN = /^(checkpoint|rewind|sessions)\./;

/** Why the token may not put files back: the refusal of the server; null as long as it may. */
export const refusal = signal(null);

export const folderOf = (root) => root.split("/").at(-1) || root;

/**
 * The newest checkpoints or rewinds, each run of a session under its name; asked for again whenever
 * something was kept or put back.
 *
 * @param name Of the list, "checkpoints" or "rewinds".
 * @param query Of the address; `session` narrows it.
 * @param opened The id of what is open; null for none.
 * @param row Returns html of an item, with what opens it.
 * @param nothing Html where there is none.
 * @param children Returns html of what is open, of all items, and how often they changed.
 */
export function Newest({ name, query, opened, row, nothing, children }) {
  const { session } = query;
  const [tick, setTick] = useState(0);
  const heard = ({ type }) => REDRAWN.test(type) && setTick((number) => number + 1);
  useEffect(() => listen(heard), []);
  const ask = (signal) => get(`/api/${name}`, { session, limit: MOST }, { signal });
  const { value, error, again } = useAnswer(ask, [session], tick);
  const [chosen, setChosen] = useState(opened);
  const [items, rows] = useMemo(() => {
    const keyed = (value?.[name] ?? []).map((each) => ({
      ...each,
      key: each.rewind_id ?? each.id,
    }));
    return [keyed.reverse(), withHeads(keyed)];
  }, [value]);
  if (error) return html`<${Problem} error=${error} retry=${again} />`;
  if (!value) return html`<${Loading} />`;
  if (!items.length && !opened) return nothing;
  const open = ({ key }) => go(href("files", [name, key], { session }));
  return html`<div class="both">
    <${List}
      label="The newest first"
      items=${rows}
      keyOf=${(item) => item.key}
      estimate=${() => 52}
      isHead=${(item) => item.isHead === true}
      selected=${chosen}
      onSelect=${setChosen}
      onOpen=${open}
      row=${(item) => (item.isHead ? html`<${SessionHead} of=${item} />` : row(item, open))}
    />
    ${opened && children(items, tick)}
  </div>`;
}

function withHeads(items) {
  const isNew = (item, index) => item.session_id !== items[index - 1]?.session_id;
  const head = (item) => ({ isHead: true, key: `s/${item.key}`, session_id: item.session_id });
  return items.flatMap((item, index) => (isNew(item, index) ? [head(item), item] : [item]));
}

function SessionHead({ of: { session_id: id } }) {
  const own = record(nameOf.session(id)).value;
  return html`<h2 class="files-session">
    <${Line} text=${own?.title ?? own?.session_key ?? id} />
  </h2>`;
}

/**
 * What is open beside a list: its head, and what `children(value)` makes of an answer.
 *
 * @param head Html at the begin of the first line.
 */
export function Panel({ label, head, answer, close, children }) {
  const { value, error, again } = answer;
  return html`<aside class="opened" aria-label=${label}>
    <header>
      ${head}
      <span class="gap"></span>
      <${Copy} text=${location.href} label="Copy the link" />
      <button class="icon-button" aria-label="Close" title="Close: Esc" onClick=${close}>
        <${Icon} name="close" />
      </button>
    </header>
    ${error && html`<${Problem} error=${error} retry=${again} />`}
    ${!error && !value && html`<${Loading} />`}
    ${
      value &&
      html`<div class="opened-body" tabindex="0" role="group" aria-label=${label}>
        ${children(value)}
      </div>`
    }
  </aside>`;
}

/** When and where something was. */
export const Place = ({ at, root }) =>
  html`<p class="soft small files-name">${exactly(at)}<br />${clean(root)}</p>`;

const ACTIONS = ["restore", "recreate", "merge", "chmod", "delete"];

/** What a plan would do, or a rewind did: "Restore 2, delete 1." */
export function sentenceOf({ type, counts, first_seq: first, last_seq: last }) {
  const parts = ACTIONS.filter((name) => counts[name]).map((name) => `${name} ${counts[name]}`);
  const span = first === last ? `message ${first}` : `messages ${first} to ${last}`;
  const way = type === "undo" ? "back in" : "out of";
  if (first !== null) parts.push(`${span} ${way} the conversation`);
  const text = parts.join(", ") || "nothing changed";
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const TONES = { delete: "bad", restore: "accent", recreate: "accent", merge: "accent" };
const SKIPPED = { already: "as it was", uncaptured: "not kept", outside: "behind a link" };
const KINDS = { absent: "nothing", uncaptured: "not kept" };
const sizeOf = ({ kind, size }) => (size === null ? (KINDS[kind] ?? kind) : many(size, "byte"));

/** Return what is done with a path in a word, and the tone of that. */
function fateOf({ action, status, choice, outcome }) {
  if (outcome === "unresolved") return [outcome, "bad"];
  if (status === "conflict" && choice === "stop") return [status, "warn"];
  if (choice === "keep" || outcome === "left") return [SKIPPED[status] ?? "left as it is", ""];
  return [action === "skip" ? (SKIPPED[status] ?? "left as it is") : action, TONES[action] ?? ""];
}

/** A path of a plan or rewind, with `check` before its name and `choice` below it. */
export function PathRow({ item, isFirst, check, choice }) {
  const [isOpen, setOpen] = useState(isFirst);
  const [fate, tone] = fateOf(item);
  const states = `${sizeOf(item.current)} → ${sizeOf(item.target)}`;
  const isLeft = item.action === "skip" || item.choice === "keep";
  const name = clean(item.path);
  const why = [item.reason, isLeft ? "" : states].filter(Boolean).join(", ");
  return html`<li class="files-item">
    <div class="files-head">
      ${check}
      <${Chip} text=${fate} tone=${tone} />
      <bdi class="files-name" title=${name}>${name}</bdi>
      ${
        item.diff &&
        html`<button
          class="icon-button"
          aria-expanded=${isOpen}
          aria-label="Diff of ${name}"
          onClick=${() => setOpen(!isOpen)}
        >
          <${Icon} name="down" />
        </button>`
      }
    </div>
    <p class="files-head"><span class="files-why">${clean(why)}</span>${choice}</p>
    ${isOpen && item.diff && html`<${Diff} label="Diff of ${name}" text=${item.diff} />`}
  </li>`;
}

/** Whether diffs are open from the beginning: those of a few paths are. */
export const isShort = (items) => items.filter(({ diff }) => diff).length <= MOST_OPEN;

/** What a command does not change: a text of any characters as one word of a shell. */
const quoted = (word) =>
  /^[\w./:@-]+$/.test(word) ? word : `'${String(word).replaceAll("'", `'\\''`)}'`;

/** A command to copy; none where a name in it has characters that no terminal takes. */
export function Command({ words }) {
  if (!words) return html`<p class="soft small">A command has one choice for all conflicts.</p>`;
  const text = words.map(quoted).join(" ");
  if (/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text)) return null;
  return html`<p class="files-command">
    <code dir="ltr">${text}</code><${Copy} text=${text} label="Copy the command" />
  </p>`;
}

/** That the token may only plan, with the command for who may. */
export function Refused({ words }) {
  return html`<div class="files-note" role="status">
    <p>This token may plan, and not put files back. In a terminal of yours:</p>
    <${Command} words=${words} />
  </div>`;
}
