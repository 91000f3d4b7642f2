// What checkpoints and rewinds share: lists, paths with what is done to them, commands to copy.
import { html, signal, useState } from "../lib.js";
import { Both, Chip, Copy, Icon, Line, Time } from "../ui.js";
import { clean, exactly, grouped, many, titleById, toast, useGet, useTick } from "../ui.js";
import { Diff } from "../ui/lines.js";

const MOST = 500;
const REDRAWN = /^(checkpoint|rewind|sessions)\./;
const refusal = signal(null); // why the token may not put files back

/** Put files back; that the token may not is shown from then on. */
export const attempt = (work) =>
  work().catch((error) => (error.status === 403 ? (refusal.value = error) : toast.error(error)));

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const folderOf = (root) => root.split("/").at(-1) || root;
export const idOf = (of) => of.rewind_id ?? of.id;

/**
 * The newest checkpoints or rewinds, each run of a session under its name; asked for again whenever
 * something was kept or put back.
 *
 * @param name Of the list, "checkpoints" or "rewinds".
 * @param lineOf Returns what a row shows: {chip, tone, title, about, state}.
 * @param children Returns html of what is open: of {answer, items, tick}.
 */
export function Newest({ name, lineOf, id, query: { session }, children, ...more }) {
  const tick = useTick(REDRAWN);
  const answer = useGet(`/api/${name}`, { session, limit: MOST }, tick);
  const items = (answer.value?.[name] ?? []).toReversed();
  const sessionOf = ({ of }) => of.session_id ?? "–";
  const titleOf = (each) => titleById(each.of.session_id, sessionOf(each));
  const own = items.map((of) => ({ id: idOf(of), of }));
  const rows = grouped(own, sessionOf, titleOf);
  const row = ({ of }) => html`<${Row} of=${of} ...${lineOf(of)} />`;
  return html`<${Both} label="The newest first" size=${52} ...${{ answer, rows, row, id, ...more }}>
    ${id && children({ answer, items, tick })}
  <//>`;
}

const Row = ({ of, chip, tone, title, about, state }) =>
  html`<span class="files-row flow wide">
    <${Chip} text=${chip} tone=${tone} />
    <span class="gap">
      <${Line} text=${title} />
      <${Line} class="soft small" text=${about(folderOf(of.root))} />
    </span>
    ${state && html`<${Chip} ...${state} />`}
    <${Time} at=${of.created_at} ago />
  </span>`;

/** When and where something was. */
export const Place = ({ of }) =>
  html`<p class="soft small files-name">${exactly(of.created_at)}<br />${clean(of.root)}</p>`;

const ACTIONS = ["restore", "recreate", "merge", "chmod", "delete"];

/** What a plan would do, or a rewind did: "Restore 2, delete 1." */
export function sentenceOf({ type, counts, first_seq: first, last_seq: last }) {
  const parts = ACTIONS.filter((name) => counts[name]).map((name) => `${name} ${counts[name]}`);
  const span = first === last ? `message ${first}` : `messages ${first} to ${last}`;
  const way = type === "undo" ? "back in" : "out of";
  if (first !== null) parts.push(`${span} ${way} the conversation`);
  return `${capital(parts.join(", ") || "nothing changed")}.`;
}

const TONES = { delete: "bad", restore: "accent", recreate: "accent", merge: "accent" };
const SKIPPED = { already: "as it was", uncaptured: "not kept", outside: "behind a link" };
const KINDS = { absent: "nothing", uncaptured: "not kept" };
const sizeOf = ({ kind, size }) => (size === null ? (KINDS[kind] ?? kind) : many(size, "byte"));

/** Return what is done with a path in a word, and the tone of that. */
function fateOf({ action, status, choice, outcome }) {
  if (outcome === "unresolved") return [outcome, "bad"];
  if (status === "conflict" && choice === "stop") return [status, "warn"];
  const isLeft = choice === "keep" || outcome === "left" || action === "skip";
  return isLeft ? [SKIPPED[status] ?? "left as it is", ""] : [action, TONES[action] ?? ""];
}

/** A path of a plan or rewind, with `check` before its name and `choice` below it. */
export function PathRow({ item, isFirst, check, choice }) {
  const [isOpen, setOpen] = useState(isFirst);
  const [fate, tone] = fateOf(item);
  const isLeft = item.action === "skip" || item.choice === "keep";
  const states = isLeft ? "" : `${sizeOf(item.current)} → ${sizeOf(item.target)}`;
  const name = clean(item.path);
  const label = `Diff of ${name}`;
  const way = { "aria-expanded": isOpen, "aria-label": label, onClick: () => setOpen(!isOpen) };
  const why = clean([item.reason, states].filter(Boolean).join(", "));
  return html`<li class="files-item stack">
    <div class="files-head flow wrap wide">
      ${check}
      <${Chip} text=${fate} tone=${tone} />
      <bdi class="files-name" title=${name}>${name}</bdi>
      ${item.diff && html`<button class="icon-button" ...${way}><${Icon} name="down" /></button>`}
    </div>
    <p class="files-head flow wrap wide"><span class="soft small">${why}</span>${choice}</p>
    ${isOpen && item.diff && html`<${Diff} label=${label} text=${item.diff} />`}
  </li>`;
}

/** What a command does not change: a text of any characters as one word of a shell. */
const quoted = (word) =>
  /^[\w./:@-]+$/.test(word) ? word : `'${String(word).replaceAll("'", `'\\''`)}'`;

/** A command to copy; none where a name in it has characters that no terminal takes. */
export function Command({ words }) {
  if (!words) return html`<p class="soft small">A command has one choice for all conflicts.</p>`;
  const text = words.map(quoted).join(" ");
  if (/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text)) return null;
  return html`<p class="files-command flow wide">
    <code dir="ltr">${text}</code><${Copy} text=${text} label="Copy the command" />
  </p>`;
}

/** The end of a panel: the button, and its command; that alone where the token may only plan. */
export function Foot({ words, label, isReady = true, act, children }) {
  const command = html`<${Command} words=${words} />`;
  if (!refusal.value) {
    return html`<div class="files-foot flow wrap wide">
      ${children}
      <button class="button primary" disabled=${!isReady} onClick=${act}>${label}…</button>
      ${command}
    </div>`;
  }
  return html`${children}
    <div class="files-note sunk" role="status">
      <p>This token may plan, and not put files back. In a terminal of yours:</p>
      ${command}
    </div>`;
}
