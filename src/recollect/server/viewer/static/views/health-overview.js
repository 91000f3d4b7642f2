// Health, the overview: the doctor, the state of each part, what was measured, what models cost.
import { get, post } from "../api.js";
import { html, signal, useEffect, useState } from "../lib.js";
import { Pending, useAnswer } from "../ui/answer.js";
import { confirm } from "../ui/dialog.js";
import { Loading, Problem } from "../ui/page.js";
import { Bar, Chip, Choice } from "../ui/parts.js";
import { Pairs, Row, Section } from "../ui/sheet.js";
import { Sentence, bytes, count } from "../ui/text.js";
import { Time, now, relative } from "../ui/time.js";
import { toast } from "../ui/toast.js";

const FIX = "doctor --fix";
const STATES = { wrong: ["wrong", "bad"], note: ["could be better", "warn"] };
const DAYS = 30;

export function Overview() {
  return html`<${Doctor} /><${State} /><${Measures} /><${Spending} />`;
}

/** Return an answer that is asked for again from time to time. */
function useFresh(path, query = {}) {
  const answer = useAnswer((signal) => get(path, query, { signal }), [path]);
  useEffect(() => void (answer.value && answer.again()), [now.value]);
  return answer;
}

// What the doctor found stays while other views are open: a look reads whole databases.
const doctor = signal({});

async function see(ask) {
  doctor.value = { ...doctor.peek(), isBusy: true, error: null };
  try {
    doctor.value = { ...(await ask()), at: Date.now() };
  } catch (error) {
    doctor.value = { ...doctor.peek(), isBusy: false, error };
  }
  return doctor.peek();
}

const look = () => see(() => get("/api/doctor"));

async function mend() {
  const is = await confirm({
    title: "Mend what was found?",
    body: "Mirrors, index and connections are written again; the records stay as they are.",
    action: "Mend",
  });
  if (!is) return;
  const { plan_id } = doctor.peek();
  const { error, fixed } = await see(() => post("/api/doctor/mends", { plan_id }));
  if (!error) toast(fixed.length ? "Mended" : "There was nothing to mend");
}

function Doctor() {
  const { checks = [], fixed = [], at, isBusy, error } = doctor.value;
  useEffect(() => void (at || isBusy || look()), []);
  const found = checks.filter(({ state }) => state !== "ok");
  const fine = checks.filter(({ state }) => state === "ok");
  const isMendable = found.some(({ state, hint }) => state === "wrong" || hint.includes(FIX));
  const actions = html`
    ${at && html`<span class="small soft">looked <${Time} at=${at} ago /></span>`}
    <button class="button" disabled=${isBusy} onClick=${look}>Look again</button>
    ${
      isMendable &&
      html`<button class="button primary" disabled=${isBusy} onClick=${mend}>Mend</button>`
    }
  `;
  return html`<${Section} title="Doctor" actions=${actions}>
    ${error && html`<${Problem} error=${error} retry=${look} />`}
    ${isBusy && html`<${Loading} what="The doctor looks" />`}
    ${fixed.map((text) => html`<p key=${text}><${Sentence} text=${text} /></p>`)}
    ${at && !found.length && html`<p>All ${count(fine.length)} checks are fine.</p>`}
    <ul class="rows">
      ${found.map((check) => html`<${Finding} key=${check.name} ...${check} />`)}
    </ul>
    ${
      fine.length > 0 &&
      html`<details>
        <summary class="small">${count(fine.length)} checks found nothing</summary>
        <${Pairs} of=${fine.map(({ name, detail }) => [name, detail])} />
      </details>`
    }
  <//>`;
}

function Finding({ name, state, detail, hint }) {
  const [label, tone] = STATES[state];
  const about = html`<${Sentence} text=${detail} /> ${hint && html`<${Sentence} text=${hint} />`}`;
  return html`<${Row} name=${name} about=${about}><${Chip} text=${label} tone=${tone} /><//>`;
}

const ago = (at) => at && html`<${Time} at=${at} ago />`;

