// A fact in full: what it says, where it was said, its line through time, and what can be done.
import { get, post } from "../api.js";
import { html, useState } from "../lib.js";
import { nameOf, record } from "../records.js";
import { href } from "../router.js";
import { Pending, useAnswer, useTick } from "../ui/answer.js";
import { Opened } from "../ui/both.js";
import { useKeys } from "../ui/keys.js";
import { Bar, Chip } from "../ui/parts.js";
import { Line, clean } from "../ui/text.js";
import { dateOf, exactly } from "../ui/time.js";
import { Words, act, undo } from "./knowledge-acts.js";
import { CHANGES, periodOf } from "./knowledge-data.js";

const AROUND = 240; // characters before and after a quoted span
const TONES = { replaced: "warn", forgotten: "bad", review: "warn" };
const TRUST = {
  owner: "yours",
  agent: "the agent's",
  group: "of others",
  imported: "of an imported transcript",
};

/** <${Fact} id="f12" hrefOf=${fn} names=${names} />; without an id `hrefOf` is where it is closed. */
export function Fact({ id, hrefOf, names }) {
  const ask = (signal) => get(`/api/facts/${encodeURIComponent(id)}`, {}, { signal });
  const answer = useAnswer(ask, [id], useTick(CHANGES));
  const whole = (fact) => html`<${Whole} ...${{ fact, hrefOf, names }} />`;
  return html`<${Opened} name=${id} close=${hrefOf()} answer=${answer} whole=${whole} />`;
}

