// Short messages of what was done, with a way back.
import { html, signal } from "../lib.js";
import { Icon } from "./icon.js";

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

const dismiss = (own) => (shown.value = shown.peek().filter((each) => each !== own));

async function takeBack(own) {
  dismiss(own);
  try {
    await own.undo();
  } catch (error) {
    toast.error(error);
  }
}

/** The place where they appear; the shell has it. */
export function Toasts() {
  return html`<div class="toasts" role="status" aria-live="polite">
    ${shown.value.map(
      (own) =>
        html`<div class="toast ${own.kind}" key=${own.id}>
          <span class="toast-text">
            ${own.text}${own.hint && html`<span class="toast-hint">${own.hint}</span>`}
          </span>
          ${own.undo && html`<button class="link" onClick=${() => takeBack(own)}>Undo</button>`}
          <button class="icon-button" aria-label="Dismiss" onClick=${() => dismiss(own)}>
            <${Icon} name="close" />
          </button>
        </div>`,
    )}
  </div>`;
}
