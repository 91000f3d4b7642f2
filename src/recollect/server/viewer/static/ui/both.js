// A list, and beside it what is open of it.
import { html, useState } from "../lib.js";
import { go } from "../router.js";
import { Pending } from "./answer.js";
import { Icon } from "./icon.js";
import { useKeys } from "./keys.js";
import { List } from "./list.js";
import { clean } from "./text.js";
import { Copy } from "./parts.js";

/**
 * <${Both} answer=${answer} rows=${rows} hrefOf=${fn} id="f12" …>html of what is open</>
 *
 * @param answer What the rows are of, as useAnswer has it.
 * @param rows [{id, …}]; a heading has `head`: its text.
 * @param nothing Html that stands in place of the list where it has no rows.
 * @param hrefOf Returns the address at which a row is open.
 * @param id Of what is open; none where nothing is.
 * @param row Returns html of a row that is no heading, as List has it.
 * @param size About how many pixels high such a row is.
 * @param more What List takes besides: label, onEnd, foot.
 */
export function Both({ answer, rows, nothing, hrefOf, id, row, size, children, ...more }) {
  const [chosen, setChosen] = useState(null);
  const open = (each) => go(hrefOf(each), { replace: Boolean(id) });
  if (!answer.value || !rows.length) {
    const instead = answer.value ? nothing : html`<${Pending} ...${answer} />`;
    return html`<div class="both">
      <div class="list">${instead}</div>
      ${children}
    </div>`;
  }
  return html`<div class="both">
    <${List}
      ...${more}
      items=${rows}
      keyOf=${(each) => each.id}
      estimate=${(each) => (each.head ? 46 : size)}
      isHead=${(each) => Boolean(each.head)}
      selected=${id ?? chosen}
      onSelect=${(each) => (id ? open(each) : setChosen(each))}
      onOpen=${(each) => open(each.id)}
      row=${(each) =>
        each.head
          ? html`<h2 class="group"><bdi>${clean(each.head)}</bdi></h2>`
          : html`<a class="way" href=${hrefOf(each.id)} tabindex="-1">${row(each)}</a>`}
    />
    ${children}
  </div>`;
}

/**
 * What is open: <${Opened} name="f12" close="#/…" answer=${answer} whole=${fn} />.
 *
 * @param close The address without it.
 * @param whole Returns html of the value of the answer.
 */
export function Opened({ name, close, answer, whole }) {
  const leave = () => go(close);
  useKeys("What is open", { Escape: ["close", leave] });
  return html`<aside class="opened" aria-label="Opened: ${name}">
    <header>
      <b>${clean(name)}</b>
      <span class="gap"></span>
      <${Copy} text=${location.href} label="Copy the link" />
      <button class="icon-button" aria-label="Close" title="Close: Esc" onClick=${leave}>
        <${Icon} name="close" />
      </button>
    </header>
    <div class="opened-body">
      ${answer.value ? whole(answer.value) : html`<${Pending} ...${answer} />`}
    </div>
  </aside>`;
}
