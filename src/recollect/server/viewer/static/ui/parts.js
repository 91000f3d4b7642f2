// Small parts: chips, bars, a choice among few, a way to copy.
import { html } from "../lib.js";
import { Icon, IconButton } from "./icon.js";
import { clean } from "./text.js";
import { toast } from "./toast.js";

/** A label: <${Chip} text="decision" tone="accent" />; tones: accent, warn, bad, none. */
export function Chip({ text, tone = "", title }) {
  return html`<span class="chip ${tone}" title=${title} dir="auto">${clean(text)}</span>`;
}

/** A share of a whole: <${Bar} value=${0.4} label="words" />, 0 to 1; below 0 what is taken off. */
export function Bar({ value, label }) {
  const fill = { inlineSize: `${Math.min(1, Math.abs(value)) * 100}%` };
  const said = `${label}: ${value.toFixed(2)}`;
  return html`<span
    class="bar ${value < 0 ? "less" : ""}"
    role="img"
    aria-label=${said}
    title=${label}
  >
    <span class="bar-fill" style=${fill}></span>
  </span>`;
}

/** Return options as [[value, text], …]; they may be {value: text}. */
export const pairsOf = (options) => (Array.isArray(options) ? options : Object.entries(options));

/** One of few: <${Choice} label="Kind" value="" options=${{"": "All"}} onChange=${fn} /> */
export function Choice({ label, value, options, onChange }) {
  const button = ([each, text]) => {
    const more = { "aria-pressed": each === value, onClick: () => onChange(each) };
    return html`<button type="button" key=${each} ...${more}>${text}</button>`;
  };
  return html`<div class="choice" role="group" aria-label=${label}>
    ${pairsOf(options).map(button)}
  </div>`;
}

/** One of many: as Choice, as a list that opens. */
export function Select({ label, value, options, onChange }) {
  const option = ([each, text]) =>
    html`<option key=${each} value=${each} selected=${each === value}>${clean(text)}</option>`;
  return html`<span class="select">
    <select aria-label=${label} value=${value} onChange=${(event) => onChange(event.target.value)}>
      ${pairsOf(options).map(option)}
    </select>
    <${Icon} name="down" />
  </span>`;
}

/** A button that copies: <${Copy} text="claude --resume …" label="Copy the command" /> */
export function Copy({ text, label = "Copy", icon = "copy" }) {
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    toast("Copied");
  };
  return html`<${IconButton} icon=${icon} label=${label} act=${copy} />`;
}
