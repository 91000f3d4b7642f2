// A list, and beside it what is open of it.
import { html, useState } from "../lib.js";
import { go } from "../router.js";
import { Pending } from "./answer.js";
import { IconButton } from "./icon.js";
import { useKeys } from "./keys.js";
import { List } from "./list.js";
import { Copy } from "./parts.js";
import { clean } from "./text.js";

/**
 * <${Both} answer=${answer} rows=${rows} hrefOf=${fn} id="f12" …>html of what is open</>
 *
 * @param answer What the rows are of, as useAnswer has it.
 * @param rows [{id, …}]; a heading has `head`: its html.
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
  const list = {
    items: rows,
    keyOf: (each) => each.id,
    estimate: (each) => (each.head ? 46 : size),
    isHead: (each) => Boolean(each.head),
    selected: id ?? chosen,
    onSelect: id ? open : setChosen,
    onOpen: (each) => open(each.id),
    row: (each) =>
      each.head
        ? html`<h2 class="group"><bdi>${each.head}</bdi></h2>`
        : html`<a class="way stack" href=${hrefOf(each.id)} tabindex="-1">${row(each)}</a>`,
  };
  const instead = answer.value ? nothing : html`<${Pending} ...${answer} />`;
  return html`<div class="both">
    ${
      answer.value && rows.length
        ? html`<${List} ...${more} ...${list} />`
        : html`<div class="list">${instead}</div>`
    }
    ${children}
  </div>`;
}

/** Return rows with a heading before each run of the same key: {id, head} of its first row. */
export const grouped = (rows, keyOf, headOf = keyOf) =>
  rows.flatMap((row, at) => {
    const isSame = at > 0 && keyOf(row) === keyOf(rows[at - 1]);
    return isSame ? [row] : [{ id: `head/${row.id}`, head: headOf(row) }, row];
  });

/**
 * What is open: <${Opened} name="f12" close="#/…" answer=${answer} whole=${fn} />.
 *
 * @param label Its name for a screen reader.
 * @param head Html at the beginning of its first line; else its name.
 * @param close The address without it.
 * @param whole Returns html of the value of the answer.
 */
export function Opened({ name, label = `Opened: ${name}`, head, close, answer, whole }) {
  const leave = () => go(close);
  useKeys("What is open", { Escape: ["close", leave] });
  return html`<aside class="opened" aria-label=${label}>
    <header>
      ${head ?? html`<b>${clean(name)}</b>`}
      <span class="gap"></span>
      <${Copy} text=${location.href} label="Copy the link" icon="link" />
      <${IconButton} icon="close" label="Close" title="Close: Esc" act=${leave} />
    </header>
    <div class="opened-body" tabindex="0" role="article" aria-label=${label}>
      ${answer.value ? whole(answer.value) : html`<${Pending} ...${answer} />`}
    </div>
  </aside>`;
}
