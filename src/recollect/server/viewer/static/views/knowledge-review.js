// The review: what waits for the owner's yes, what is least certain, and what was left open.
import { html, useState } from "../lib.js";
import { href } from "../router.js";
import { Empty, Pending, count } from "../ui.js";
import { Acts } from "./knowledge-acts.js";
import { useFacts, useNames } from "./knowledge-data.js";
import { FactLine } from "./knowledge-facts.js";
import { Proposals, useProposals } from "./knowledge-people.js";

const STEP = 8;

export function Review() {
  const waiting = useFacts({ status: "review" });
  const current = useFacts();
  const proposals = useProposals();
  const names = useNames();
  const missing = [waiting, current].find(({ value }) => !value);
  if (missing) return html`<${Pending} ...${missing} />`;
  const claims = proposals.value?.proposals ?? [];
  const unsure = current.value.filter(({ confidence }) => confidence < 1);
  const open = current.value.filter(({ kind }) => kind === "open_end");
  unsure.sort((a, b) => a.confidence - b.confidence);
  if (![waiting.value, claims, unsure, open].some((each) => each.length)) {
    return html`<${Empty} title="Nothing to review" icon="fact">
      What an agent says of you, and what is uncertain, waits here for your word.
    <//>`;
  }
  return html`<div class="scroll">
    <${Section} title="Waiting for your yes" facts=${waiting.value} names=${names}>
      An agent said it of a person; no search has it before you accept it.
    <//>
    <${Proposals} claims=${claims} again=${proposals.again} />
    <${Section} title="Least certain" facts=${unsure} names=${names}>
      Read off what was said. What you confirm is certain.
    <//>
    <${Section} title="Left open" facts=${open} names=${names}>Forget what is done.<//>
  </div>`;
}

function Section({ title, facts, names, children }) {
  const [most, setMost] = useState(STEP);
  if (!facts.length) return null;
  const card = (fact) =>
    html`<div class="card stack" key=${fact.id}>
      <a class="way stack" href=${href("knowledge", ["facts", fact.id])}>
        <${FactLine} fact=${fact} names=${names} />
      </a>
      <${Acts} fact=${fact} />
    </div>`;
  const more = html`<button class="quiet" onClick=${() => setMost(most + 5 * STEP)}>
    Show more of ${count(facts.length)}
  </button>`;
  return html`<section class="review stack" aria-label=${title}>
    <h2>${title} · ${count(facts.length)}</h2>
    <p class="soft small">${children}</p>
    ${facts.slice(0, most).map(card)} ${facts.length > most && more}
  </section>`;
}
