// A box with a few fields, and what is done with them; the question before what is done for good.
import { html, useState } from "../lib.js";
import { Dialog, asked } from "./dialog.js";
import { toast } from "./toast.js";

/**
 * <${Form} title="Edit f12" fields=${fields} action="Save" …>html above the fields</>
 *
 * @param fields [{name, label, value, most}]: with `most` it has lines, and so many characters.
 *     The first without a value has the focus, else the last.
 * @param action The name of the button; `danger` where it cannot be taken back.
 * @param isReady Whether {name: value} can be sent; values are without spaces around them.
 * @param submit Does it; where it fails, that is said and the box stays.
 */
export function Form({ title, fields, action, isReady, submit, close, danger, children }) {
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
      : html`<input autocomplete="off" spellcheck=${false} ...${own} />`;
    return html`<label class="field stack" key=${name}><span>${label}</span>${box}</label>`;
  };
  return html`<${Dialog} title=${title} close=${close}>
    <form onSubmit=${send}>
      ${children} ${fields.map(field)}
      <footer>
        <button type="button" class="button" onClick=${close}>Cancel</button>
        <button class="button ${danger ? "danger" : "primary"}" disabled=${isOff}>${action}</button>
      </footer>
    </form>
  <//>`;
}

/**
 * Ask before something is done; resolves to true or false.
 *
 * @param title What will be done, as a question.
 * @param body Text or html of what it means.
 * @param action The name of the button.
 * @param typed The word that must be typed first; none where it can be taken back.
 */
export function confirm({ title, body, action, typed = "" }) {
  return new Promise((answer) => {
    const label = html`Type <b>${typed}</b> to go on`;
    const shown = {
      ...{ title, action, danger: Boolean(typed), fields: typed ? [{ name: "word", label }] : [] },
      isReady: ({ word = "" }) => word === typed,
      submit: async () => answer(true),
      close: () => ((asked.value = null), answer(false)),
    };
    asked.value = html`<${Form} key=${answer} ...${shown}><div>${body}</div><//>`;
  });
}
