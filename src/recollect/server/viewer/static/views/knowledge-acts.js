// What can be done with a fact: at once, and back by the toast or `u`.
import { get, patch, post, remove } from "../api.js";
import { html, useState } from "../lib.js";
import { Dialog } from "../ui/dialog.js";
import { toast } from "../ui/toast.js";

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
export function undo() {
  const act = last;
  last = null;
  if (!act) return false;
  act().then(() => toast("Taken back"), toast.error);
}

/** Do something with a fact; what is refused is said. */
export const act = (name, ...rest) => ACTS[name](...rest).catch(toast.error);

const pathOf = (fact) => `/api/facts/${fact.id}`;
const restore = (fact) => post(`${pathOf(fact)}/restore`);

const ACTS = {
  async forget(fact) {
    await remove(pathOf(fact));
    did(`Forgotten: ${fact.id}`, () => restore(fact));
  },
  async restore(fact) {
    const { history } = await get(pathOf(fact));
    const { status, replaced_by: by } = history.at(-1);
    await restore(fact);
    const ways = {
      forgotten: () => remove(pathOf(fact)),
      replaced: by && (() => post(`${pathOf(fact)}/replace`, { by })),
    };
    did(`It counts again: ${fact.id}`, ways[status]);
  },
  /** Of one in review: it is the owner's from now on. */
  async accept(fact) {
    await restore(fact);
    did(`Accepted: ${fact.id}`);
  },
  async confirm(fact) {
    await patch(pathOf(fact), { text: fact.text });
    did(`Confirmed: ${fact.id}`, () => restore(fact));
  },
  async pin(fact) {
    await patch(pathOf(fact), { pinned: !fact.pinned });
    const back = () => patch(pathOf(fact), { pinned: fact.pinned });
    did(fact.pinned ? `No longer pinned: ${fact.id}` : `Pinned: ${fact.id}`, back);
  },
  async edit(fact, text) {
    await patch(pathOf(fact), { text });
    did(`Changed: ${fact.id}`, () => restore(fact));
  },
  async replace(fact, text) {
    const { status, fact: newer } = await post("/api/facts", { text, ...placeOf(fact) });
    const drop = () => status !== "known" && remove(pathOf(newer));
    try {
      await post(`${pathOf(fact)}/replace`, { by: newer.id });
    } catch (error) {
      await drop();
      throw error;
    }
    did(`${fact.id} made way for ${newer.id}`, async () => {
      await drop();
      const { status: now } = await get(pathOf(fact));
      if (now === "replaced") await restore(fact);
    });
  },
};

/** Return what makes a new fact one of the same people and project. */
function placeOf(fact) {
  const about = { speaker: "me", project: "project" }[fact.subject];
  const who = fact.session_id ? { for_session: fact.session_id } : { user_id: fact.user_id };
  return { ...who, about, kind: fact.kind, importance: fact.importance, project: fact.project };
}

const WAYS = {
  edit: { title: "Edit", label: "What it says", action: "Save" },
  replace: { title: "Replace", label: "What is true instead", action: "Replace" },
};

/** The box for the words of an act: <${Words} way="edit" fact=${fact} close=${fn} />. */
export function Words({ way, fact, close }) {
  const { title, label, action } = WAYS[way];
  const [text, setText] = useState(fact.text);
  const words = text.replace(/\s+/g, " ").trim();
  const isReady = words && words !== fact.text;
  const submit = (event) => {
    event.preventDefault();
    if (!isReady) return;
    close();
    act(way, fact, words);
  };
  const onKeyDown = (event) => event.key === "Enter" && !event.isComposing && submit(event);
  return html`<${Dialog} title="${title} ${fact.id}" close=${close}>
    <form onSubmit=${submit}>
      <label class="field">
        <span>${label}</span>
        <textarea
          rows="4"
          dir="auto"
          autofocus
          maxlength=${MOST_CHARACTERS}
          value=${text}
          onInput=${(event) => setText(event.target.value)}
          onKeyDown=${onKeyDown}
        ></textarea>
      </label>
      <footer>
        <button type="button" class="button" onClick=${close}>Cancel</button>
        <button class="button primary" disabled=${!isReady}>${action}</button>
      </footer>
    </form>
  <//>`;
}
