// A list of which only what is in sight is in the page: 100,000 rows scroll like 100.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../lib.js";
import { useKeys } from "./keys.js";

const AROUND_PX = 600;

/**
 * <${List} label="Messages" items=${items} keyOf=${fn} row=${fn} />
 *
 * @param items All of them, in their order.
 * @param keyOf Returns the key of an item: a text that never changes.
 * @param row Returns html of an item: row(item, {isSelected}).
 * @param estimate Returns about how many pixels an item is high; it is measured when it is shown.
 * @param isHead Whether an item is a heading between others: it is not selected.
 * @param selected The key of the selected item; null for none.
 * @param onSelect Called with the key that j, k, arrows or a click chose.
 * @param onOpen Called with the item on Enter.
 * @param onEnd Called when the end comes into sight.
 * @param onTop Called with whether the first row is in sight.
 * @param foot Html after the last item.
 */
export function List(props) {
  const { label, items, keyOf, row, foot, isHead = () => false, onEnd, onTop } = props;
  const { estimate = () => 64, selected = null } = props;
  const box = useRef();
  const heights = useRef(new Map());
  const [measured, setMeasured] = useState(0);
  const [view, setView] = useState({ top: 0, height: 800 });
  const offsets = useMemo(
    () => offsetsOf(items, keyOf, estimate, heights.current),
    [items, measured],
  );
  const first = indexAt(offsets, view.top - AROUND_PX);
  const last = Math.min(items.length, indexAt(offsets, view.top + view.height + AROUND_PX) + 1);
  const observer = useMeasuring(heights.current, () => setMeasured((number) => number + 1));

  useLayoutEffect(() => {
    const look = () => {
      const { scrollTop: top, clientHeight: height } = box.current;
      setView((old) => (old.top === top && old.height === height ? old : { top, height }));
    };
    const resized = new ResizeObserver(look);
    resized.observe(box.current);
    box.current.addEventListener("scroll", look, { passive: true });
    look();
    return () => resized.disconnect();
  }, []);
  const isAtEnd = last >= items.length;
  useEffect(() => void (isAtEnd && onEnd?.()), [isAtEnd, items.length]);
  useEffect(() => onTop?.(view.top < 40), [view.top < 40]);
  useListKeys(props, { box, offsets, isHead });

  const shown = [];
  for (let index = first; index < last; index++) {
    const item = items[index];
    const key = keyOf(item);
    const isSelected = key === selected;
    shown.push(
      html`<div
        key=${key}
        data-key=${key}
        class=${isHead(item) ? "row-head" : `row ${isSelected ? "selected" : ""}`}
        role=${isHead(item) ? "presentation" : "listitem"}
        aria-current=${isSelected ? "true" : null}
        tabindex=${isHead(item) ? null : isSelected ? 0 : -1}
        ref=${observer}
        onClick=${() => isHead(item) || props.onSelect?.(key)}
      >
        ${row(item, { isSelected })}
      </div>`,
    );
  }
  return html`<div class="list" ref=${box} role="list" aria-label=${label} tabindex="0">
    <div class="list-space" style=${{ blockSize: `${offsets[first]}px` }} role="presentation"></div>
    ${shown}
    <div
      class="list-space"
      style=${{ blockSize: `${offsets[items.length] - offsets[last]}px` }}
      role="presentation"
    ></div>
    ${foot}
  </div>`;
}

/** Return where each item begins, and where the last one ends. */
function offsetsOf(items, keyOf, estimate, heights) {
  const offsets = new Float64Array(items.length + 1);
  for (let index = 0; index < items.length; index++) {
    const height = heights.get(keyOf(items[index])) ?? estimate(items[index]);
    offsets[index + 1] = offsets[index] + height;
  }
  return offsets;
}

function indexAt(offsets, position) {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (offsets[middle + 1] <= position) low = middle + 1;
    else high = middle;
  }
  return Math.min(low, offsets.length - 2 < 0 ? 0 : offsets.length - 2);
}

/** Return a ref that measures the rows it is given. */
function useMeasuring(heights, changed) {
  return useMemo(() => {
    const observer = new ResizeObserver((entries) => {
      let is = false;
      for (const { target, borderBoxSize } of entries) {
        if (!target.isConnected) continue;
        const height = borderBoxSize[0].blockSize;
        is ||= heights.get(target.dataset.key) !== height;
        heights.set(target.dataset.key, height);
      }
      if (is) changed();
    });
    return (element) => element && observer.observe(element);
  }, []);
}

function useListKeys({ items, keyOf, selected, onSelect, onOpen }, { box, offsets, isHead }) {
  const move = (step, from) => {
    let index = from ?? items.findIndex((item) => keyOf(item) === selected) + step;
    index = Math.max(0, Math.min(items.length - 1, index));
    while (items[index] && isHead(items[index])) index += Math.sign(step);
    if (!items[index]) return;
    onSelect?.(keyOf(items[index]));
    show(box.current, offsets, index);
  };
  const open = () => {
    if (document.activeElement?.matches("button, a, input, summary")) return false;
    const item = items.find((each) => keyOf(each) === selected);
    return item ? onOpen?.(item) : false;
  };
  const table = {
    j: ["next", () => move(1)],
    k: ["the one before", () => move(-1)],
    ArrowDown: ["", () => move(1)],
    ArrowUp: ["", () => move(-1)],
    Home: ["first", () => move(1, 0)],
    End: ["last", () => move(-1, items.length - 1)],
    Enter: ["open", open],
  };
  useKeys("Lists", table);
  // The row that was chosen has the focus, so that Tab goes on from there.
  useEffect(() => {
    const focused = document.activeElement;
    if (selected === null || focused?.matches("input, textarea, select")) return;
    const rows = [...box.current.querySelectorAll(".row.selected")];
    if (rows[0] && !rows[0].contains(focused)) rows[0].focus({ preventScroll: true });
  }, [selected]);
}

function show(box, offsets, index) {
  const edge = 48;
  if (offsets[index] < box.scrollTop + edge) box.scrollTop = offsets[index] - edge;
  const bottom = offsets[index + 1] + edge;
  if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}
