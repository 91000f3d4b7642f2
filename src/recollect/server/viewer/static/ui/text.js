// Text of others: shown as text, whatever is in it.
import { html, useState } from "../lib.js";

const SHORT = 320;
const STEP = 20_000;
const LINE = 40; // characters for which a short line counts
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** Return a text with its control characters made visible. */
export function clean(text) {
  return String(text ?? "").replace(CONTROLS, (character) => {
    const code = character.charCodeAt(0);
    return code === 127 ? "\u2421" : String.fromCharCode(0x2400 + code);
  });
}

/** Return at most `most` characters, without half of a pair. */
export function cut(text, most) {
  if (text.length <= most) return text;
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
}

/** Return the beginning of a text that may be long, for a place with room for a line or two. */
export const brief = (text) => clean(cut(String(text ?? ""), 400));

/** Return where a number of lines ends. */
function linesEnd(text, lines) {
  let at = -1;
  for (let line = 0; line < lines; line++) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return text.length;
  }
  return at;
}

/** One line: <${Line} text=${title} />, cut by the layout. */
export function Line({ text, class: name = "" }) {
  return html`<bdi class="line ${name}" dir="auto">${brief(text).replace(/\s+/g, " ")}</bdi>`;
}

/** A text of any length: <${Prose} text=${body} />. Its rest comes with “more”, step by step. */
export function Prose({ text, most = SHORT, class: name = "", mono = false }) {
  const [limit, setLimit] = useState(most);
  const whole = String(text ?? "");
  const end = Math.min(limit, linesEnd(whole, limit / LINE));
  const more = () => setLimit(limit + STEP);
  const less = () => setLimit(most);
  return html`
    <div class="text ${mono ? "mono" : ""} ${name}" dir="auto">
      ${clean(cut(whole, end))}${whole.length > end && "…"}
    </div>
    ${
      whole.length > end &&
      html`<button class="quiet small" onClick=${more}>
        more<span class="hidden"> of this text</span>, ${count(whole.length - end)} characters
      </button>`
    }
    ${limit > most && html`<button class="quiet small" onClick=${less}>less</button>`}
  `;
}

/** Return a number with its thousands apart. */
export const count = (number) => Number(number).toLocaleString("en");
/** Return a number with what it counts: "1 line", "1,200 lines". */
export const many = (number, noun, nouns = `${noun}s`) =>
  `${count(number)} ${Number(number) === 1 ? noun : nouns}`;

/** What the server says, with the commands in it as such: <${Sentence} text="run `x`" />. */
export function Sentence({ text }) {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  const whole = clean(cut(/[.!?…:]$/.test(begun) || !begun ? begun : `${begun}.`, 1_000));
  return html`<span class="sentence" dir="auto">
    ${whole.split("`").map((part, at) => (at % 2 ? html`<code>${part}</code>` : part))}
  </span>`;
}
