// What can be done with a fact, by buttons and keys: at once, and back by the toast or `u`.
import { get, patch, post, remove } from "../api.js";
import { html, useState } from "../lib.js";
import { Form, toast, useKeys } from "../ui.js";

const MOST_CHARACTERS = 2_000;
let last = null;

/** Say what was done; it is taken back once, by the toast or by `u`. */
function did(text, back = null) {
  const once = async () => {
    if (last === once) last = null;
    const own = back;
    back = null;
    await own?.();
  };
  last = back && once;
  toast(text, { undo: last });
}

/** Take back what was done last; false where there is nothing. */
function undo() {
  if (!last) return false;
  last().then(() => toast("Taken back"), toast.error);
}

const pathOf = (fact) => `/api/facts/${fact.id}`;
const forget = (fact) => remove(pathOf(fact));
const restore = (fact) => post(`${pathOf(fact)}/restore`);
const replace = (fact, by) => post(`${pathOf(fact)}/replace`, { by });
const change = (fact, fields) => patch(pathOf(fact), fields);

const pinned = (is) => (fact) => change(fact, { pinned: is });

/** What is said of an act, how it is done, and how it is taken back. */
const RUNS = {
  accept: ["Accepted", restore], // it is the owner's from now on
  confirm: ["Confirmed", (fact) => change(fact, { text: fact.text }), restore],
  edit: ["Changed", (fact, text) => change(fact, { text }), restore],
  pin: ["Pinned", pinned(true), pinned(false)],
  unpin: ["No longer pinned", pinned(false), pinned(true)],
  forget: ["Forgotten", forget, restore],
};

async function run(name, fact, text) {
  if (name === "restore") return bringBack(fact);
  if (name === "replace") return makeWay(fact, text);
  const [said, work, back] = RUNS[name === "pin" && fact.pinned ? "unpin" : name];
  await work(fact, text);
  did(`${said}: ${fact.id}`, back && (() => back(fact)));
}

async function bringBack(fact) {
  const { history } = await get(pathOf(fact));
  const { status, replaced_by: by } = history.at(-1);
  await restore(fact);
  const ways = { forgotten: () => forget(fact), replaced: by && (() => replace(fact, by)) };
  did(`It counts again: ${fact.id}`, ways[status]);
}

async function makeWay(fact, text) {
  const { status, fact: newer } = await post("/api/facts", { text, ...placeOf(fact) });
  const drop = () => status !== "known" && forget(newer);
  try {
    await replace(fact, newer.id);
  } catch (error) {
    await drop();
    throw error;
  }
  did(`${fact.id} made way for ${newer.id}`, async () => {
    await drop();
    const { status: now } = await get(pathOf(fact));
    if (now === "replaced") await restore(fact);
  });
}

/** Return what makes a new fact one of the same people and project. */
function placeOf({ subject, session_id: session, user_id: user, kind, importance, project }) {
  const about = { speaker: "me", project: "project" }[subject];
  const who = session ? { for_session: session } : { user_id: user };
  return { ...who, about, kind, importance, project };
}

/** Each with its key, and the states `of` facts that it fits. */
const ACTS = {
  accept: { key: "a", label: "Accept", title: "It is true", of: ["review"] },
  confirm: { key: "c", label: "Confirm", title: "It is true for certain", of: ["current"] },
  edit: { key: "e", label: "Edit", of: ["current", "review"] },
  replace: { key: "r", label: "Replace", title: "Something else is true now", of: ["current"] },
  pin: { key: "p", label: "Pin", title: "Never archive it", of: ["current"] },
  restore: { key: "b", label: "Bring back", of: ["replaced", "forgotten", "archived"] },
  forget: { key: "x", label: "Forget", of: ["current", "replaced", "archived", "review"] },
};
const BOXES = {
  edit: { label: "What it says", action: "Save" },
  replace: { label: "What is true instead", action: "Replace" },
};

/** What can be done with a fact, by buttons; with `hasKeys` by keys as well. */
export function Acts({ fact, hasKeys = false }) {
  const [asked, setAsked] = useState(null); // the act whose words are asked for
  const { id, text, status } = fact;
  const labels = { pin: fact.pinned && "Unpin", forget: status === "review" && "Reject" };
  const isFit = (name) =>
    ACTS[name].of.includes(status) && (name !== "confirm" || fact.confidence < 1);
  const start = (name) => {
    if (!isFit(name)) return false;
    if (BOXES[name]) setAsked(name);
    else run(name, fact).catch(toast.error);
  };
  const button = (name) => {
    const { key, label, title } = ACTS[name];
    const tone = name === "accept" ? "primary" : "";
    const own = { key: name, class: `button small ${tone}`, title, onClick: () => start(name) };
    return html`<button ...${own}>
      ${labels[name] || label} ${hasKeys && html`<kbd aria-hidden="true">${key}</kbd>`}
    </button>`;
  };
  const box = BOXES[asked];
  const wordsOf = ({ words }) => words.replace(/\s+/g, " ");
  const form = box && {
    title: `${ACTS[asked].label} ${id}`,
    fields: [{ name: "words", label: box.label, value: text, most: MOST_CHARACTERS }],
    action: box.action,
    isReady: (values) => ![text, ""].includes(wordsOf(values)),
    submit: (values) => run(asked, fact, wordsOf(values)),
    close: () => setAsked(null),
  };
  return html`<div class="acts flow wrap" role="group" aria-label="What to do with ${id}">
    ${Object.keys(ACTS).filter(isFit).map(button)} ${hasKeys && html`<${ActKeys} start=${start} />`}
    ${form && html`<${Form} ...${form} />`}
  </div>`;
}

function ActKeys({ start }) {
  const ways = { u: ["take it back", undo] };
  for (const [name, { key, label }] of Object.entries(ACTS)) {
    ways[key] = [label.toLowerCase(), () => start(name)];
  }
  useKeys("What is open", ways);
}
