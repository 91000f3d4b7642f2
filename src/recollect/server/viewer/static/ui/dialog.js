// Dialogs: a box of your own, and the question before something that cannot be taken back.
import { html, signal, useEffect, useRef, useState } from "../lib.js";
import { IconButton } from "./icon.js";

const question = signal(null);

/**
 * Ask before something is done; resolves to true or false.
 *
 * @param title What will be done, as a question.
 * @param body Text or html of what it means.
 * @param action The name of the button.
 * @param typed The word that must be typed first; none where it can be taken back.
 */
export function confirm({ title, body, action, typed = "", danger = Boolean(typed) }) {
  return new Promise((answer) => (question.value = { title, body, action, typed, danger, answer }));
}

/** A modal box: <${Dialog} title="Keys" close=${fn}>…</> */
export function Dialog({ title, close, children, class: name = "" }) {
  const box = useRef();
  useEffect(() => {
    const back = document.activeElement;
    box.current.showModal();
    return () => back?.focus?.();
  }, []);
  const outside = (event) => event.target === box.current && close();
  return html`<dialog
    class="dialog ${name}"
    ref=${box}
    aria-label=${title}
    onCancel=${(event) => (event.preventDefault(), close())}
    onClick=${outside}
  >
    <div class="dialog-body">
      <header>
        <h2>${title}</h2>
        <${IconButton} icon="close" label="Close" act=${close} />
      </header>
      ${children}
    </div>
  </dialog>`;
}

/** The place where `confirm` asks; the shell has it. */
export function Confirmation() {
  const asked = question.value;
  return asked && html`<${Question} key=${asked} asked=${asked} />`;
}

function Question({ asked }) {
  const [typed, setTyped] = useState("");
  const isReady = typed.trim() === asked.typed;
  const answer = (is) => {
    question.value = null;
    asked.answer(is);
  };
  const submit = (event) => {
    event.preventDefault();
    if (isReady) answer(true);
  };
  return html`<${Dialog} title=${asked.title} close=${() => answer(false)}>
    <form method="dialog" onSubmit=${submit}>
      <div class="dialog-text">${asked.body}</div>
      ${
        asked.typed &&
        html`<label class="field">
          <span>Type <b>${asked.typed}</b> to go on</span>
          <input
            autofocus
            autocomplete="off"
            spellcheck=${false}
            value=${typed}
            onInput=${(event) => setTyped(event.target.value)}
          />
        </label>`
      }
      <footer>
        <button type="button" class="button" onClick=${() => answer(false)}>Cancel</button>
        <button class="button ${asked.danger ? "danger" : "primary"}" disabled=${!isReady}>
          ${asked.action}
        </button>
      </footer>
    </form>
  <//>`;
}
