// Dialogs: a box above the page, and the place where the shell shows the one that asks.
import { html, signal, useEffect, useRef } from "../lib.js";
import { IconButton } from "./icon.js";

/** What stands above the page, as html; null where nothing does. */
export const asked = signal(null);

/** The place where it stands; the shell has it. */
export const Asked = () => asked.value;

/** A modal box: <${Dialog} title="Keys" close=${fn}>…</> */
export function Dialog({ title, close, children, class: name = "" }) {
  const box = useRef();
  useEffect(() => {
    const dialog = box.current;
    dialog.showModal();
    return () => dialog.close(); // the browser gives the focus back to what had it
  }, []);
  const outside = (event) => event.target === box.current && close();
  return html`<dialog
    class="dialog ${name}"
    ref=${box}
    aria-label=${title}
    onClose=${() => box.current && close()}
    onClick=${outside}
  >
    <div class="dialog-body stack">
      <header>
        <h2>${title}</h2>
        <${IconButton} icon="close" label="Close" act=${close} />
      </header>
      ${children}
    </div>
  </dialog>`;
}
