// Health, who may come in and what was done: the tokens, and the audit.
import { get, remove } from "../api.js";
import { html, useEffect, useState } from "../lib.js";
import { go, href } from "../router.js";
import { Pending, useAnswer } from "../ui/answer.js";
import { confirm } from "../ui/dialog.js";
import { Problem } from "../ui/page.js";
import { Chip, Choice } from "../ui/parts.js";
import { Row, Section } from "../ui/sheet.js";
import { brief } from "../ui/text.js";
import { Time, dayOf, now } from "../ui/time.js";
import { toast } from "../ui/toast.js";

const PAGE = 50;
const OUTCOMES = [
  ["", "All"],
  ["done", "Done"],
  ["refused", "Refused"],
];

export function Tokens() {
  const [revoked, setRevoked] = useState(false);
  const answer = useAnswer((signal) => get("/api/tokens", { revoked }, { signal }), [revoked]);
  if (!answer.value) return html`<${Pending} ...${answer} />`;
  const others = html`<button
    class="quiet small"
    aria-pressed=${revoked}
    onClick=${() => setRevoked(!revoked)}
  >
    Revoked ones, too
  </button>`;
  return html`<${Section} title="Tokens" actions=${others}>
    <ul class="rows">
      ${answer.value.tokens.map(
        (token) => html`<${Token} key=${token.id} token=${token} again=${answer.again} />`,
      )}
    </ul>
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
  const over = (revoked_at && "revoked") || (isEnded && "ended");
  return html`<${Row} name=${name} about=${about}>
    <${Chip} text=${rights} tone=${rights === "admin" ? "accent" : ""} />
    ${over && html`<${Chip} text=${over} tone="bad" />`}
    ${
      !revoked_at &&
      name !== "owner" &&
      html`<button
        class="button"
        aria-label="Revoke ${brief(name)}"
        onClick=${() => revoke(name, again)}
      >
        Revoke
      </button>`
    }
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
  try {
    await remove(`/api/tokens/${encodeURIComponent(name)}`);
    toast("Revoked");
    again();
  } catch (error) {
    toast.error(error);
  }
}

export function Audit({ query }) {
  const { outcome = "", action = "", actor = "" } = query;
  const filter = { outcome, action: action.trim(), actor: actor.trim() };
  const { entries, error, isWhole, more } = useEntries(filter);
  const set = (change) => go(href("health", ["audit"], { ...query, ...change }), { replace: true });
  const box = (name, hint) =>
    html`<input
      aria-label=${hint}
      placeholder=${hint}
      autocomplete="off"
      value=${query[name] ?? ""}
      onInput=${(event) => set({ [name]: event.target.value })}
    />`;
  const choose = (value) => set({ outcome: value });
  const days = [...Map.groupBy(entries, ({ at }) => dayOf(at))];
  return html`<div class="filters" role="group" aria-label="Filters">
      <${Choice} label="Outcome" value=${outcome} options=${OUTCOMES} onChange=${choose} />
      ${box("action", "Action, such as token")} ${box("actor", "Token that did it")}
    </div>
    ${days.map(
      ([day, own]) =>
        html`<${Section} key=${day} title=${day}>
          <ul class="rows">
            ${own.map((entry) => html`<${Entry} key=${entry.seq} ...${entry} />`)}
          </ul>
        <//>`,
    )}
    ${error && html`<${Problem} error=${error} retry=${more} />`}
    ${isWhole && html`<p class="soft">${entries.length ? "It begins here." : "Nothing fits."}</p>`}
    ${!isWhole && !error && html`<button class="button" onClick=${more}>Older</button>`}`;
}

function Entry({ action, outcome, target, actor, agent, project, at }) {
  const about = [target, agent, project].filter(Boolean).join(", ");
  return html`<${Row} name=${action} about=${brief(about)}>
    ${outcome !== "done" && html`<${Chip} text=${outcome} tone="bad" />`}
    <${Chip} text=${actor ?? "the command line"} />
    <${Time} at=${at} />
  <//>`;
}

/** Return the entries that fit a filter, page by page; `more` gets the page before. */
function useEntries(filter) {
  const [state, setState] = useState({ entries: [], isWhole: false });
  const load = async (before, signal) => {
    try {
      const page = { ...filter, limit: PAGE, before_seq: before.at(-1)?.seq };
      const { entries } = await get("/api/audit", page, { signal });
      setState({ entries: [...before, ...entries.reverse()], isWhole: entries.length < PAGE });
    } catch (error) {
      if (error.name !== "AbortError") setState({ entries: before, isWhole: false, error });
    }
  };
  useEffect(() => {
    const ending = new AbortController();
    load([], ending.signal);
    return () => ending.abort();
  }, [JSON.stringify(filter)]);
  return { ...state, more: () => load(state.entries) };
}
