// Short messages of what was done, with a way back.
import { html, signal } from "../lib.js";
import { IconButton } from "./icon.js";

const SHOWN_MS = 8_000;
const shown = signal([]);
let number = 0;

/** Say what was done: toast("Forgotten", {undo: () => post(…)}), or toast.error(error). */
export function toast(text, { undo = null, kind = "done", hint = "" } = {}) {
  const own = { id: ++number, text, undo, kind, hint };
  shown.value = [...shown.peek(), own].slice(-4);
  setTimeout(() => dismiss(own), SHOWN_MS);
}

toast.error = (error) => toast(error.message, { kind: "failed", hint: error.hint });

/** Do what may fail, and say so where it does. */
export const attempt = (job) => job().catch(toast.error);

const dismiss = (own) => (shown.value = shown.peek().filter((each) => each !== own));

/** The place where they appear; the shell has it. */
export function Toasts() {
  const takeBack = (own) => (dismiss(own), attempt(async () => own.undo()));
  const note = (own) =>
    html`<div class="toast ${own.kind}" key=${own.id}>
      <span class="gap">${own.text}<span class="soft small">${own.hint}</span></span>
      ${own.undo && html`<button class="link" onClick=${() => takeBack(own)}>Undo</button>`}
      <${IconButton} icon="close" label="Dismiss" act=${() => dismiss(own)} />
    </div>`;
  return html`<div class="toasts stack" role="status" aria-live="polite">
    ${shown.value.map(note)}
  </div>`;
}
