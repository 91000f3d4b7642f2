// The stream of events of this tab: one for all views, which goes on where it was after a break.
import { access, send } from "./api.js";
import { effect, signal } from "./lib.js";

const FIRST_WAIT_MS = 500;
const MOST_WAIT_MS = 8_000;
const SILENT_MS = 40_000; // the worker says something every 15 s
const HISTORY_MS = 3_000;
const HIDDEN_MS = 30_000; // a browser has six connections to one address

/** "connecting", "open", or "reconnecting". */
export const link = signal("connecting");
/** The place in the journal that was reached: a text for `since`, null before the first answer. */
export const place = signal(null);

const listeners = new Set();
let running = null;
let hiding = 0;

/** Call back with each event from now on; return the function that ends it. */
export function listen(callback) {
  listeners.add(callback);
  return () => listeners.delete(callback);
}

/** Return the events after `since` and up to the place `until`, oldest first. */
export async function history(since, until) {
  const events = [];
  if (since >= seqOf(until)) return events;
  const query = { since: `${since}${until.replace(/^\d+/, "")}` };
  try {
    for await (const { id, data } of blocks({ query }, HISTORY_MS)) {
      if (data && seqOf(id) <= seqOf(until)) events.push(JSON.parse(data));
      if (seqOf(id) >= seqOf(until)) break;
    }
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
  return events;
}

export const seqOf = (id) => parseInt(id, 10);

effect(() => (access.value === "in" ? start() : stop()));

document.addEventListener("visibilitychange", () => {
  clearTimeout(hiding);
  if (document.hidden) hiding = setTimeout(stop, HIDDEN_MS);
  else if (access.value === "in") start();
});

function stop() {
  running?.abort();
  running = null;
}

function start() {
  if (running) return;
  running = new AbortController();
  follow(running.signal);
}

async function follow(ending) {
  let wait = FIRST_WAIT_MS;
  while (!ending.aborted && access.peek() === "in") {
    try {
      await read(ending, () => (wait = FIRST_WAIT_MS));
    } catch {
      // It is tried again; a token that is not valid any more ends it by `access`.
    }
    if (ending.aborted) return;
    link.value = "reconnecting";
    await new Promise((done) => setTimeout(done, wait * (0.7 + 0.6 * Math.random())));
    wait = Math.min(wait * 2, MOST_WAIT_MS);
  }
}

async function read(ending, opened) {
  const headers = place.peek() === null ? {} : { "last-event-id": place.peek() };
  for await (const { id, data } of blocks({ headers, signal: ending }, SILENT_MS)) {
    opened();
    link.value = "open";
    if (data) for (const listener of [...listeners]) listener(JSON.parse(data));
    if (id) place.value = id;
  }
}

/**
 * Yield the blocks of server-sent events: {id, data}; what is not there is an empty text.
 *
 * @param silent After so many ms without a block it is given up by an AbortError.
 */
async function* blocks({ signal: ending, ...sent }, silent) {
  const ended = new AbortController();
  const hurry = () => setTimeout(() => ended.abort(), silent);
  let timer = hurry();
  try {
    const signal = AbortSignal.any([ended.signal, ending ?? ended.signal]);
    const { body } = await send("GET", "/api/events", { ...sent, signal });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop();
      for (const part of parts) {
        clearTimeout(timer);
        timer = hurry();
        yield blockOf(part);
      }
    }
  } finally {
    clearTimeout(timer);
    ended.abort();
  }
}

function blockOf(part) {
  const block = { id: "", data: "" };
  for (const line of part.split("\n")) {
    const [, name, value] = line.match(/^(id|data): ?(.*)$/s) ?? [];
    if (name) block[name] += value;
  }
  return block;
}
