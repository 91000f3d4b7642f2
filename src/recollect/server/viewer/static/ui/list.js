// A list of which only what is in sight is in the page: 100,000 rows scroll like 100.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../lib.js";
import { useKeys } from "./keys.js";

const AROUND_PX = 700;
const STEP_PX = 250;
const SETTLE_MS = [50, 200, 500];

/**
 * <${List} label="Messages" items=${items} keyOf=${fn} row=${fn} />
 *
 * @param items All of them, in their order; another array where they are others.
 * @param keyOf Returns the key of an item: a text that never changes.
 * @param row Returns html of an item. It is asked again where the item is another object, is
 *     selected or not any more, or where `stamp` is another value.
 * @param estimate Returns about how many pixels an item is high; it is measured when it is shown.
 * @param isHead Whether an item is a heading between others: it is not selected.
 * @param selected The key of the selected item; null for none.
 * @param goal The key of an item that is brought into sight, also where it comes in later.
 * @param onSelect Called with the key that j, k, arrows or a click chose.
 * @param onOpen Called with the item on Enter.
 * @param onEnd Called when the end comes into sight.
 * @param foot Html after the last item.
 */
export function List(props) {
  const { label, items, keyOf, row, stamp, foot, isHead = () => false, onEnd } = props;
  const { estimate = () => 64, selected = null } = props;
  const box = useRef();
  const kept = useRef({ heights: new Map(), rows: new Map() }).current;
  const [view, setView] = useState({ top: 0, height: 800 });
  const sums = useMemo(
    () => new Sums(items.map((item) => kept.heights.get(keyOf(item)) ?? estimate(item))),
    [items],
  );
  kept.sums = sums;
  const first = sums.indexAt(view.top - AROUND_PX);
  const end = Math.min(items.length, sums.indexAt(view.top + view.height + AROUND_PX) + 1);
  kept.shown = { first, keys: items.slice(first, end).map(keyOf) };
  const measure = useMeasuring(kept);

  useLayoutEffect(() => {
    const own = box.current; // its last scroll may be heard when it is gone
    const look = () => {
      const { scrollTop, clientHeight: height } = own;
      const top = Math.floor(scrollTop / STEP_PX) * STEP_PX;
      setView((old) => (old.top === top && old.height === height ? old : { top, height }));
    };
    const resized = new ResizeObserver(look);
    resized.observe(own);
    own.addEventListener("scroll", look, { passive: true });
    look();
    return () => resized.disconnect();
  }, []);
  const isAtEnd = end >= items.length;
  useEffect(() => void (isAtEnd && onEnd?.()), [isAtEnd, items.length]);
  useGoal(props, { box, sums });
  useListKeys(props, { box, sums, isHead });

  const rows = new Map();
  const rowOf = (item) => {
    const key = keyOf(item);
    const isSelected = key === selected;
    const old = kept.rows.get(key);
    const is = old && old.item === item && old.isSelected === isSelected && old.stamp === stamp;
    const own = is ? old : { item, isSelected, stamp, node: node(item, key, isSelected) };
    rows.set(key, own);
    return own.node;
  };
  const node = (item, key, isSelected) =>
    html`<div
      key=${key}
      data-key=${key}
      class=${isHead(item) ? "row-head" : `row ${isSelected ? "selected" : ""}`}
      role="listitem"
      aria-current=${isSelected ? "true" : null}
      tabindex=${isHead(item) ? null : isSelected ? 0 : -1}
      ref=${measure}
      onClick=${() => isHead(item) || kept.onSelect?.(key)}
    >
      ${row(item)}
    </div>`;
  kept.onSelect = props.onSelect;
  const space = (pixels) =>
    html`<div class="list-space" style=${{ blockSize: `${pixels}px` }}></div>`;
  const shown = items.slice(first, end).map(rowOf);
  kept.rows = rows;
  return html`<div class="list" ref=${box} role="group" aria-label=${label} tabindex="0">
    ${space(sums.before(first))}
    <div role="list">${shown}</div>
    ${space(sums.before(items.length) - sums.before(end))}${foot}
  </div>`;
}

