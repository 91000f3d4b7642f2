// A box with a few fields, and what is done with them.
import { html, useState } from "../lib.js";
import { Dialog } from "./dialog.js";
import { toast } from "./toast.js";

/**
 * <${Form} title="Edit f12" fields=${fields} action="Save" …>html below the fields</>
 *
 * @param fields [{name, label, value, most}]: with `most` it has lines, and so many characters.
 *     The first without a value has the focus, else the last.
 * @param action The name of the button.
 * @param isReady Whether {name: value} can be sent; values are without spaces around them.
 * @param submit Does it; where it fails, that is said and the box stays.
 */
export function Form({ title, fields, action, isReady, submit, close, children }) {
  const [values, setValues] = useState({});
  const [isBusy, setBusy] = useState(false);
  const valueOf = ({ name, value }) => values[name] ?? value ?? "";
  const trimmed = Object.fromEntries(fields.map((each) => [each.name, valueOf(each).trim()]));
  const isOff = isBusy || !isReady(trimmed);
  const first = fields.find(({ value }) => !value) ?? fields.at(-1);
  const send = async (event) => {
    event.preventDefault();
    if (isOff) return;
    setBusy(true);
    await submit(trimmed).then(close, toast.error);
    setBusy(false);
  };
  const onKeyDown = (event) => event.key === "Enter" && !event.isComposing && send(event);
  const field = (each) => {
    const { name, label, most } = each;
    const onInput = ({ target }) => setValues((old) => ({ ...old, [name]: target.value }));
    const own = { dir: "auto", autofocus: each === first, value: valueOf(each), onInput };
    const box = most
      ? html`<textarea rows="4" maxlength=${most} onKeyDown=${onKeyDown} ...${own}></textarea>`
      : html`<input autocomplete="off" ...${own} />`;
    return html`<label class="field" key=${name}><span>${label}</span>${box}</label>`;
  };
  return html`<${Dialog} title=${title} close=${close}>
    <form onSubmit=${send}>
      ${fields.map(field)} ${children}
      <footer>
        <button type="button" class="button" onClick=${close}>Cancel</button>
        <button class="button primary" disabled=${isOff}>${action}</button>
      </footer>
    </form>
  <//>`;
}
