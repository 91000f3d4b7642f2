// People and their accounts: linked and taken apart; who claims to have another one.
import { post, remove } from "../api.js";
import { html, useState } from "../lib.js";
import { href } from "../router.js";
import { Chip, Empty, Form, Pending } from "../ui.js";
import { clean, confirm, count, dateOf, toast, useGet, useTick } from "../ui.js";
import { usePeople } from "./knowledge-data.js";

const MADE_BY = { operator: "by you", code: "by a code", resolved: "seen", settings: "settings" };
const ACCOUNT = /^([^:]+):(.+)$/s; // the id may have colons

const CLAIMS = /^identity\.|withdrawn|returned|erased|^messages\.appended/;

export const useProposals = () => useGet("/api/identities/proposals", {}, useTick(CLAIMS));

/** Return {channel, channel_user_id} of "telegram:42". */
function partsOf(account) {
  const [, channel, id] = account.match(ACCOUNT);
  return { channel, channel_user_id: id };
}

const link = (user, account) => post("/api/identities", { user_id: user, ...partsOf(account) });
const unlink = (account) => {
  const parts = Object.values(partsOf(account)).map(encodeURIComponent);
  return remove(`/api/identities/${parts.join("/")}`);
};

export function People() {
  const people = usePeople();
  const proposals = useProposals();
  const [asked, setAsked] = useState(null); // the person to whom an account is linked
  const again = () => (people.again(), proposals.again());
  const part = (user, account) =>
    unlink(account).then(() => {
      toast(`${account} is apart from ${user}`, { undo: () => link(user, account).then(again) });
      again();
    }, toast.error);
  const submit = async ({ user, account }) => {
    const person = await link(user, account);
    toast(`${account} is ${person.user_id}`, { undo: () => unlink(account).then(again) });
    again();
  };
  if (!people.value) return html`<${Pending} ...${people} />`;
  const { identities } = people.value;
  const person = (each) =>
    html`<${Person} key=${each.user_id} person=${each} ...${{ part, setAsked }} />`;
  const nobody = html`<${Empty} title="No account is linked" icon="knowledge">
    Who writes from two accounts is one person once these are linked.
  <//>`;
  const form = { title: "Link an account", user: asked, submit, close: () => setAsked(null) };
  return html`<div class="scroll">
    <p class="review stack">
      <button class="button" onClick=${() => setAsked("")}>Link an account</button>
    </p>
    <${Proposals} claims=${proposals.value?.proposals ?? []} again=${again} />
    <div class="cards">${identities.map(person)}</div>
    ${!identities.length && nobody} ${asked !== null && html`<${Linking} ...${form} />`}
  </div>`;
}

function Person({ person: { user_id: user, accounts }, part, setAsked }) {
  const quiet = (label, text, onClick) =>
    html`<button class="quiet small" aria-label=${label} onClick=${onClick}>${text}</button>`;
  const row = ({ account, made_by: by, linked_at: at }) =>
    html`<p class="fact-where flow wrap soft" key=${account}>
      <bdi class="mono">${clean(account)}</bdi>
      <span class="small">${MADE_BY[by] ?? by}${at && `, ${dateOf(at)}`}</span>
      ${at && quiet(`Unlink ${account}`, "Unlink", () => part(user, account))}
    </p>`;
  const facts = href("knowledge", ["facts"], { whom: user });
  return html`<section class="card stack" aria-label=${user}>
    <h2><a class="way stack" href=${facts} dir="auto">${clean(user)}</a></h2>
    ${accounts.map(row)}
    ${quiet(`Link an account to ${user}`, "Link another account", () => setAsked(user))}
  </section>`;
}

const WHO = "Person: a name, or owner";
const WHICH = "Account as messages come with it, such as telegram:42";

/** The box for a link; without `user` only the account is asked for. */
function Linking({ user = null, claimed = "", ...more }) {
  const account = { name: "account", label: WHICH, value: claimed };
  const fields = user === null ? [account] : [{ name: "user", label: WHO, value: user }, account];
  const isReady = (values) => values.user !== "" && ACCOUNT.test(values.account);
  return html`<${Form} action="Link" ...${{ fields, isReady, ...more }}>
    <p class="small soft">
      One person hears what is said to any of their accounts, and was before.
    </p>
  <//>`;
}

/** Who claims to have another account; nothing where nobody does. */
export function Proposals({ claims, again }) {
  const [opened, setOpened] = useState(null);
  const submit = async ({ account }) => {
    await post(`/api/identities/proposals/${opened.number}/accept`, partsOf(account));
    toast(`${opened.account} and ${account} are one person`, { hint: "People can unlink them." });
    again();
  };
  const dismiss = async ({ number, account, claimed }) => {
    const title = `Dismiss that ${account} is ${claimed}?`;
    const body = "The same claim of the same account is not shown again.";
    if (!(await confirm({ title, body, action: "Dismiss" }))) return;
    await post(`/api/identities/proposals/${number}/dismiss`).catch(toast.error);
    again();
  };
  const card = (each) =>
    html`<div class="card stack" key=${each.number}>
      <a class="way stack" href=${href("sessions", [each.session_id])} dir="auto"
        >${clean(each.text)}</a
      >
      <p class="flow wrap soft small">
        <${Chip} text=${each.account} /> claims to be
        <${Chip} text=${each.claimed} tone="warn" /> ${dateOf(each.said_at)}
      </p>
      <div class="acts flow wrap">
        <button class="button small primary" onClick=${() => setOpened(each)}>Link</button>
        <button class="button small" onClick=${() => dismiss(each)}>Dismiss</button>
      </div>
    </div>`;
  if (!claims.length) return null;
  const form = opened && { title: `Link ${opened.account}`, claimed: opened.claimed, submit };
  return html`<section class="review stack" aria-label="Who is who">
    <h2>Who is who · ${count(claims.length)}</h2>
    <p class="soft small">Somebody says so in a chat. Link only whom you know.</p>
    ${claims.map(card)} ${opened && html`<${Linking} ...${form} close=${() => setOpened(null)} />`}
  </section>`;
}
