// Health, who may come in and what was done: the tokens, and the audit.
import { get, remove } from "../api.js";
import { html, useState } from "../lib.js";
import { Box, Chip, Choice, Filters, Pending, Row, Rows, Time } from "../ui.js";
import { attempt, brief, confirm, dayOf, now, toast, useGet, usePages } from "../ui.js";

const PAGE = 50;
const OUTCOMES = { "": "All", done: "Done", refused: "Refused" };

export function Tokens() {
  const [revoked, setRevoked] = useState(false);
  const answer = useGet("/api/tokens", { revoked });
  if (!answer.value) return html`<${Pending} ...${answer} />`;
  const turn = () => setRevoked(!revoked);
  const others = html`<button class="quiet small" aria-pressed=${revoked} onClick=${turn}>
    Revoked ones, too
  </button>`;
  const row = (token) => html`<${Token} key=${token.id} token=${token} again=${answer.again} />`;
  return html`<${Rows} title="Tokens" actions=${others} rows=${answer.value.tokens.map(row)}>
    <p class="small soft">
      <code>recollect token add NAME</code> makes another one; its text is shown there and nowhere
      else. <code>recollect token rotate</code> replaces the owner's.
    </p>
  <//>`;
}

function Token({ token, again }) {
  const { name, rights, audience, agent, project, channels, revoked_at } = token;
  const only = [agent, project, ...channels].filter((each) => each && each !== "*");
  const about = html`
    <div>${brief(`hears as ${audience}${only.length ? `, only ${only.join(", ")}` : ""}`)}</div>
    ${token.created_at > 0 && html`made <${Time} at=${token.created_at} ago />, `}
    ${token.last_used_at ? html`used <${Time} at=${token.last_used_at} ago />` : "not used yet"}
    ${token.expires_at && html`, until <${Time} at=${token.expires_at} ago />`}
  `;
  const isEnded = token.expires_at && token.expires_at <= now.value;
  const own = { "aria-label": `Revoke ${brief(name)}`, onClick: () => revoke(name, again) };
  const button = html`<button class="button" ...${own}>Revoke</button>`;
  const over = (revoked_at && "revoked") || (isEnded && "ended");
  return html`<${Row} name=${name} about=${about}>
    <${Chip} text=${rights} tone=${rights === "admin" ? "accent" : ""} />
    ${over && html`<${Chip} text=${over} tone="bad" />`}
    ${!revoked_at && name !== "owner" && button}
  <//>`;
}

async function revoke(name, again) {
  const is = await confirm({
    title: "Revoke this token?",
    body: html`Who calls with <b dir="auto">${brief(name)}</b> is refused from now on.`,
    action: "Revoke",
    typed: "revoke",
  });
  if (!is) return;
  attempt(async () => {
    await remove(`/api/tokens/${encodeURIComponent(name)}`);
    toast("Revoked");
    again();
  });
}

export function Audit({ query: { outcome, action, actor } }) {
  const filter = { outcome, action: action?.trim(), actor: actor?.trim(), limit: PAGE };
  const ask = async (before_seq, signal) => {
    const { entries } = await get("/api/audit", { ...filter, before_seq }, { signal });
    return { rows: entries.reverse(), cursor: entries.length < PAGE ? null : entries.at(-1).seq };
  };
  const { rows, cursor, error, more, again } = usePages(ask, Object.values(filter));
  const row = (entry) => html`<${Entry} key=${entry.seq} ...${entry} />`;
  const section = ([day, own]) => html`<${Rows} key=${day} title=${day} rows=${own.map(row)} />`;
  const older = html`<button class="button" onClick=${more}>Older</button>`;
  const end = html`<p class="soft">${rows?.length ? "It begins here." : "Nothing fits."}</p>`;
  const days = [...Map.groupBy(rows ?? [], ({ at }) => dayOf(at))];
  return html`<${Filters} of=${[["outcome", "Outcome", OUTCOMES, Choice]]}>
      <${Box} name="action" type="text" hint="Action, such as token" />
      <${Box} name="actor" type="text" hint="Token that did it" />
    <//>
    ${days.map(section)}
    ${rows ? (cursor ? older : end) : html`<${Pending} ...${{ error, again }} />`}`;
}

function Entry({ action, outcome, target, actor, agent, project, at }) {
  const about = [target, agent, project].filter(Boolean).join(", ");
  return html`<${Row} name=${action} about=${brief(about)}>
    ${outcome !== "done" && html`<${Chip} text=${outcome} tone="bad" />`}
    <${Chip} text=${actor ?? "the command line"} />
    <${Time} at=${at} />
  <//>`;
}
