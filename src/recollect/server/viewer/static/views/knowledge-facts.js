// The facts, by kind, person or project; what is true now, what was, and what was at a time.
import { html } from "../lib.js";
import { href } from "../router.js";
import { Bar, Both, Chip, Choice, Empty, Icon, Select, clean, count, useKeys } from "../ui.js";
import { MOST, periodOf, useFacts, useNames } from "./knowledge-data.js";
import { Fact } from "./knowledge-fact.js";

const STATES = { "": "True now", replaced: "Past", archived: "Archived", forgotten: "Forgotten" };
const GROUPS = { kind: "By kind", whom: "By person", project: "By project", time: "Newest first" };
const NAMES = [
  ["kind", "Kind", "All kinds"],
  ["whom", "About whom", "Everyone"],
  ["project", "Project", "All projects"],
];

/** The facts; as `lists` those that give something a value, what has several values first. */
export function Facts({ part, id, query, hrefOf, set }) {
  const names = useNames();
  const answer = useFacts({ status: query.status || "current", on: query.on });
  const isLists = part === "lists";
  const by = isLists ? "slot" : (query.by ?? "kind");
  const facts = (answer.value ?? []).filter((fact) => !isLists || fact.slot);
  const rows = rowsOf(facts, query, names, by);
  const row = ({ fact }) => html`<${FactLine} ...${{ fact, names, by }} />`;
  const nothing = Object.keys(query).length ? NO_FIT : NO_FACTS;
  const foot = facts.length >= MOST && html`<${More} words=${query.q} />`;
  useKeys("Facts", { "/": ["to the box", () => document.querySelector(".words").focus()] });
  return html`
    <${Filters} ...${{ query, set, facts, names, by }} />
    <${Both} label="Facts" size=${64} ...${{ answer, rows, row, nothing, foot, id, hrefOf }}>
      ${id && html`<${Fact} key=${id} ...${{ id, hrefOf, names }} />`}
    <//>
  `;
}

function Filters({ query, set, facts, names, by }) {
  const select = ([name, label, all]) => {
    const { [name]: value = "" } = query;
    const values = [...new Set([...facts.map(names[name]), value])].filter(Boolean).sort();
    const options = [["", all], ...values.map((each) => [each, each])];
    const onChange = (chosen) => set({ [name]: chosen });
    return html`<${Select} key=${name} ...${{ label, value, options, onChange }} />`;
  };
  const order = {
    value: by,
    options: Object.entries(GROUPS),
    onChange: (value) => set({ by: value }),
  };
  const state = { options: Object.entries(STATES), onChange: (status) => set({ status, on: "" }) };
  return html`<div class="filters" role="group" aria-label="Filters">
    <input
      class="words"
      type="search"
      aria-label="Words of the facts"
      placeholder="Words"
      autocomplete="off"
      dir="auto"
      value=${query.q ?? ""}
      onInput=${(event) => set({ q: event.target.value })}
      onKeyDown=${(event) => event.key === "Escape" && event.target.blur()}
    />
    <${Choice} label="State" value=${query.status ?? ""} ...${state} />
    <label class="then small soft">
      as of
      <input
        class="words"
        type="date"
        aria-label="What was true on"
        value=${query.on ?? ""}
        onChange=${(event) => set({ on: event.target.value, status: "" })}
      />
    </label>
    ${by !== "slot" && html`<${Select} label="Order" ...${order} />`} ${NAMES.map(select)}
  </div>`;
}

/** Return the facts that fit, below a heading for each group: {id, head} or {id, fact}. */
function rowsOf(facts, query, names, by) {
  const words = (query.q ?? "").toLowerCase().split(/\s+/);
  const fits = (fact) => {
    const whole = `${fact.id} ${fact.text} ${fact.value} ${names.whom(fact)}`.toLowerCase();
    return (
      words.every((word) => whole.includes(word)) &&
      NAMES.every(([name]) => !query[name] || names[name](fact) === query[name])
    );
  };
  const rows = (some) => some.map((fact) => ({ id: fact.id, fact }));
  const own = facts.filter(fits);
  if (!names[by]) return rows(own);
  const groups = [...Map.groupBy(own, names[by])];
  const isMore = ([, a], [, b]) => (by === "slot" ? b.length - a.length : 0);
  groups.sort((a, b) => isMore(a, b) || a[0].localeCompare(b[0]));
  return groups.flatMap(([name, some]) => [
    { id: `head/${name}`, head: clean(`${name || "No project"} · ${count(some.length)}`) },
    ...rows(some),
  ]);
}

/** What a fact says, and below it all that its heading does not say. */
export function FactLine({ fact, names, by = "" }) {
  const marks = ["kind", "whom", "project", "slot"].filter((name) => name !== by);
  const chips = marks.map((name) => [name, names[name](fact)]).filter(([, text]) => text);
  const isSure = fact.confidence === 1;
  return html`<span class="fact-line" dir="auto">${clean(fact.text)}</span>
    <span class="fact-where">
      ${fact.pinned && html`<span title="pinned"><${Icon} name="pin" /></span>`}
      ${chips.map(([name, text]) => html`<${Chip} key=${name} text=${text} />`)}
      <span class="time">${periodOf(fact)}</span>
      ${!isSure && html`<${Bar} value=${fact.confidence} label="confidence" />`}
    </span>`;
}

const More = ({ words }) =>
  html`<p class="soft small">
    Only the newest are listed.
    <a class="link" href=${href("search", [], { q: words, source: "facts" })}>Search in all</a>
  </p>`;

const NO_FIT = html`<${Empty} title="Nothing fits" icon="filter">
  <a class="link" href=${href("knowledge", ["facts"])}>Show all that is true now</a>
<//>`;
const NO_FACTS = html`<${Empty} title="Nothing is known yet" icon="knowledge">
  Facts are read off what you say; <code>recollect remember "…"</code> adds one by hand.
<//>`;
