// Episodes: what stays of sessions, by day.
import { get } from "../api.js";
import { html } from "../lib.js";
import { nameOf, record } from "../records.js";
import { go, href } from "../router.js";
import { useAnswer, useTick } from "../ui/answer.js";
import { Both, Opened } from "../ui/both.js";
import { Empty } from "../ui/page.js";
import { Chip, Select } from "../ui/parts.js";
import { useProjects } from "../ui/projects.js";
import { RecordBody } from "../ui/record.js";
import { Line, clean, count } from "../ui/text.js";
import { Time, dayOf, exactly } from "../ui/time.js";

const MOST = 500;
const NOTHING = html`<${Empty} title="No episodes yet" icon="episode">
  One is written when a session ends or rests.
<//>`;
const CHANGES = /^session\.|erased|pruned|withdrawn|returned|reset|restored$/;

export function Episodes({ id, query }) {
  const projects = useProjects().map(({ name }) => [name, name]);
  const ask = (signal) => get("/api/episodes", { limit: MOST, project: query.project }, { signal });
  const answer = useAnswer(ask, [query.project], useTick(CHANGES));
  const episodes = answer.value?.episodes ?? [];
  const hrefOf = (each) => href("knowledge", ["episodes", each].filter(Boolean), query);
  return html`
    <div class="filters" role="group" aria-label="Filters">
      <${Select}
        label="Project"
        value=${query.project ?? ""}
        options=${[["", "All projects"], ...projects]}
        onChange=${(project) => go(href("knowledge", ["episodes"], { project }), { replace: true })}
      />
    </div>
    <${Both}
      label="Episodes, the newest first"
      rows=${rowsOf(episodes)}
      size=${104}
      row=${({ episode }) => html`<${EpisodeLine} episode=${episode} />`}
      nothing=${NOTHING}
      ...${{ answer, id, hrefOf }}
    >
      ${id && html`<${Episode} key=${id} id=${id} close=${hrefOf()} />`}
    <//>
  `;
}

/** Return the episodes below their days. */
function rowsOf(episodes) {
  const days = Map.groupBy(episodes, ({ ended_at: at }) => dayOf(at));
  return [...days].flatMap(([day, own]) => [
    { id: `day/${day}`, head: day },
    ...own.map((episode) => ({ id: `e${episode.number}`, episode })),
  ]);
}

function titleOf(episode) {
  const session = record(nameOf.session(episode.session_id)).value;
  return session?.title ?? session?.session_key ?? "A session that is gone";
}

const topicsOf = ({ topics }) => topics.map((each) => html`<${Chip} key=${each} text=${each} />`);

function EpisodeLine({ episode }) {
  // The lines of a summary begin with when, and who.
  const said = (episode.summary || episode.deeds).replace(/^- (\[[^\]]*\] \w+: )?/gm, "");
  return html`<span class="episode">
    <${Time} at=${episode.began_at} />
    <span class="episode-body">
      <${Line} text=${titleOf(episode)} class="episode-title" />
      <span class="fact-line" dir="auto">${clean(said.slice(0, 600))}</span>
      <span class="chips">
        ${episode.tone !== "neutral" && html`<${Chip} text=${episode.tone} tone="warn" />`}
        ${topicsOf(episode)}
      </span>
    </span>
  </span>`;
}

function Episode({ id, close }) {
  const ask = (signal) => get(`/api/episodes/${encodeURIComponent(id)}`, {}, { signal });
  const whole = (episode) => html`<${Whole} episode=${episode} />`;
  const answer = useAnswer(ask, [id], useTick(CHANGES));
  return html`<${Opened} name=${id} close=${close} answer=${answer} whole=${whole} />`;
}

function Whole({ episode }) {
  const minutes = Math.round((episode.ended_at - episode.began_at) / 60_000);
  const length = `${count(minutes)} min, ${count(episode.message_count)} messages`;
  return html`
    <p class="opened-head">
      <a class="link" href=${href("sessions", [episode.session_id])} dir="auto">
        ${clean(titleOf(episode))}
      </a>
      <span>${exactly(episode.began_at)}, ${length}</span>
    </p>
    <p class="chips">${topicsOf(episode)}</p>
    <${RecordBody} kind="episode" record=${episode} />
  `;
}
