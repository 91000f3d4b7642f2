// What events and hits name, loaded when it is in sight and kept for a while: a signal for each.
import { access, get, post } from "./api.js";
import { listen } from "./events.js";
import { effect, signal } from "./lib.js";

const GATHER_MS = 25;
const AGAIN_MS = 2_000;
const MOST_KEPT = 6_000;
const LINE_TOKENS = 120;

const kept = new Map();
const wanted = new Set();
const shown = new Set();
let timer = 0;

/** Counts what was loaded: who filters by what is in the records looks again. */
export const loads = signal(0);

/** The types of the observations that were loaded. */
export const types = signal([]);

/** Return the name of a record: of a message its session and seq, of others number or id. */
export const nameOf = {
  message: (session, seq) => `m/${session}/${seq}`,
  observation: (number) => `o/${number}`,
  fact: (number) => `f/${number}`,
  session: (id) => `s/${id}`,
};

/**
 * Return the signal of a record: undefined while it is on its way, null where it is gone or not
 * for this token, else as HTTP answers it.
 */
export function record(name) {
  let own = kept.get(name);
  if (!own) {
    own = keep(name, undefined);
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
    wanted.add(name);
    timer ||= setTimeout(load, GATHER_MS);
  }
  return own;
}

/** Put what is known already; return its signal. */
export function keep(name, value) {
  let own = kept.get(name);
  if (own) {
    own.value = value;
    return own;
  }
  own = signal(value, { watched: () => shown.add(name), unwatched: () => shown.delete(name) });
  kept.set(name, own);
  return own;
}

/** Load records again that are shown, as they were changed. */
function renew(...names) {
  for (const name of names.filter((each) => kept.has(each))) wanted.add(name);
  timer ||= setTimeout(load, GATHER_MS);
}

async function load() {
  timer = 0;
  const asked = [...wanted];
  const names = asked.map((name) => name.split("/"));
  wanted.clear();
  const of = (kind) => names.filter(([each]) => each === kind).map(([, ...rest]) => rest);
  await Promise.allSettled([
    ...chunks(of("o").flat(), 100).map(loadObservations),
    ...ranges(of("m")).map(loadMessages),
    ...of("f").map(([number]) => loadOne(`f/${number}`, `/api/facts/f${number}`, "fact")),
    ...of("s").map(([id]) => loadOne(`s/${id}`, `/api/sessions/${id}`)),
  ]);
  loads.value++;
  const missing = asked.filter((name) => kept.get(name)?.peek() === undefined);
  if (missing.length) setTimeout(again, AGAIN_MS, missing);
}

/** Load what was refused or did not arrive: at once where it is shown, else when it is. */
function again(names) {
  for (const name of names) if (!shown.has(name)) kept.delete(name);
  renew(...names);
}

async function loadObservations(numbers) {
  const ids = numbers.map(Number);
  const answer = await post("/api/observations/batch", { ids, max_tokens: LINE_TOKENS });
  for (const each of answer.observations) keep(`o/${each.id}`, each);
  for (const id of answer.missing) keep(`o/${id}`, null);
  const all = new Set([...types.peek(), ...answer.observations.map(({ type }) => type)]);
  if (all.size > types.peek().length) types.value = [...all].sort();
}

/** Return the answer to a GET; null where it is gone or not for this token. */
const there = (path, query) =>
  get(path, query).catch((error) => {
    if (![403, 404, 422].includes(error.status)) throw error;
    return null;
  });

async function loadMessages({ session, first, last }) {
  const query = { session_key: session, after_seq: first - 1, limit: last - first + 1 };
  const answer = await there("/api/messages", query);
  const bySeq = new Map(answer?.messages.map((each) => [each.seq, each]));
  for (let seq = first; seq <= last; seq++) {
    keep(nameOf.message(session, seq), bySeq.get(seq) ?? null);
  }
}

async function loadOne(name, path, field) {
  const answer = await there(path);
  keep(name, answer?.[field] ?? answer);
}

function chunks(values, size) {
  const parts = [];
  for (let at = 0; at < values.length; at += size) parts.push(values.slice(at, at + size));
  return parts;
}

/** Return runs of messages that one request answers. */
function ranges(pairs) {
  const runs = [];
  const sorted = pairs.map(([session, seq]) => ({ session, seq: Number(seq) }));
  sorted.sort((a, b) => a.session.localeCompare(b.session) || a.seq - b.seq);
  for (const { session, seq } of sorted) {
    const run = runs.at(-1);
    const is = run?.session === session && seq - run.last <= 5 && seq - run.first < 100;
    if (is) run.last = seq;
    else runs.push({ session, first: seq, last: seq });
  }
  return runs;
}

/** The sessions that were used last get their titles at once. */
effect(() => {
  if (access.value !== "in") return void kept.clear();
  get("/api/sessions", { limit: 200 }).then(
    ({ sessions }) => sessions.forEach((each) => keep(nameOf.session(each.id), each)),
    () => {}, // each is asked for when it is shown
  );
});

const CHANGED = {
  "fact.changed": (event) => nameOf.fact(event.number),
  "message.finished": (event) => nameOf.message(event.scope.session, event.seq),
  "session.changed": (event) => nameOf.session(event.scope.session),
};

listen((event) => {
  if (/erased|pruned|reset|restored$/.test(event.type)) {
    for (const name of [...kept.keys()]) if (!shown.has(name)) kept.delete(name);
    renew(...shown);
  } else if (/^observation\./.test(event.type)) {
    renew(nameOf.observation(event.number));
  } else if (CHANGED[event.type]) {
    renew(CHANGED[event.type](event));
  }
});