/** Return {opened, toggle}: the keys of rows that are open, and what opens or closes one. */
export function useOpened() {
  const [opened, setOpened] = useState(() => new Set());
  const toggle = (key) =>
    setOpened((old) => {
      const next = new Set(old);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  return { opened, toggle };
}

/** Heights in a row: where each begins, and which is at a place, in steps of its logarithm. */
class Sums {
  constructor(heights) {
    this.heights = heights;
    this.tree = new Float64Array(heights.length + 1);
    for (let at = 1; at < this.tree.length; at++) {
      this.tree[at] += heights[at - 1];
      const parent = at + (at & -at);
      if (parent < this.tree.length) this.tree[parent] += this.tree[at];
    }
  }

  /** Return where an item begins. */
  before(index) {
    let sum = 0;
    for (let at = index; at > 0; at -= at & -at) sum += this.tree[at];
    return sum;
  }

  /** Return the index of the item at a place; the first or last one beyond them. */
  indexAt(position) {
    let at = 0;
    let step = 1 << Math.floor(Math.log2(this.tree.length || 1));
    for (; step > 0; step >>= 1) {
      if (at + step >= this.tree.length || this.tree[at + step] > position) continue;
      at += step;
      position -= this.tree[at];
    }
    return Math.max(0, Math.min(at, this.heights.length - 1));
  }

  set(index, height) {
    const change = height - this.heights[index];
    this.heights[index] = height;
    for (let at = index + 1; at < this.tree.length; at += at & -at) this.tree[at] += change;
  }
}

/** Return a ref that measures the rows it is given. What is in sight lays itself out. */
function useMeasuring(kept) {
  return useMemo(() => {
    const observer = new ResizeObserver((entries) => {
      for (const { target, borderBoxSize } of entries) {
        const { key } = target.dataset;
        const index = kept.shown.keys.indexOf(key);
        if (!target.isConnected || index < 0) continue;
        kept.heights.set(key, borderBoxSize[0].blockSize);
        kept.sums.set(kept.shown.first + index, borderBoxSize[0].blockSize);
      }
    });
    return (element) => element && observer.observe(element);
  }, []);
}

/** Scroll a row into view at once, and again when heights are measured. */
function useGoal({ items, keyOf, goal = null }, { box, sums }) {
  const index = useMemo(
    () => (goal === null ? -1 : items.findIndex((item) => keyOf(item) === goal)),
    [items, goal],
  );
  useLayoutEffect(() => {
    if (index < 0) return;
    show(box.current, sums, index);
    const name = CSS.escape(goal);
    const settle = () =>
      box.current?.querySelector(`[data-key="${name}"]`)?.scrollIntoView({ block: "nearest" });
    const timers = SETTLE_MS.map((wait) => setTimeout(settle, wait));
    const stop = () => timers.forEach(clearTimeout);
    for (const moved of ["wheel", "touchmove"]) {
      box.current.addEventListener(moved, stop, { once: true, passive: true });
    }
    return stop;
  }, [goal, index < 0]);
}

function useListKeys({ items, keyOf, selected, onSelect, onOpen }, { box, sums, isHead }) {
  const move = (step, from) => {
    let index = from ?? items.findIndex((item) => keyOf(item) === selected) + step;
    index = Math.max(0, Math.min(items.length - 1, index));
    while (items[index] && isHead(items[index])) index += Math.sign(step);
    if (!items[index]) return;
    onSelect?.(keyOf(items[index]));
    show(box.current, sums, index);
  };
  const open = () => {
    if (document.activeElement?.matches("button, a, input, summary")) return false;
    const item = items.find((each) => keyOf(each) === selected);
    return item ? onOpen?.(item) : false;
  };
  useKeys("Lists", {
    j: ["next", () => move(1)],
    k: ["the one before", () => move(-1)],
    ArrowDown: ["", () => move(1)],
    ArrowUp: ["", () => move(-1)],
    Home: ["first", () => move(1, 0)],
    End: ["last", () => move(-1, items.length - 1)],
    Enter: ["open", open],
  });
  // The row that was chosen has the focus, so that Tab goes on from there.
  useEffect(() => {
    const focused = document.activeElement;
    if (selected === null || focused?.matches("input, textarea, select")) return;
    const chosen = box.current.querySelector(".row.selected");
    if (chosen && !chosen.contains(focused)) chosen.focus({ preventScroll: true });
  }, [selected]);
}

function show(box, sums, index) {
  const edge = 48;
  if (sums.before(index) < box.scrollTop + edge) box.scrollTop = sums.before(index) - edge;
  const bottom = sums.before(index + 1) + edge;
  if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}
