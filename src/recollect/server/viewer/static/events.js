// The stream of events of this tab: one for all views, which goes on where it was after a break.
import { access, send } from "./api.js";
import { effect, signal } from "./lib.js";

const FIRST_WAIT_MS = 500;
const MOST_WAIT_MS = 8_000;
const SILENT_MS = 40_000; // the worker says something every 15 s
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
export async function history(since, until, { signal: ending } = {}) {
  const events = [];
  if (since >= seqOf(until)) return events;
  const ended = new AbortController();
  ending?.addEventListener("abort", () => ended.abort());
  const quiet = () => setTimeout(() => ended.abort(), 3_000);
  let timer = quiet();
  try {
    const mark = until.replace(/^\d+/, "");
    const query = { since: `${since}${mark}` };
    const answer = await send("GET", "/api/events", { query, signal: ended.signal });
    for await (const { id, data } of blocks(answer.body)) {
      clearTimeout(timer);
      timer = quiet();
      if (data && seqOf(id) <= seqOf(until)) events.push(JSON.parse(data));
      if (seqOf(id) >= seqOf(until)) break;
    }
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  } finally {
    clearTimeout(timer);
    ended.abort();
  }
  return events;
}

export const seqOf = (id) => parseInt(id, 10);

effect(() => {
  if (access.value === "in") start();
  else stop();
});

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
  const silent = new AbortController();
  const hurry = () => setTimeout(() => silent.abort(), SILENT_MS);
  let timer = hurry();
  const signals = AbortSignal.any([ending, silent.signal]);
  const headers = place.peek() === null ? {} : { "last-event-id": place.peek() };
  try {
    const answer = await send("GET", "/api/events", { headers, signal: signals });
    for await (const { id, data } of blocks(answer.body)) {
      clearTimeout(timer);
      timer = hurry();
      opened();
      link.value = "open";
      if (data) tell(JSON.parse(data));
      if (id) place.value = id;
    }
  } finally {
    clearTimeout(timer);
  }
}

function tell(event) {
  for (const listener of [...listeners]) listener(event);
}

/** Yield the blocks of server-sent events: {id, data}; what is not there is an empty text. */
async function* blocks(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) yield blockOf(part);
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
