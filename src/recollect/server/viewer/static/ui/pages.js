// A list that comes from the server in pages.
import { useEffect, useRef, useState } from "../lib.js";

/**
 * Return {rows, error, more, again, isBusy} of a list, and what else its last page has; rows are
 * null before the first answer.
 *
 * @param ask ask(cursor, signal) resolves to {rows, cursor} of a page, the first without a cursor.
 * @param inputs Of another question, which is asked `wait` ms after they changed.
 */
export function usePages(ask, inputs, wait = 0) {
  const [state, setState] = useState({ rows: null });
  const [isBusy, setBusy] = useState(false);
  const ending = useRef(null);
  const load = async (cursor, rows) => {
    ending.current?.abort();
    const { signal } = (ending.current = new AbortController());
    setBusy(true);
    try {
      const page = await ask(cursor, signal);
      if (!signal.aborted) setState({ ...page, rows: [...rows, ...page.rows] });
    } catch (error) {
      if (!signal.aborted) setState({ rows: null, error });
    }
    if (!signal.aborted) setBusy(false);
  };
  const again = () => load(null, []);
  useEffect(() => {
    const timer = setTimeout(again, state.rows?.length ? wait : 0);
    return () => (clearTimeout(timer), ending.current?.abort());
  }, inputs);
  return { ...state, isBusy, more: () => state.cursor && load(state.cursor, state.rows), again };
}
