// Filters: what a view shows, kept in the address.
import { html, useRef } from "../lib.js";
import { amend, route } from "../router.js";
import { useKeys } from "./keys.js";
import { Select, pairsOf } from "./parts.js";

/** Return the options of a Select: all, or one of those that have a name. */
export const named = (all, names) => [["", all], ...names.map((each) => [each, each])];

/**
 * <${Filters} of=${[["kind", "Kind", KINDS, Choice]]}>…</>
 *
 * @param of [name in the address, label, options, Choice or Select, what changes with it]; without
 *     a choice, none.
 */
export function Filters({ label = "Filters", of, first, children }) {
  return html`<div class="filters" role="group" aria-label=${label}>
    ${first}
    ${of.map(([name, label, options, Kind = Select, others = {}]) => {
      const value = route.value.query[name] ?? "";
      const onChange = (to) => amend({ ...others, [name]: to });
      const pairs = pairsOf(options);
      const all = pairs.some(([each]) => each === value) ? pairs : [...pairs, [value, value]];
      return all.length > 1 && html`<${Kind} ...${{ label, value, options: all, onChange }} />`;
    })}
    ${children}
  </div>`;
}

/** A text of the address: <${Box} name="q" hint="Words" />; `/` leads to the one of a search. */
export function Box({ name, hint, label = hint, type = "search", ...more }) {
  const box = useRef();
  const focus = () => type === "search" && (box.current.focus(), box.current.select());
  const onKeyDown = (event) => {
    if (event.key === "Escape") box.current.blur();
    // Who opened the view by a key is in the box already.
    if (type === "search" && event.key === "/" && !box.current.value) event.preventDefault();
  };
  useKeys("This view", { "/": [type === "search" ? "to the box" : "", focus] });
  // Of the address and no property: what is typed meanwhile is not taken back.
  return html`<input
    ...${{ type, "aria-label": label, placeholder: hint, value: route.value.query[name] ?? "" }}
    ref=${box}
    data-first
    dir="auto"
    autocomplete="off"
    spellcheck=${false}
    onKeyDown=${onKeyDown}
    onInput=${(event) => amend({ [name]: event.target.value })}
    ...${more}
  />`;
}
