// Erase: choose what, see what would go, type a word, and get a receipt of what went.
import { post } from "../api.js";
import { html, useEffect, useRef, useState } from "../lib.js";
import { amend, go, href, route as address } from "../router.js";
import { Choice, Line, Page, Problem, Section, Sentence, Sheet } from "../ui.js";
import { brief, bytes, confirm, count, dayOf, exactly, sessionOf, titleById } from "../ui.js";
import { useGet, useProjects } from "../ui.js";

const KINDS = { "": "What was said or done", fact: "One fact" };
const MOST_SHOWN = 12;
const NOUNS = {
  contents: "kept contents of files",
  pending_messages: "messages that wait",
  identities: "linked accounts",
  injections: "context blocks",
};

export default function Erase({ route }) {
  const { query } = route;
  const value = query.fact === undefined ? "" : "fact";
  const { plan, receipt, error, isBusy, preview, erase } = useErasure(query);
  const onChange = (kind) => go(kind ? "#/erase?fact=" : "#/erase", { replace: true });
  const fact = html`<${Field} name="fact" label="Fact" hint="f12" />`;
  const submit = (event) => (event.preventDefault(), preview());
  const lead = "From every file of the memory, for good. What is only forgotten can come back.";
  return html`<${Page} class="erase" title="Erase" lead=${lead}>
    <${Sheet} label="Erase">
      <form class="erase-form stack" onSubmit=${submit}>
        <${Choice} label="What" options=${KINDS} ...${{ value, onChange }} />
        ${value ? fact : html`<${Selectors} query=${query} />`}
        <div class="flow wrap">
          <button class="button primary" disabled=${isBusy || !orderOf(query)}>Preview</button>
          <span class="soft small">It changes nothing.</span>
        </div>
      </form>
      <div role="status">
        ${error && html`<${Problem} error=${error} />`}
        ${plan && html`<${Plan} ...${{ plan, isBusy, erase, query }} />`}
        ${receipt && html`<${Receipt} receipt=${receipt} />`}
      </div>
    <//>
  <//>`;
}

/** Return the order of an address; null where nothing is selected. */
function orderOf({ fact, session, user, project, since, until, q, forks }) {
  if (fact !== undefined) return fact.trim() ? { fact: fact.trim() } : null;
  const trimmed = (text) => text?.trim() || null;
  const moment = (text) => (text ? Date.parse(text) : null);
  const order = {
    session: trimmed(session),
    user_id: trimmed(user),
    project: trimmed(project),
    since: moment(since),
    until: moment(until),
    query: q || null,
  };
  if (Object.values(order).every((value) => value === null)) return null;
  return { ...order, with_forks: forks === "yes" };
}

/** Return the plan and the receipt of an address; what is of another one is not shown. */
function useErasure(query) {
  const order = orderOf(query);
  const asked = JSON.stringify(order);
  const [state, setState] = useState({});
  const [isBusy, setBusy] = useState(false);
  const ask = async (more, name) => {
    setBusy(true);
    try {
      setState({ asked, [name]: await post("/api/erase", { ...order, ...more }) });
    } catch (error) {
      setState({ asked, error });
    }
    setBusy(false);
  };
  const preview = () => order && ask({ dry_run: true }, "plan");
  const erase = async () => {
    const sum = partsOf(state.plan).map(([number, noun]) => `${count(number)} ${noun}`);
    const is = await confirm({
      title: "Erase this for good?",
      body: `${sum.join(", ")}. No byte of it is left in the memory, and nothing brings it back.`,
      action: "Erase",
      typed: "erase",
    });
    if (is) await ask({ plan_id: state.plan.plan_id }, "receipt");
  };
  useEffect(() => void preview(), []);
  return { ...(state.asked === asked ? state : {}), isBusy, preview, erase };
}

/** Return [[number, noun], …] of what goes. */
const partsOf = ({ counts }) =>
  Object.entries(counts)
    .filter(([, number]) => number > 0)
    .map(([kind, number]) => [number, NOUNS[kind] ?? kind.replaceAll("_", " ")]);

function Selectors({ query }) {
  const projects = useProjects().map(({ name, root }) => [name, root]);
  const people = useGet("/api/identities").value?.identities ?? [];
  const title = (query.session ?? "").slice(0, 200);
  const sessions = useGet("/api/sessions", { title, limit: 20 }).value?.sessions ?? [];
  const turn = (event) => amend({ forks: event.target.checked ? "yes" : "" });
  const users = new Set(people.map(({ user_id }) => user_id));
  const titles = sessions.map((own) => [own.id, own.title ?? own.session_key]);
  const fields = [
    ["q", "Holding this text", "a name, an address, a number"],
    ["session", "Session", "choose it by its title, or a key", titles],
    ["user", "Person", "name or account", [...users].map((user) => [user, ""])],
    ["project", "Project", "name or folder", projects],
    ["since", "Said or done from", "", [], "datetime-local"],
    ["until", "and before", "", [], "datetime-local"],
  ];
  const field = ([name, label, hint, options, type]) =>
    html`<${Field} key=${name} ...${{ name, label, hint, options, type }} />`;
  return html`
    <p class="soft">All that fits every field that is filled in.</p>
    <div class="erase-fields">${fields.map(field)}</div>
    <label class="flow">
      <input type="checkbox" checked=${query.forks === "yes"} onChange=${turn} />
      Living forks that share messages with it, too
    </label>
  `;
}

