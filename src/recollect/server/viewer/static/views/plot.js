// How large the prompt of a session was, message by message: a line that is also a way through it.
import { html, useMemo } from "../lib.js";
import { count } from "../ui/text.js";

const WIDE = 1_000;
const HIGH = 100;
const MOST_POINTS = 400;

/**
 * <${Plot} messages=${messages} most=${128000} cuts=${[40]} at=${12} onChange=${fn} />
 *
 * @param messages As `/api/sessions/{key}/usage` has them.
 * @param most Tokens that the model reads at once.
 * @param cuts The seqs after which it was compacted.
 * @param at The seq where the reader is; null for none.
 * @param onChange Called with the seq that was chosen.
 */
export function Plot({ messages, most, cuts, at, onChange }) {
  const { line, peak } = useMemo(() => lineOf(messages), [messages]);
  const last = messages.length - 1;
  const index = Math.max(0, indexOf(messages, at ?? messages[last].seq));
  const here = messages[index];
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
  const placeOf = (to) => (last ? (to / last) * WIDE : WIDE / 2);
  return html`<div class="plot">
    <div
      class="plot-box"
      role="slider"
      tabindex="0"
      dir="ltr"
      aria-label="Tokens of the prompt over time"
      aria-valuemin=${messages[0].seq}
      aria-valuemax=${messages[last].seq}
      aria-valuenow=${here.seq}
      aria-valuetext="message ${here.seq}: ${count(here.context)} tokens"
      onClick=${point}
      onKeyDown=${press}
    >
      <svg viewBox="0 0 ${WIDE} ${HIGH}" preserveAspectRatio="none" aria-hidden="true">
        <path class="plot-area" d="${line}L${WIDE} ${HIGH}L0 ${HIGH}Z" />
        <path class="plot-line" d=${line} />
        ${cuts.map((seq) => {
          const x = placeOf(indexOf(messages, seq));
          return html`<path key=${seq} class="plot-cut" d="M${x} 0V${HIGH}" />`;
        })}
        ${at && html`<path class="plot-here" d="M${placeOf(index)} 0V${HIGH}" />`}
      </svg>
    </div>
    <p class="plot-said">
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
function lineOf(messages) {
  const peak = messages.reduce((most, { context }) => Math.max(most, context), 1);
  const step = Math.max(1, Math.ceil(messages.length / MOST_POINTS));
  const last = Math.max(1, messages.length - 1);
  const points = [];
  for (let from = 0; from < messages.length; from += step) {
    const own = messages.slice(from, from + step).map(({ context }) => context);
    const x = ((from + (own.length - 1) / 2) / last) * WIDE;
    points.push([x, HIGH - (Math.max(...own) / peak) * (HIGH - 6)]);
  }
  const [first, end] = [points[0], points.at(-1)];
  const whole = [[0, first[1]], ...points, [WIDE, end[1]]];
  return { line: `M${whole.map((pair) => pair.map(Math.round).join(" ")).join("L")}`, peak };
}
