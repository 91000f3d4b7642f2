// What a component asks the server for while it is shown.
import { useEffect, useState } from "../lib.js";

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
