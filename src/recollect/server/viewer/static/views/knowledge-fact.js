// A fact in full: what it says, where it was said, its line through time, and what can be done.
import { post } from "../api.js";
import { html } from "../lib.js";
import { href } from "../router.js";
import { Chip, Line, Opened, Pairs, Pending } from "../ui.js";
import { clean, dateOf, exactly, measure, titleById, useAnswer, useGet, useTick } from "../ui.js";
import { Acts } from "./knowledge-acts.js";
import { CHANGES, periodOf } from "./knowledge-data.js";

const AROUND = 240; // characters before and after a quoted span
const TONES = { replaced: "warn", forgotten: "bad", review: "warn" };
const TRUST = {
  owner: "yours",
  agent: "the agent's",
  group: "of others",
  imported: "of an imported transcript",
};

/** <${Fact} id="f12" hrefOf=${fn} names=${names} />; `hrefOf()` is where it is closed. */
export function Fact({ id, hrefOf, names }) {
  const answer = useGet(`/api/facts/${encodeURIComponent(id)}`, {}, useTick(CHANGES));
  const whole = (fact) => html`<${Whole} ...${{ fact, hrefOf, names }} />`;
  return html`<${Opened} name=${id} close=${hrefOf()} ...${{ answer, whole }} />`;
}

function Whole({ fact, hrefOf, names }) {
  const { status, confidence, importance, access_count: times } = fact;
  const slot = fact.slot && `${names.slot(fact)}: ${fact.value ?? "?"}`;
  const marks = [names.whom(fact), names.project(fact), fact.pinned && "pinned", slot];
  const numbers = [
    ["True", periodOf(fact)],
    ["Confidence", measure(confidence, "confidence")],
    ["Importance", measure(importance / 10, "importance", `${importance} of 10`)],
    ["Whose words", TRUST[fact.trust]],
    ["Recorded", exactly(fact.created_at)],
    ["Asked for", times === 1 ? "once" : times ? `${times} times` : "never"],
  ];
  return html`<div class="stack wide">
    <p class="large" dir="auto">${clean(fact.text)}</p>
    <p class="flow wrap">
      ${status !== "current" && html`<${Chip} text=${status} tone=${TONES[status]} />`}
      <${Chip} text=${names.kind(fact)} tone="accent" />
      ${marks.filter(Boolean).map((each) => html`<${Chip} key=${each} text=${each} />`)}
    </p>
    <${Acts} fact=${fact} hasKeys />
    <${Pairs} of=${numbers} />
    ${fact.line.length > 1 && html`<${Through} fact=${fact} hrefOf=${hrefOf} />`}
    <${Source} key=${fact.message_id} fact=${fact} />
    ${fact.history.length > 1 && html`<${Changes} history=${fact.history} />`}
  </div>`;
}

/** Return the message that says a fact; null where it is gone or the fact is by hand. */
async function messageOf(fact, signal) {
  if (!fact.message_id) return null;
  const body = { ids: [fact.message_id], max_tokens: null };
  const { found } = await post("/api/memory/get", body, { signal });
  return found[0]?.record ?? null;
}

function Source({ fact }) {
  const answer = useAnswer((signal) => messageOf(fact, signal), []);
  const { value: message } = answer;
  if (message === undefined) return html`<${Pending} ...${answer} />`;
  const said = () => html`
    <blockquote class="quote soft" dir="auto">
      <${Quoted} text=${message.text} fact=${fact} />
    </blockquote>
    <p class="small soft">
      ${clean(message.name ?? message.role)}, ${exactly(message.created_at)}, in${" "}
      <a class="link" href=${href("sessions", [fact.session_id], { at: message.seq })}>
        <bdi>${titleById(fact.session_id, "its session")}</bdi>
      </a>
    </p>
  `;
  const unsaid = fact.start === null ? "By hand." : "The message is gone.";
  return html`<section>
    <h3 class="record-label">Where it was said</h3>
    ${message ? said() : html`<p class="soft">${unsaid}</p>`}
  </section>`;
}

/** The quoted span, marked, with what is around it. The offsets count characters, not units. */
function Quoted({ text, fact }) {
  const all = Array.from(text);
  const [start, end] = [fact.start ?? 0, fact.end ?? 0];
  const of = (from, to) => clean(all.slice(Math.max(0, from), to).join(""));
  return [
    start > AROUND && "…",
    of(start - AROUND, start),
    html`<mark>${of(start, end)}</mark>`,
    of(end, end + AROUND),
    end + AROUND < all.length && "…",
  ];
}

/** The line of a value through time: what made way for what. */
function Through({ fact, hrefOf }) {
  const moment = (each) => {
    const own = { key: each.id, class: each.status, "aria-current": each.id === fact.id || null };
    return html`<li ...${own}>
      <span class="small soft">${periodOf(each)}</span>
      <a class="way stack" href=${hrefOf(each.id)} dir="auto">${clean(each.text)}</a>
    </li>`;
  };
  return html`<section>
    <h3 class="record-label">Through time</h3>
    <ol class="line-through">
      ${fact.line.map(moment)}
    </ol>
  </section>`;
}

function Changes({ history }) {
  const change = ({ version, action, replaced_by: by, at, actor, text }) =>
    html`<div key=${version}>
      <span class="small">
        <b>${action}</b>${by && ` for ${by}`}, ${dateOf(at)}
        ${actor && html`, by <bdi>${clean(actor)}</bdi>`}
      </span>
      <${Line} text=${text} />
    </div>`;
  return html`<details class="changes">
    <summary class="small">${history.length} changes</summary>
    ${history.map(change)}
  </details>`;
}
