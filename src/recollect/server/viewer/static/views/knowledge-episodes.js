// Episodes: what stays of sessions, by day.
import { html } from "../lib.js";
import { href } from "../router.js";
import { Both, Chip, Empty, Filters, Opened, RecordBody, Time, clean, count } from "../ui.js";
import { dayOf, exactly, grouped, named, titleById, useGet, useProjects, useTick } from "../ui.js";

const MOST = 500;
const GONE = "A session that is gone";
const NOTHING = html`<${Empty} title="No episodes yet" icon="episode">
  One is written when a session ends or rests.
<//>`;
const CHANGES = /^session\.|erased|pruned|withdrawn|returned|reset|restored$/;

export function Episodes({ id, query: { project }, hrefOf }) {
  const names = useProjects().map(({ name }) => name);
  const answer = useGet("/api/episodes", { limit: MOST, project }, useTick(CHANGES));
  const episodes = answer.value?.episodes ?? [];
  const items = episodes.map((episode) => ({ id: `e${episode.number}`, episode }));
  const rows = grouped(items, ({ episode }) => dayOf(episode.ended_at));
  const row = ({ episode }) => html`<${EpisodeLine} episode=${episode} />`;
  const shown = { answer, rows, id, hrefOf, nothing: NOTHING, row };
  return html`
    <${Filters} of=${[["project", "Project", named("All projects", names)]]} />
    <${Both} label="Episodes, the newest first" size=${104} ...${shown}>
      ${id && html`<${Episode} key=${id} id=${id} close=${hrefOf()} />`}
    <//>
  `;
}

const topicsOf = ({ topics }) => topics.map((each) => html`<${Chip} key=${each} text=${each} />`);

function EpisodeLine({ episode }) {
  // The lines of a summary begin with when, and who.
  const said = (episode.summary || episode.deeds).replace(/^- (\[[^\]]*\] \w+: )?/gm, "");
  const { tone } = episode;
  return html`<span class="episode">
    <${Time} at=${episode.began_at} />
    <span class="episode-body">
      <b class="line" dir="auto">${titleById(episode.session_id, GONE)}</b>
      <span class="fact-line" dir="auto">${clean(said.slice(0, 600))}</span>
      <span class="flow wrap">
        ${tone !== "neutral" && html`<${Chip} text=${tone} tone="warn" />`} ${topicsOf(episode)}
      </span>
    </span>
  </span>`;
}

function Episode({ id, close }) {
  const answer = useGet(`/api/episodes/${encodeURIComponent(id)}`, {}, useTick(CHANGES));
  return html`<${Opened} name=${id} whole=${wholeOf} ...${{ close, answer }} />`;
}

function wholeOf(episode) {
  const { session_id: session, began_at: at } = episode;
  const minutes = Math.round((episode.ended_at - at) / 60_000);
  const length = `${count(minutes)} min, ${count(episode.message_count)} messages`;
  return html`
    <p class="stack">
      <a class="link" href=${href("sessions", [session])} dir="auto">
        ${titleById(session, GONE)}
      </a>
      <span class="soft small">${exactly(at)}, ${length}</span>
    </p>
    <p class="flow wrap">${topicsOf(episode)}</p>
    <${RecordBody} kind="episode" record=${episode} />
  `;
}