function Whole({ fact, hrefOf, names }) {
  const marks = [names.whom(fact), names.project(fact), fact.pinned && "pinned"].filter(Boolean);
  if (fact.slot) marks.push(`${names.slot(fact)}: ${fact.value ?? "?"}`);
  const bar = (value, label) => html`<${Bar} value=${value} label=${label} />`;
  const numbers = [
    ["True", periodOf(fact)],
    ["Confidence", bar(fact.confidence, "confidence"), fact.confidence.toFixed(2)],
    ["Importance", bar(fact.importance / 10, "importance"), `${fact.importance} of 10`],
    ["Whose words", TRUST[fact.trust]],
    ["Recorded", exactly(fact.created_at)],
    ["Asked for", timesOf(fact.access_count)],
  ];
  return html`<div class="fact">
    <p class="fact-text" dir="auto">${clean(fact.text)}</p>
    <p class="chips">
      ${fact.status !== "current" && html`<${Chip} text=${fact.status} tone=${TONES[fact.status]} />`}
      <${Chip} text=${names.kind(fact)} tone="accent" />
      ${marks.map((each) => html`<${Chip} key=${each} text=${each} />`)}
    </p>
    <${Acts} fact=${fact} hasKeys />
    <dl class="fact-numbers">
      ${numbers.map(
        ([name, ...value]) =>
          html`<div key=${name}>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
    ${fact.line.length > 1 && html`<${Through} fact=${fact} hrefOf=${hrefOf} />`}
    <${Source} key=${fact.message_id} fact=${fact} />
    ${fact.history.length > 1 && html`<${Changes} history=${fact.history} />`}
  </div>`;
}

const timesOf = (number) => (number === 1 ? "once" : number ? `${number} times` : "never");

const BUTTONS = {
  accept: { key: "a", label: "Accept", title: "It is true", of: ["review"] },
  confirm: { key: "c", label: "Confirm", title: "It is true for certain", of: ["current"] },
  edit: { key: "e", label: "Edit", of: ["current", "review"] },
  replace: { key: "r", label: "Replace", title: "Something else is true now", of: ["current"] },
  pin: { key: "p", label: "Pin", title: "Never archive it", of: ["current"] },
  restore: { key: "b", label: "Bring back", of: ["replaced", "forgotten", "archived"] },
  forget: { key: "x", label: "Forget", of: ["current", "replaced", "archived", "review"] },
};

/** What can be done with a fact, by buttons; with `hasKeys` by keys as well. */
export function Acts({ fact, hasKeys = false }) {
  const [way, setWay] = useState(null);
  const isFit = (name) =>
    BUTTONS[name].of.includes(fact.status) && (name !== "confirm" || fact.confidence < 1);
  const run = (name) => {
    if (!isFit(name)) return false;
    if (name === "edit" || name === "replace") setWay(name);
    else act(name, fact);
  };
  const labelOf = (name) =>
    ({ pin: fact.pinned && "Unpin", forget: fact.status === "review" && "Reject" })[name] ||
    BUTTONS[name].label;
  return html`<div class="acts" role="group" aria-label="What to do with ${fact.id}">
    ${Object.keys(BUTTONS)
      .filter(isFit)
      .map(
        (name) =>
          html`<button
            key=${name}
            class="button small ${name === "accept" ? "primary" : ""}"
            title=${BUTTONS[name].title}
            onClick=${() => run(name)}
          >
            ${labelOf(name)} ${hasKeys && html`<kbd aria-hidden="true">${BUTTONS[name].key}</kbd>`}
          </button>`,
      )}
    ${hasKeys && html`<${ActKeys} run=${run} />`}
    ${way && html`<${Words} way=${way} fact=${fact} close=${() => setWay(null)} />`}
  </div>`;
}

function ActKeys({ run }) {
  const ways = Object.entries(BUTTONS).map(([name, { key, label }]) => [
    key,
    [label.toLowerCase(), () => run(name)],
  ]);
  useKeys("What is open", { ...Object.fromEntries(ways), u: ["take it back", undo] });
  return null;
}

/** Return the message that says a fact; null where it is gone or the fact is by hand. */
async function messageOf(fact, signal) {
  if (!fact.message_id) return null;
  const body = { ids: [fact.message_id], max_tokens: null };
  const { found } = await post("/api/memory/get", body, { signal });
  return found[0]?.record ?? null;
}

function Source({ fact }) {
  const { value: message, error } = useAnswer((signal) => messageOf(fact, signal), []);
  const session = fact.session_id ? record(nameOf.session(fact.session_id)).value : null;
  if (message === undefined) return html`<${Pending} error=${error} />`;
  const title = session?.title ?? session?.session_key ?? "its session";
  return html`<section>
    <h3 class="record-label">Where it was said</h3>
    ${
      message
        ? html`<blockquote class="quote" dir="auto">
              <${Quoted} text=${message.text} fact=${fact} />
            </blockquote>
            <p class="small soft">
              ${clean(message.name ?? message.role)}, ${exactly(message.created_at)}, in${" "}
              <a class="link" href=${href("sessions", [fact.session_id], { at: message.seq })}>
                <bdi>${clean(title)}</bdi>
              </a>
            </p>`
        : html`<p class="soft">${fact.start === null ? "By hand." : "The message is gone."}</p>`
    }
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
  return html`<section>
    <h3 class="record-label">Through time</h3>
    <ol class="line-through">
      ${fact.line.map(
        (each) =>
          html`<li
            key=${each.id}
            class=${each.status}
            aria-current=${each.id === fact.id ? "true" : null}
          >
            <span class="small soft">${periodOf(each)}</span>
            <a class="way" href=${hrefOf(each.id)} dir="auto">${clean(each.text)}</a>
          </li>`,
      )}
    </ol>
  </section>`;
}

function Changes({ history }) {
  return html`<details class="changes">
    <summary class="small">${history.length} changes</summary>
    ${history.map(
      (each) =>
        html`<div key=${each.version}>
          <span class="small">
            <b>${each.action}</b>${each.replaced_by && ` for ${each.replaced_by}`},
            ${dateOf(each.at)}${each.actor && html`, by <bdi>${clean(each.actor)}</bdi>`}
          </span>
          <${Line} text=${each.text} />
        </div>`,
    )}
  </details>`;
}
