// Erase: choose what, see what would go, type a word, and get a receipt of what went.
import { get, post } from "../api.js";
import { html, useEffect, useRef, useState } from "../lib.js";
import { nameOf, record } from "../records.js";
import { route as address, go, href } from "../router.js";
import { useAnswer } from "../ui/answer.js";
import { confirm } from "../ui/dialog.js";
import { Page, Problem } from "../ui/page.js";
import { Choice } from "../ui/parts.js";
import { useProjects } from "../ui/projects.js";
import { Section, Sheet } from "../ui/sheet.js";
import { Line, Sentence, bytes, brief, count } from "../ui/text.js";
import { dayOf, exactly } from "../ui/time.js";

const KINDS = [
  ["", "What was said or done"],
  ["fact", "One fact"],
];
const MOST_SHOWN = 12;
const NOUNS = {
  contents: "kept contents of files",
  pending_messages: "messages that wait",
  identities: "linked accounts",
  injections: "context blocks",
};

export default function Erase({ route }) {
  const { query } = route;
  const isFact = query.fact !== undefined;
  const { plan, receipt, error, isBusy, preview, erase } = useErasure(query);
  const choose = (kind) => go(kind ? "#/erase?fact=" : "#/erase", { replace: true });
  const submit = (event) => {
    event.preventDefault();
    preview();
  };
  return html`<${Page}
    class="erase"
    title="Erase"
    lead="From every file of the memory, for good. What is only forgotten can come back."
  >
    <${Sheet} label="Erase">
      <form class="erase-form" onSubmit=${submit}>
        <${Choice} label="What" value=${isFact ? "fact" : ""} options=${KINDS} onChange=${choose} />
        ${
          isFact
            ? html`<${Field} name="fact" label="Fact" hint="f12" query=${query} />`
            : html`<${Selectors} query=${query} />`
        }
        <div class="actions">
          <button class="button primary" disabled=${isBusy || !orderOf(query)}>Preview</button>
          <span class="soft small">It changes nothing.</span>
        </div>
      </form>
      <div role="status">
        ${error && html`<${Problem} error=${error} />`}
        ${plan && html`<${Plan} plan=${plan} isBusy=${isBusy} erase=${erase} query=${query} />`}
        ${receipt && html`<${Receipt} receipt=${receipt} />`}
      </div>
    <//>
  <//>`;
}

/** Return the order of an address; null where nothing is selected. */
function orderOf({ fact, session, user, project, since, until, q, forks }) {
  if (fact !== undefined) return fact.trim() ? { fact: fact.trim() } : null;
  const order = {
    session: session?.trim() || null,
    user_id: user?.trim() || null,
    project: project?.trim() || null,
    since: since ? Date.parse(since) : null,
    until: until ? Date.parse(until) : null,
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
  const people = useAnswer((signal) => get("/api/identities", {}, { signal }), []).value;
  const title = (query.session ?? "").slice(0, 200);
  const like = useAnswer(
    (signal) => get("/api/sessions", { title, limit: 20 }, { signal }),
    [title],
  );
  const users = [...new Set(people?.identities.map(({ user_id }) => user_id))];
  const sessions = like.value?.sessions ?? [];
  const turn = (event) => set({ forks: event.target.checked ? "yes" : "" });
  const field = (name, label, hint, more) =>
    html`<${Field} ...${{ name, label, hint, query, ...more }} />`;
  return html`
    <p class="soft">All that fits every field that is filled in.</p>
    <div class="erase-fields">
      ${field("q", "Holding this text", "a name, an address, a number")}
      ${field("session", "Session", "choose it by its title, or a key", {
        options: sessions.map((own) => [own.id, own.title ?? own.session_key]),
      })}
      ${field("user", "Person", "name or account", { options: users.map((user) => [user, ""]) })}
      ${field("project", "Project", "name or folder", { options: projects })}
      ${field("since", "Said or done from", "", { type: "datetime-local" })}
      ${field("until", "and before", "", { type: "datetime-local" })}
    </div>
    <label>
      <input type="checkbox" checked=${query.forks === "yes"} onChange=${turn} />
      Living forks that share messages with it, too
    </label>
  `;
}

const set = (change) =>
  go(href("erase", [], { ...address.peek().query, ...change }), { replace: true });

function Field({ name, label, hint, query, options = [], type = "text" }) {
  const change = ({ target }) =>
    name === "fact"
      ? go(`#/erase?fact=${encodeURIComponent(target.value)}`, { replace: true })
      : set({ [name]: target.value });
  return html`<label class="field">
    <span>${label}</span>
    <input
      ...${{ type, name, value: query[name] ?? "", placeholder: hint, list: `erase-${name}` }}
      dir=${type === "text" ? "auto" : null}
      autocomplete="off"
      spellcheck=${false}
      data-first=${["q", "fact"].includes(name) || null}
      onInput=${change}
    />
    <datalist id="erase-${name}">
      ${options.map(
        ([value, text]) => html`<option key=${value} value=${value}>${brief(text)}</option>`,
      )}
    </datalist>
  </label>`;
}

function Plan({ plan, isBusy, erase, query }) {
  if (!partsOf(plan).length) return html`<p class="soft">Nothing fits.</p>`;
  const size = html`<span class="soft">${bytes(plan.bytes)} of text</span>`;
  return html`<div class="erase-card">
    <${Section} title="What would go" actions=${size}>
      <${Effects} of=${plan} />
      <div class="actions">
        <button class="button danger" disabled=${isBusy} onClick=${erase}>Erase…</button>
        ${
          query.q &&
          html`<a class="link" href=${href("search", [], { q: query.q })}>Look for it first</a>`
        }
      </div>
    <//>
  </div>`;
}

function Receipt({ receipt }) {
  const box = useRef();
  useEffect(() => box.current.focus(), []);
  return html`<div class="erase-card" tabindex="-1" ref=${box} role="group" aria-label="Receipt">
    <${Section} title="Erased" actions=${html`<span class="soft">${exactly(receipt.at)}</span>`}>
      <p>
        ${
          receipt.is_clean
            ? "Nothing of it is left in a file of the memory."
            : "Something of it may be left; the next start tries again."
        }
      </p>
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
    <ul class="erase-counts">
      ${partsOf(of).map(
        ([number, noun]) => html`<li key=${noun}><b>${count(number)}</b> ${noun}</li>`,
      )}
    </ul>
    ${of.warnings.map(
      (warning) =>
        html`<p class="erase-warning" key=${warning}><${Sentence} text=${warning} /></p>`,
    )}
    ${lists
      .filter(([, own]) => own.length)
      .map(
        ([label, own, row]) =>
          html`<div key=${label}>
            <h3>${label}</h3>
            <ul class="erase-list">
              ${own.slice(0, MOST_SHOWN).map(row)}
              ${own.length > MOST_SHOWN && html`<li>${count(own.length - MOST_SHOWN)} more</li>`}
            </ul>
          </div>`,
      )}
  `;
}

function Session({ id }) {
  const own = record(nameOf.session(id)).value;
  return html`<li>
    <${Line} text=${own?.title ?? own?.session_key ?? id} />
    ${own && html`<span class="small soft">${dayOf(own.started_at)}</span>`}
  </li>`;
}

function noteOf({ path, removed, edited, error }) {
  const stays = edited > 0 ? `, ${count(edited)} edited by hand stay` : "";
  return `${path}: ${count(removed)} removed${stays}${error ? `, not changed: ${error}` : ""}`;
}
