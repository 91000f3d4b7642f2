// People and their accounts: linked and taken apart; who claims to have another one.
import { get, post, remove } from "../api.js";
import { html, useState } from "../lib.js";
import { href } from "../router.js";
import { Pending, useAnswer, useTick } from "../ui/answer.js";
import { Dialog, confirm } from "../ui/dialog.js";
import { Empty } from "../ui/page.js";
import { Chip } from "../ui/parts.js";
import { clean, count } from "../ui/text.js";
import { dateOf } from "../ui/time.js";
import { toast } from "../ui/toast.js";
import { usePeople } from "./knowledge-data.js";

const MADE_BY = { operator: "by you", code: "by a code", resolved: "seen", settings: "settings" };
const ACCOUNT = /^([^:]+):(.+)$/s; // the id may have colons

export function useProposals() {
  const ask = (signal) => get("/api/identities/proposals", {}, { signal });
  const tick = useTick(/^identity\.|withdrawn|returned|erased|^messages\.appended/);
  return useAnswer(ask, [], tick);
}

/** Return {channel, channel_user_id} of "telegram:42". */
function partsOf(account) {
  const [, channel, id] = account.match(ACCOUNT);
  return { channel, channel_user_id: id };
}

const link = (user, account) => post("/api/identities", { user_id: user, ...partsOf(account) });
const unlink = (account) => {
  const { channel, channel_user_id: id } = partsOf(account);
  return remove(`/api/identities/${encodeURIComponent(channel)}/${encodeURIComponent(id)}`);
};

export function People() {
  const people = usePeople();
  const proposals = useProposals();
  const [asked, setAsked] = useState(null); // the person to whom an account is linked
  const again = () => (people.again(), proposals.again());
  const took = (user, account) =>
    unlink(account).then(() => {
      toast(`${account} is apart from ${user}`, { undo: () => link(user, account).then(again) });
      again();
    }, toast.error);
  const save = async (user, account) => {
    const person = await link(user, account);
    toast(`${account} is ${person.user_id}`, { undo: () => unlink(account).then(again) });
    again();
  };
  if (!people.value) return html`<${Pending} ...${people} />`;
  const { identities } = people.value;
  return html`<div class="scroll">
    <p class="review">
      <button class="button" onClick=${() => setAsked("")}>Link an account</button>
    </p>
    <${Proposals} claims=${proposals.value?.proposals ?? []} again=${again} />
    <div class="cards">
      ${identities.map(
        (each) => html`<${Person} key=${each.user_id} person=${each} ...${{ took, setAsked }} />`,
      )}
    </div>
    ${
      !identities.length &&
      html`<${Empty} title="No account is linked" icon="knowledge">
        Who writes from two accounts is one person once these are linked.
      <//>`
    }
    ${
      asked !== null &&
      html`<${Linking}
        title="Link an account"
        user=${asked}
        save=${save}
        close=${() => setAsked(null)}
      />`
    }
  </div>`;
}

function Person({ person, took, setAsked }) {
  const { user_id: user, accounts } = person;
  const add = () => setAsked(user);
  return html`<section class="card" aria-label=${user}>
    <h2>
      <a class="way" href=${href("knowledge", ["facts"], { whom: user })} dir="auto"
        >${clean(user)}</a
      >
    </h2>
    ${accounts.map(
      ({ account, made_by: by, linked_at: at }) =>
        html`<p class="fact-where" key=${account}>
          <bdi class="mono">${clean(account)}</bdi>
          <span class="small">${MADE_BY[by] ?? by}${at && `, ${dateOf(at)}`}</span>
          ${
            at &&
            html`<button
              class="quiet small"
              aria-label="Unlink ${account}"
              onClick=${() => took(user, account)}
            >
              Unlink
            </button>`
          }
        </p>`,
    )}
    <button class="quiet small" aria-label="Link an account to ${user}" onClick=${add}>
      Link another account
    </button>
  </section>`;
}

/** The box for a link; without `user` only the account is asked for. */
function Linking({ title, user = null, claimed = "", save, close }) {
  const [who, setWho] = useState(user);
  const [account, setAccount] = useState(claimed);
  const isReady = who !== "" && ACCOUNT.test(account);
  const submit = async (event) => {
    event.preventDefault();
    try {
      await save(who?.trim(), account.trim());
      close();
    } catch (error) {
      toast.error(error);
    }
  };
  const field = (label, value, set, isFirst) =>
    html`<label class="field">
      <span>${label}</span>
      <input
        autocomplete="off"
        dir="auto"
        autofocus=${isFirst}
        value=${value}
        onInput=${(event) => set(event.target.value)}
      />
    </label>`;
  return html`<${Dialog} title=${title} close=${close}>
    <form onSubmit=${submit}>
      ${user !== null && field("Person: a name, or owner", who, setWho, !user)}
      ${field("Account as messages come with it, such as telegram:42", account, setAccount, user !== "")}
      <p class="small soft">
        One person hears what is said to any of their accounts, and was before.
      </p>
      <footer>
        <button type="button" class="button" onClick=${close}>Cancel</button>
        <button class="button primary" disabled=${!isReady}>Link</button>
      </footer>
    </form>
  <//>`;
}

/** Who claims to have another account; nothing where nobody does. */
export function Proposals({ claims, again }) {
  const [opened, setOpened] = useState(null);
  const save = async (_, other) => {
    await post(`/api/identities/proposals/${opened.number}/accept`, partsOf(other));
    toast(`${opened.account} and ${other} are one person`, { hint: "People can unlink them." });
    again();
  };
  const dismiss = async ({ number, account, claimed }) => {
    const title = `Dismiss that ${account} is ${claimed}?`;
    const body = "The same claim of the same account is not shown again.";
    if (!(await confirm({ title, body, action: "Dismiss" }))) return;
    await post(`/api/identities/proposals/${number}/dismiss`).catch(toast.error);
    again();
  };
  if (!claims.length) return null;
  return html`<section class="review" aria-label="Who is who">
    <h2>Who is who · ${count(claims.length)}</h2>
    <p class="soft small">Somebody says so in a chat. Link only whom you know.</p>
    ${claims.map(
      (each) =>
        html`<div class="card" key=${each.number}>
          <a class="way" href=${href("sessions", [each.session_id])} dir="auto"
            >${clean(each.text)}</a
          >
          <p class="fact-where small">
            <${Chip} text=${each.account} /> claims to be
            <${Chip} text=${each.claimed} tone="warn" /> ${dateOf(each.said_at)}
          </p>
          <div class="acts">
            <button class="button small primary" onClick=${() => setOpened(each)}>Link</button>
            <button class="button small" onClick=${() => dismiss(each)}>Dismiss</button>
          </div>
        </div>`,
    )}
    ${
      opened &&
      html`<${Linking}
        title="Link ${opened.account}"
        claimed=${opened.claimed}
        save=${save}
        close=${() => setOpened(null)}
      />`
    }
  </section>`;
}