function Field({ name, label, hint, options = [], type = "text" }) {
  const value = address.value.query[name] ?? "";
  // An empty fact stays in the address: it says what is erased.
  const change = ({ target }) =>
    name === "fact"
      ? go(`#/erase?fact=${encodeURIComponent(target.value)}`, { replace: true })
      : amend({ [name]: target.value });
  const isText = type === "text";
  return html`<label class="field stack">
    <span>${label}</span>
    <input
      ...${{ type, name, value, placeholder: hint, list: `erase-${name}`, onInput: change }}
      ...${{ dir: isText ? "auto" : null, autocomplete: "off", spellcheck: false }}
      data-first=${["q", "fact"].includes(name) || null}
    />
    <datalist id="erase-${name}">
      ${options.map(([own, text]) => html`<option key=${own} value=${own}>${brief(text)}</option>`)}
    </datalist>
  </label>`;
}

function Plan({ plan, isBusy, erase, query }) {
  if (!partsOf(plan).length) return html`<p class="soft">Nothing fits.</p>`;
  const size = html`<span class="soft">${bytes(plan.bytes)} of text</span>`;
  const found = href("search", [], { q: query.q });
  return html`<div class="card">
    <${Section} title="What would go" actions=${size}>
      <${Effects} of=${plan} />
      <div class="flow wrap">
        <button class="button danger" disabled=${isBusy} onClick=${erase}>Erase…</button>
        ${query.q && html`<a class="link" href=${found}>Look for it first</a>`}
      </div>
    <//>
  </div>`;
}

function Receipt({ receipt }) {
  const box = useRef();
  useEffect(() => box.current.focus(), []);
  const said = receipt.is_clean
    ? "Nothing of it is left in a file of the memory."
    : "Something of it may be left; the next start tries again.";
  return html`<div class="card" tabindex="-1" ref=${box} role="group" aria-label="Receipt">
    <${Section} title="Erased" actions=${html`<span class="soft">${exactly(receipt.at)}</span>`}>
      <p>${said}</p>
      <${Effects} of=${receipt} />
      <p class="small soft">Receipt <code>${receipt.id}</code></p>
      <a class="button" href="#/erase">Erase something else</a>
    <//>
  </div>`;
}

/** What a plan or a receipt counts and names, with what is beyond the memory. */
function Effects({ of }) {
  const session = (id) => html`<${Session} key=${id} id=${id} />`;
  const text = (own) => html`<li key=${own} dir="auto">${brief(own)}</li>`;
  const part = ([number, noun]) => html`<li key=${noun}><b>${count(number)}</b> ${noun}</li>`;
  const warning = (own) =>
    html`<p class="erase-warning sunk" key=${own}><${Sentence} text=${own} /></p>`;
  const list = ([label, own, row]) =>
    html`<div key=${label}>
      <h3>${label}</h3>
      <ul class="erase-list">
        ${own.slice(0, MOST_SHOWN).map(row)}
        ${own.length > MOST_SHOWN && html`<li>${count(own.length - MOST_SHOWN)} more</li>`}
      </ul>
    </div>`;
  const lists = [
    ["Whole sessions", of.id ? [] : of.session_ids, session],
    ["Sessions that stay, without it", of.partial_ids, session],
    ["The messages before the fork stay in", of.shared_with, session],
    ["Outside of the memory it is still held by", of.still_held_by, text],
    ["Exports were made since it was said", of.exports, text],
    ["Unreadable files, removed whole", of.damaged_copies, text],
    ["Lines of notes", of.notes.map(noteOf), text],
  ];
  return html`
    <ul class="erase-counts flow wrap wide">
      ${partsOf(of).map(part)}
    </ul>
    ${of.warnings.map(warning)} ${lists.filter(([, own]) => own.length).map(list)}
  `;
}

function Session({ id }) {
  const own = sessionOf(id);
  return html`<li class="flow">
    <${Line} text=${titleById(id, id)} />
    ${own && html`<span class="small soft">${dayOf(own.started_at)}</span>`}
  </li>`;
}

function noteOf({ path, removed, edited, error }) {
  const stays = edited > 0 ? `, ${count(edited)} edited by hand stay` : "";
  return `${path}: ${count(removed)} removed${stays}${error ? `, not changed: ${error}` : ""}`;
}
