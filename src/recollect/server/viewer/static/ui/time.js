// Times: ISO 8601 or milliseconds in, the reader's own zone out.
import { html, signal } from "../lib.js";

const MINUTE = 60_000;
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const date = new Intl.DateTimeFormat("en", { day: "numeric", month: "short" });
const dated = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const weekday = new Intl.DateTimeFormat("en", { weekday: "long" });
const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "long" });
const STEPS = [
  ["year", 365.25 * 24 * 60],
  ["month", 30.4 * 24 * 60],
  ["day", 24 * 60],
  ["hour", 60],
  ["minute", 1],
];

/** The present, ms; it moves once in half a minute. */
export const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), MINUTE / 2);

export const ms = (at) => (typeof at === "number" ? at : Date.parse(at));
const timeOf = (at) => clock.format(ms(at));
export const exactly = (at) => exact.format(ms(at));
/** Return the date with its year. */
export const dateOf = (at) => dated.format(ms(at));

/** Return "just now", "3 minutes ago", "2 days ago". */
export function relative(at, present = now.value) {
  const minutes = (ms(at) - present) / MINUTE;
  for (const [unit, size] of STEPS) {
    if (Math.abs(minutes) >= size) return ago.format(Math.round(minutes / size), unit);
  }
  return "just now";
}

/** Return "Today", "Yesterday", "Tuesday, 24 Nov", or the date with its year. */
export function dayOf(at, present = now.value) {
  const then = new Date(ms(at));
  const days = Math.round((midnight(present) - midnight(then)) / (24 * 60 * MINUTE));
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days > 1 && days < 300) return `${weekday.format(then)}, ${date.format(then)}`;
  return dated.format(then);
}

const midnight = (at) => new Date(at).setHours(0, 0, 0, 0);

/** A moment: <${Time} at=${iso} />, the time of day; with `ago` how long ago. The rest on hover. */
export function Time({ at, ago: isAgo = false }) {
  const iso = new Date(ms(at)).toISOString();
  const shown = isAgo ? relative(at) : timeOf(at);
  return html`<time class="time" datetime=${iso} title=${exactly(at)}>${shown}</time>`;
}
