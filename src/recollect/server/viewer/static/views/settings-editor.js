// The editor of a setting: a field of its kind, and what the server says of a wrong value.
import { put } from "../api.js";
import { html, useState } from "../lib.js";
import { Choice, Sentence, toast } from "../ui.js";

/** Return what writes a value of a setting, null for the default, and says what came of it. */
export function saved({ name, value: before, is_set }, again, agent = null) {
  const write = async (value) => {
    const row = await put(`/api/settings/${name}`, { value, confirm: name, agent });
    again();
    return row;
  };
  return async (value) => {
    const { origin, needs_restart } = await write(value);
    const isDecided = /^(default|config\.yaml)/.test(origin);
    const later = needs_restart ? "It is in force when the worker starts again." : "";
    const hint = isDecided ? later : `It is written, but ${origin} decides.`;
    const undo = () => write(is_set ? before : null);
    toast(`${name} is ${value === null ? "the default again" : "changed"}`, { hint, undo });
  };
}

/** <${Editor} setting=${setting} save=${saved(setting, again)} /> */
export function Editor({ setting, save }) {
  const { name, must_be, origin } = setting;
  const { show = (value) => value ?? "", read = (draft) => draft || null, Input } = kindOf(setting);
  const [draft, setDraft] = useState(null);
  const [error, setError] = useState(null);
  const before = show(setting.value);
  const write = async (value) => {
    try {
      await save(value);
      setDraft(null);
      setError(null);
    } catch (refusal) {
      setError(refusal);
    }
  };
  const submit = (event) => {
    event.preventDefault();
    const value = read(draft, setting);
    if (value === undefined) setError({ message: `it must be ${must_be}`, hint: "" });
    else write(value);
  };
  const about = {
    value: draft ?? before,
    "aria-label": `Value of ${name}`,
    "aria-invalid": error ? "true" : null,
    "aria-describedby": `error ${name}`,
    onInput: (event) => setDraft(event.target.value),
  };
  const isSame = draft === null || draft === before;
  const isDefault = origin === "default";
  return html`<form class="settings-editor" onSubmit=${submit}>
    <div class="field stack">
      <${Input} ...${{ setDraft, must_be, about }} />
      <span class="field-error small" id="error ${name}" role="alert">
        ${error && html`<${Sentence} text=${error.message} /> <${Sentence} text=${error.hint} />`}
      </span>
    </div>
    <div class="flow wrap">
      <button class="button primary" disabled=${isSame}>Save</button>
      <button type="button" class="button" disabled=${isDefault} onClick=${() => write(null)}>
        Back to the default
      </button>
    </div>
  </form>`;
}

function kindOf({ must_be }) {
  if (/^(true or false|one of )/.test(must_be)) return CHOICE;
  if (must_be.startsWith("a list")) return LIST;
  return /^an? (integer|number)/.test(must_be) ? NUMBER : { Input: Text };
}

const CHOICE = { show: (value) => value, read: (draft) => draft, Input: OneOf };
const NUMBER = { show: (value) => String(value ?? ""), read: readNumber, Input: Text };
const LIST = { show: (value) => (value ?? []).join("\n"), read: readLines, Input: Lines };
const FLAGS = [
  [true, "On"],
  [false, "Off"],
];

function readNumber(draft, { must_be }) {
  if (!draft.trim()) return must_be.endsWith("unset") ? null : undefined;
  const number = Number(draft.trim().replaceAll("_", ""));
  return Number.isFinite(number) ? number : undefined;
}

function readLines(draft) {
  const lines = draft.split("\n").map((line) => line.trim());
  return lines.filter(Boolean);
}

function OneOf({ setDraft: onChange, must_be, about: { value, "aria-label": label } }) {
  const words = must_be.replace("one of ", "").split(", ");
  const options = must_be === "true or false" ? FLAGS : words.map((word) => [word, word]);
  return html`<${Choice} ...${{ label, value, options, onChange }} />`;
}

function Lines({ about }) {
  const rows = Math.min(8, about.value.split("\n").length + 1);
  return html`<textarea dir="auto" spellcheck=${false} rows=${rows} ...${about} />
    <span class="small soft">One on each line.</span>`;
}

function Text({ about }) {
  return html`<input dir="auto" autocomplete="off" spellcheck=${false} ...${about} />`;
}
