// Plots: an area over time, and that of a session, which is also a way through it.
import { html, useMemo } from "../lib.js";
import { count } from "../ui.js";

const WIDE = 1_000;
const HIGH = 100;
const MOST_POINTS = 400;

/** Return the path of points [[x, y], …], each from 0 to 1. */
export function lineOf(points) {
  const pairs = points.map(([x, y]) => [x * WIDE, HIGH - y * (HIGH - 6)].map(Math.round).join(" "));
  return `M${pairs.join("L")}`;
}

/** What is below a line: <${Area} line=${lineOf(points)} />, with what is drawn over it. */
export const Area = ({ line, name, children }) =>
  html`<svg viewBox="0 0 ${WIDE} ${HIGH}" preserveAspectRatio="none" aria-hidden="true">
    <path class=${name} d="${line}L${WIDE} ${HIGH}L0 ${HIGH}Z" />
    ${children}
  </svg>`;

/**
 * How large the prompt of a session was, message by message.
 *
 * @param messages As `/api/sessions/{key}/usage` has them.
 * @param most Tokens that the model reads at once.
 * @param cuts The seqs after which it was compacted.
 * @param at The seq where the reader is; null for none.
 * @param onChange Called with the seq that was chosen.
 */
export function Plot({ messages, most, cuts, at, onChange }) {
  const { line, peak } = useMemo(() => sizesOf(messages), [messages]);
  const last = messages.length - 1;
  const index = Math.max(0, indexOf(messages, at ?? messages[last].seq));
  const { seq, context } = messages[index];
  const choose = (to) => onChange(messages[Math.max(0, Math.min(last, Math.round(to)))].seq);
  const point = (event) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    choose(((event.clientX - left) / width) * last);
  };
  const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -last / 10, PageDown: last / 10 };
  const press = (event) => {
    const to = { Home: 0, End: last }[event.key] ?? index + (steps[event.key] ?? NaN);
    if (Number.isNaN(to)) return;
    event.preventDefault();
    event.stopPropagation();
    choose(to);
  };
  const cross = (name, to) =>
    html`<path key=${`${name}${to}`} class=${name} d="M${(to / last) * WIDE} 0V${HIGH}" />`;
  const said = {
    "aria-label": "Tokens of the prompt over time",
    "aria-valuemin": messages[0].seq,
    "aria-valuemax": messages[last].seq,
    "aria-valuenow": seq,
    "aria-valuetext": `message ${seq}: ${count(context)} tokens`,
  };
  return html`<div class="plot">
    <div
      class="plot-box"
      ...${{ role: "slider", tabindex: 0, dir: "ltr", onClick: point, onKeyDown: press, ...said }}
    >
      <${Area} line=${line} name="plot-area">
        <path class="plot-line" d=${line} />
        ${cuts.map((cut) => cross("plot-cut", indexOf(messages, cut)))}
        ${at && cross("plot-here", index)}
      <//>
    </div>
    <p class="plot-said ends soft small">
      <span>Tokens of the prompt, message by message</span>
      <span>${count(peak)} at most, of ${count(most)}</span>
    </p>
  </div>`;
}

/** Return the index of the message with a seq, or of the last one before it. */
export function indexOf(messages, seq) {
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (messages[middle].seq <= seq) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Return the path of the sizes, of each step the largest, and the largest of all. */
function sizesOf(messages) {
  const peak = messages.reduce((most, { context }) => Math.max(most, context), 1);
  const step = Math.max(1, Math.ceil(messages.length / MOST_POINTS));
  const points = [];
  for (let from = 0; from < messages.length; from += step) {
    const own = messages.slice(from, from + step).map(({ context }) => context);
    points.push([from / step, Math.max(...own) / peak]);
  }
  const last = points.length - 1;
  return { line: lineOf(points.map(([x, y]) => [x / last, y])), peak };
}