function State() {
  const answer = useFresh("/api/status");
  if (!answer.value) return html`<${Pending} ...${answer} />`;
  const { index, sync, spool, worker, language, budget, checkpoints, ...status } = answer.value;
  const parts = {
    Memory: [
      ...["sessions", "messages", "observations", "facts", "episodes"].map((kind) => {
        return [kind, count(status[kind])];
      }),
      ["checkpoints", checkpoints.enabled ? count(checkpoints.checkpoints) : "off"],
    ],
    Index: [
      ["chunks", count(index.chunks)],
      ["changes to read", count(status.backlog)],
      ["vectors", index.model ? count(index.vectors) : "none: words only"],
      ["texts without one", index.model && count(index.waiting)],
      ["brought up", ago(sync.last_sync_at)],
      ["rebuilding", index.rebuilding && "yes; the one before answers"],
      ["trouble", sync.last_error ?? index.trouble ?? status.background_error],
    ],
    "Worker and hooks": [
      ["runs since", ago(worker.worker?.started_at)],
      ["version", worker.worker?.version],
      ["events that wait", count(spool.events)],
      ["the oldest", ago(spool.oldest_at)],
      ["events lost", spool.lost > 0 && count(spool.lost)],
      ["writes that wait", count(status.records_health.queued)],
      ["trouble", status.records_health.last_error ?? status.mirror_error],
    ],
    Models: [
      ["embedder", index.model || status.embedder_reason],
      ["read today", html`<${Used} tokens=${budget.tokens_today} limit=${budget.limit} />`],
      ["language model", language.model ?? "none: by rule"],
      ["used today", html`<${Used} tokens=${language.tokens_today} limit=${language.limit} />`],
      ["cost today", language.usd_today > 0 && `$${language.usd_today.toFixed(2)}`],
      ["trouble", language.trouble ?? status.fallback_error],
    ],
  };
  return html`<div class="health-columns">
    ${Object.entries(parts).map(
      ([name, of]) => html`<${Section} key=${name} title=${name}><${Pairs} of=${of} /><//>`,
    )}
  </div>`;
}

function Used({ tokens, limit }) {
  return html`${count(tokens)}${limit > 0 && ` of ${count(limit)}`} tokens${" "}
  ${limit > 0 && html`<${Bar} value=${tokens / limit} label="share of the day's limit" />`}`;
}

const total = (sizes) => Object.values(sizes).reduce((sum, size) => sum + size, 0);
const SPANS = [
  ["short", "Last hour"],
  ["long", "Last two days"],
];
const PLOTS = [
  ["Came in", ({ captured }) => captured, count],
  ["Search: 95 of 100 within", ({ p95_ms }) => p95_ms, (value) => `${value.toFixed(1)} ms`],
  ["Changes that the index lacks", ({ backlog }) => backlog, count],
  ["Size of the memory", (sample) => sample.bytes && total(sample.bytes), bytes],
];

function Measures() {
  const [span, setSpan] = useState("short");
  const answer = useFresh("/api/series");
  if (!answer.value) return html`<${Pending} ...${answer} />`;
  const samples = answer.value[span];
  const sizes = answer.value.long.at(-1)?.bytes;
  const choice = html`<${Choice}
    label="Time"
    value=${span}
    options=${SPANS}
    onChange=${setSpan}
  />`;
  const plots = PLOTS.map(([label, of, say]) => {
    const points = samples.map((sample) => [sample.at, of(sample)]);
    return html`<${Plot} key=${label} label=${label} points=${points} say=${say} />`;
  });
  return html`<${Section} title="Measured" actions=${choice}>
      <div class="health-columns">${plots}</div>
    <//>
    <${Section} title="Storage" actions=${sizes && html`<span>${bytes(total(sizes))}</span>`}>
      ${
        sizes
          ? html`<${Pairs} of=${rowsOf(sizes)} />`
          : html`<p class="soft">It is measured every five minutes; the first time is to come.</p>`
      }
    <//>`;
}

function rowsOf(sizes) {
  const most = Math.max(1, ...Object.values(sizes));
  const sorted = Object.entries(sizes).sort(([, one], [, other]) => other - one);
  return sorted.map(([kind, size]) => {
    const bar = html`<${Bar} value=${size / most} label="beside the largest" />`;
    return [kind, html`<span class="health-size">${bar} ${bytes(size)}</span>`];
  });
}

/** An area over time, [[ms, value or null], …], with its last and its largest value in words. */
function Plot({ label, points: all, say }) {
  const points = all.filter(([, value]) => value !== null);
  if (points.length < 2) return null;
  const [from, last] = [points[0], points.at(-1)];
  const most = Math.max(...points.map(([, value]) => value));
  const placeOf = ([at, value]) => {
    const x = (300 * (at - from[0])) / (last[0] - from[0]);
    return `${x.toFixed(1)} ${(48 - (46 * value) / (most || 1)).toFixed(1)}`;
  };
  return html`<figure class="plot">
    <figcaption>
      <span class="soft">${label}</span> ${say(last[1])}, ${say(most)} at most
    </figcaption>
    <svg viewBox="0 0 300 48" preserveAspectRatio="none" aria-hidden="true">
      <path d="M0 48L${points.map(placeOf).join("L")}L300 48Z" />
    </svg>
    <p class="small soft">${relative(from[0])} until ${relative(last[0])}</p>
  </figure>`;
}

function Spending() {
  const answer = useFresh("/api/models/spending", { days: DAYS });
  if (!answer.value) return html`<${Pending} ...${answer} />`;
  const { spending, tokens, usd } = answer.value;
  const sum = html`<span>${count(tokens)} tokens, $${usd.toFixed(2)}</span>`;
  return html`<${Section} title=${`Models, last ${DAYS} days`} actions=${tokens > 0 && sum}>
    <ul class="rows">
      ${byModel(spending).map(([name, row]) => {
        const said = `${count(row.requests)} requests, ${count(row.tokens)} tokens`;
        return html`<${Row} key=${name} name=${name} about=${said}>
          ${row.unpriced < row.requests ? `$${row.usd.toFixed(2)}` : "no price known"}
        <//>`;
      })}
    </ul>
    ${!spending.length && html`<p class="soft">No model was used.</p>`}
  <//>`;
}

/** Return [[model and use, sums of all days], …], what cost most first. */
function byModel(spending) {
  const nameOf = ({ model, provider, kind, purpose }) =>
    `${model || provider || kind}, ${purpose || kind}`;
  const sums = [...Map.groupBy(spending, nameOf)].map(([name, entries]) => {
    const sum = (of) => entries.reduce((number, entry) => number + of(entry), 0);
    const tokens = sum((entry) => entry.input_tokens + entry.output_tokens);
    const kept = sum((entry) => entry.cache_read_tokens + entry.cache_write_tokens);
    const [requests, usd] = [sum((entry) => entry.requests), sum((entry) => entry.usd)];
    return [name, { tokens: tokens + kept, requests, usd, unpriced: sum((each) => each.unpriced) }];
  });
  return sums.sort(([, one], [, other]) => other.usd - one.usd || other.tokens - one.tokens);
}
