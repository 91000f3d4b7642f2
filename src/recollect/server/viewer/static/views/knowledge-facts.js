// The facts, by kind, person or project; what is true now, what was, and what was at a time.
import { html } from "../lib.js";
import { amend, href } from "../router.js";
import { Bar, Both, Box, Chip, Choice, Empty, Filters, Icon, clean, count, named } from "../ui.js";
import { MOST, periodOf, useFacts, useNames } from "./knowledge-data.js";
import { Fact } from "./knowledge-fact.js";

const STATES = { "": "True now", replaced: "Past", archived: "Archived", forgotten: "Forgotten" };
const GROUPS = { "": "By kind", whom: "By person", project: "By project", time: "Newest first" };
const NAMES = [
  ["kind", "Kind", "All kinds"],
  ["whom", "About whom", "Everyone"],
  ["project", "Project", "All projects"],
];

/** The facts; as `lists` those that give something a value, what has several values first. */
export function Facts({ part, id, query, hrefOf }) {
  const names = useNames();
  const answer = useFacts({ status: query.status || "current", on: query.on });
  const isLists = part === "lists";
  const by = isLists ? "slot" : query.by || "kind";
  const facts = (answer.value ?? []).filter((fact) => !isLists || fact.slot);
  const rows = rowsOf(facts, query, names, by);
  const row = ({ fact }) => html`<${FactLine} ...${{ fact, names, by }} />`;
  const nothing = Object.keys(query).length ? NO_FIT : NO_FACTS;
  const foot = facts.length >= MOST && html`<${More} words=${query.q} />`;
  return html`
    <${Choices} ...${{ facts, names, by }} />
    <${Both} label="Facts" size=${64} ...${{ answer, rows, row, nothing, foot, id, hrefOf }}>
      ${id && html`<${Fact} key=${id} ...${{ id, hrefOf, names }} />`}
    <//>
  `;
}

function Choices({ facts, names, by }) {
  const valuesOf = (name) => [...new Set(facts.map(names[name]))].filter(Boolean).sort();
  const of = [
    ["status", "State", STATES, Choice, { on: "" }],
    ["by", "Order", by === "slot" ? [] : GROUPS],
    ...NAMES.map(([name, label, all]) => [name, label, named(all, valuesOf(name))]),
  ];
  const onInput = ({ target }) => amend({ on: target.value, status: "" });
  const own = { "data-first": null }; // who comes by a key goes through the facts by keys
  const words = html`<${Box} name="q" hint="Words" ...${own} />`;
  return html`<${Filters} first=${words} of=${of}>
    <label class="flow then small soft">
      as of <${Box} name="on" type="date" label="What was true on" ...${{ ...own, onInput }} />
    </label>
  <//>`;
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
    <span class="fact-where flow wrap soft">
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
