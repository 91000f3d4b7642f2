// Keys: what is mounted says which it takes; `?` lists them.
import { signal, useLayoutEffect, useRef } from "../lib.js";

const SEQUENCE_MS = 5_000; // long enough for slow hands
/** All that are taken now: [{keys, label, act, group}], the newest last; some have no label. */
export const bindings = signal([]);

let before = "";
let pressedAt = 0;

/**
 * Take keys while a component is mounted.
 *
 * @param group What the help lists them under.
 * @param table {"j": ["next", act], "g l": ["go to Live", act]}; `act(event)` returns false where
 *     it leaves the key to others.
 */
export function useKeys(group, table) {
  const latest = useRef(table);
  latest.current = table;
  // At once: what is shown takes its keys.
  useLayoutEffect(() => {
    const own = Object.entries(table).map(([keys, [label]]) => {
      return { keys, label, group, act: (event) => latest.current[keys][1](event) };
    });
    bindings.value = [...bindings.peek(), ...own];
    return () => (bindings.value = bindings.peek().filter((each) => !own.includes(each)));
  }, []);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const sequence = event.timeStamp - pressedAt < SEQUENCE_MS ? `${before} ${event.key}` : "";
  before = event.key;
  pressedAt = event.timeStamp;
  if (run(sequence, event) || run(event.key, event)) event.preventDefault();
});

function run(keys, event) {
  const fitting = bindings.peek().filter((each) => each.keys === keys);
  const is = fitting.reverse().some((each) => each.act(event) !== false);
  if (is && keys.includes(" ")) before = "";
  return is;
}

function isTyping(target) {
  if (target.isContentEditable || target.matches("textarea, select")) return true;
  return target.matches("input") && !["checkbox", "radio", "range"].includes(target.type);
}
