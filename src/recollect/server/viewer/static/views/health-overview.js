// Health, the overview: the doctor, the state of each part, what was measured, what models cost.
import { get, post } from "../api.js";
import { html, signal, useEffect, useState } from "../lib.js";
import { Bar, Chip, Choice, Loading, Pairs, Pending, Problem, Row, Rows, Section } from "../ui.js";
import { Sentence, Time } from "../ui.js";
import { bytes, confirm, count, measure, now, relative, toast, useGet } from "../ui.js";
import { Area, lineOf } from "./plot.js";

const FIX = "doctor --fix";
const STATES = { wrong: ["wrong", "bad"], note: ["could be better", "warn"] };
const DAYS = 30;

export const Overview = () => html`<${Doctor} /><${State} /><${Measures} /><${Spending} />`;

/** Return an answer that is asked for again from time to time. */
function useFresh(path, query) {
  const answer = useGet(path, query, now.value);
  return { ...answer, instead: !answer.value && html`<${Pending} ...${answer} />` };
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
  const { true: fine = [], false: wrong = [] } = Object.groupBy(checks, isFine);
  const isMendable = wrong.some(({ state, hint }) => state === "wrong" || hint.includes(FIX));
  const button = (name, act, more = "") =>
    html`<button class="button ${more}" disabled=${isBusy} onClick=${act}>${name}</button>`;
  const actions = html`
    ${at && html`<span class="small soft">looked <${Time} at=${at} ago /></span>`}
    ${button("Look again", look)} ${isMendable && button("Mend", mend, "primary")}
  `;
  const others = html`<details>
    <summary class="small">${count(fine.length)} checks found nothing</summary>
    <${Pairs} of=${fine.map(({ name, detail }) => [name, detail])} />
  </details>`;
  return html`<${Section} title="Doctor" actions=${actions}>
    ${error && html`<${Problem} error=${error} retry=${look} />`}
    ${isBusy && html`<${Loading} what="The doctor looks" />`}
    ${fixed.map((text) => html`<p key=${text}><${Sentence} text=${text} /></p>`)}
    ${at && !wrong.length && html`<p>All ${count(fine.length)} checks are fine.</p>`}
    <ul class="rows">
      ${wrong.map((check) => html`<${Finding} key=${check.name} ...${check} />`)}
    </ul>
    ${fine.length > 0 && others}
  <//>`;
}

const isFine = ({ state }) => state === "ok";

function Finding({ name, state, detail, hint }) {
  const [label, tone] = STATES[state];
  const about = html`<${Sentence} text=${detail} /> ${hint && html`<${Sentence} text=${hint} />`}`;
  return html`<${Row} name=${name} about=${about}><${Chip} text=${label} tone=${tone} /><//>`;
}

const RECORDS = ["sessions", "messages", "observations", "facts", "episodes"];
const ago = (at) => at && html`<${Time} at=${at} ago />`;

function State() {
  const answer = useFresh("/api/status");
  if (answer.instead) return answer.instead;
  const { index, sync, spool, worker, language, budget, checkpoints, ...status } = answer.value;
  const parts = {
    Memory: [
      ...RECORDS.map((kind) => [kind, count(status[kind])]),
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
const SPANS = { short: "Last hour", long: "Last two days" };
const PLOTS = [
  ["Came in", ({ captured }) => captured, count],
  ["Search: 95 of 100 within", ({ p95_ms }) => p95_ms, (value) => `${value.toFixed(1)} ms`],
  ["Changes that the index lacks", ({ backlog }) => backlog, count],
  ["Size of the memory", (sample) => sample.bytes && total(sample.bytes), bytes],
];

function Measures() {
  const [value, onChange] = useState("short");
  const answer = useFresh("/api/series");
  if (answer.instead) return answer.instead;
  const sizes = answer.value.long.at(-1)?.bytes;
  const choice = html`<${Choice} label="Time" options=${SPANS} ...${{ value, onChange }} />`;
  const plots = PLOTS.map(([label, of, say]) => {
    const points = answer.value[value].map((sample) => [sample.at, of(sample)]);
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
  const sorted = Object.entries(sizes).sort(([, one], [, other]) => other - one);
  return sorted.map(([kind, size]) => {
    const share = size / Math.max(1, sorted[0][1]);
    return [kind, measure(share, "beside the largest", bytes(size))];
  });
}

/** An area over time, [[ms, value or null], …], with its last and its largest value in words. */
function Plot({ label, points: all, say }) {
  const points = all.filter(([, value]) => value !== null);
  if (points.length < 2) return null;
  const [[from], [to, last]] = [points[0], points.at(-1)];
  const most = Math.max(...points.map(([, value]) => value));
  const shares = points.map(([at, value]) => [(at - from) / (to - from), value / (most || 1)]);
  return html`<figure class="plot">
    <figcaption><span class="soft">${label}</span> ${say(last)}, ${say(most)} at most</figcaption>
    <${Area} line=${lineOf(shares)} />
    <p class="small soft">${relative(from)} until ${relative(to)}</p>
  </figure>`;
}

function Spending() {
  const answer = useFresh("/api/models/spending", { days: DAYS });
  if (answer.instead) return answer.instead;
  const { spending, tokens, usd } = answer.value;
  const sum = html`<span>${count(tokens)} tokens, $${usd.toFixed(2)}</span>`;
  const rows = byModel(spending).map(([name, row]) => {
    const said = `${count(row.requests)} requests, ${count(row.tokens)} tokens`;
    return html`<${Row} key=${name} name=${name} about=${said}>
      ${row.unpriced < row.requests ? `$${row.usd.toFixed(2)}` : "no price known"}
    <//>`;
  });
  const title = `Models, last ${DAYS} days`;
  return html`<${Rows} ...${{ title, rows }} actions=${tokens > 0 && sum}>
    ${!spending.length && html`<p class="soft">No model was used.</p>`}
  <//>`;
}

/** Return [[model and use, sums of all days], …], what cost most first. */
function byModel(spending) {
  const nameOf = ({ model, provider, kind, purpose }) =>
    `${model || provider || kind}, ${purpose || kind}`;
  const sums = [...Map.groupBy(spending, nameOf)].map(([name, entries]) => {
    const sum = (...fields) =>
      entries.reduce((all, each) => fields.reduce((own, field) => own + each[field], all), 0);
    const tokens = sum("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens");
    const [requests, usd, unpriced] = ["requests", "usd", "unpriced"].map((each) => sum(each));
    return [name, { tokens, requests, usd, unpriced }];
  });
  return sums.sort(([, one], [, other]) => other.usd - one.usd || other.tokens - one.tokens);
}
