// Lines of text or of a diff; of many only those in sight are in the page.
import { html, useLayoutEffect, useRef, useState } from "../lib.js";
import { clean, cut } from "./text.js";

const LINE_PX = 20;
const AROUND = 60;
const MOST_WHOLE = 300;
const MOST_CHARS = 2_000;

/**
 * <${Lines} label="Source" lines=${lines} kindOf=${fn} />
 *
 * @param lines Texts, without their ends.
 * @param kindOf Returns the class of a line: "added", "removed", "hunk", "marked" or nothing.
 * @param numbers Whether lines are numbered from 1.
 * @param goal The index of the line that is brought into sight; null for none.
 */
export function Lines({ label, lines, kindOf = () => "", numbers = false, goal = null }) {
  const box = useRef();
  const [top, setTop] = useState(0);
  const isWhole = lines.length <= MOST_WHOLE;
  const first = isWhole ? 0 : Math.max(0, Math.floor(top / LINE_PX) - AROUND);
  const shown = lines.slice(first, isWhole ? undefined : first + 3 * AROUND);
  const rest = lines.length - first - shown.length;
  useLayoutEffect(() => {
    if (goal !== null) box.current.scrollTop = (goal - 4) * LINE_PX;
  }, [goal]);
  const space = (count) =>
    html`<div class="list-space" style=${{ blockSize: `${count * LINE_PX}px` }}></div>`;
  const look = (event) => {
    const moved = event.target.scrollTop;
    if (Math.abs(moved - top) > (AROUND / 3) * LINE_PX) setTop(moved);
  };
  const row = (line, step) => {
    const at = first + step;
    const text = clean(cut(line, MOST_CHARS)) + (line.length > MOST_CHARS ? "…" : "");
    const number = numbers && html`<span class="lines-number">${at + 1}</span>`;
    return html`<div key=${at} class="lines-line ${kindOf(line, at)}">
      ${number}<bdi>${text}</bdi>
    </div>`;
  };
  const own = { class: `lines ${isWhole ? "" : "long"}`, "aria-label": label, onScroll: look };
  return html`<div role="group" tabindex="0" ref=${box} ...${own}>
    <div class="lines-all">${space(first)} ${shown.map(row)} ${space(rest)}</div>
  </div>`;
}

const KINDS = { "+": "added", "-": "removed", "⋯": "hunk", "\\": "hunk" };

/** A unified diff, without the names of the file: <${Diff} label="notes.md" text=${item.diff} /> */
export function Diff({ label, text }) {
  const whole = text.replace(/^---.*\n\+\+\+.*\n/, "");
  const lines = whole.split("\n").map((line) => line.replace(/^@@ -(\d+).*/, "⋯ line $1"));
  if (!lines.at(-1)) lines.pop();
  return html`<${Lines} label=${label} lines=${lines} kindOf=${(line) => KINDS[line[0]] ?? ""} />`;
}
