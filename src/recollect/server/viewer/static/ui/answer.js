// What a component asks the server for while it is shown.
import { get } from "../api.js";
import { listen } from "../events.js";
import { html, useEffect, useState } from "../lib.js";
import { Loading, Problem } from "./page.js";

const GATHER_MS = 150;

/**
 * Return {value, error, again}: the answer to `ask(signal)`, asked when it is shown.
 *
 * @param inputs Of another question: its answer stands alone, the one before goes at once.
 * @param tick Of the same question asked again: what is shown stays until the answer is there.
 */
export function useAnswer(ask, inputs, tick = 0) {
  const [answer, setAnswer] = useState({});
  const [tries, setTries] = useState(0);
  const asked = JSON.stringify(inputs);
  useEffect(() => {
    const ending = new AbortController();
    ask(ending.signal).then(
      (value) => setAnswer({ asked, value }),
      (error) => error.name !== "AbortError" && setAnswer({ asked, error }),
    );
    return () => ending.abort();
  }, [asked, tick, tries]);
  const again = () => setTries((number) => number + 1);
  return answer.asked === asked ? { ...answer, again } : { again };
}

/** Return the answer to a GET of a path, as useAnswer has it. */
export const useGet = (path, query = {}, tick = 0) =>
  useAnswer((signal) => get(path, query, { signal }), [path, query], tick);

/** Return a number that grows a moment after an event whose type fits: a tick for useAnswer. */
export function useTick(types) {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    let timer = 0;
    const grow = () => ((timer = 0), setTick((number) => number + 1));
    const end = listen(({ type }) => types.test(type) && (timer ||= setTimeout(grow, GATHER_MS)));
    return () => (clearTimeout(timer), end());
  }, []);
  return tick;
}

/** What stands for an answer that is not there: <${Pending} ...${answer} />. */
export const Pending = ({ error, again }) =>
  error ? html`<${Problem} error=${error} retry=${again} />` : html`<${Loading} />`;
