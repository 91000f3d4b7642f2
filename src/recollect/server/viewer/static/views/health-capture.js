// Health, what is captured: pauses, excluded projects, what was left out, and the agent programs.
import { get, post } from "../api.js";
import { html, useState } from "../lib.js";
import { Chip, Copy, Pairs, Pending, Row, Rows, Section, Select, Time } from "../ui.js";
import { attempt, brief, count, toast, useAnswer } from "../ui.js";
import { Editor, saved } from "./settings-editor.js";

const PATHS = ["/api/capture", "/api/projects", "/api/settings", "/api/clients"];
const LENGTHS = [
  ["60", "Pause for an hour"],
  ["480", "Pause for eight hours"],
  ["", "Pause until it is resumed"],
];
const REASONS = {
  paused: "while it was paused",
  excluded: "of excluded projects",
  off: "of projects with a .recollect-off",
  tool: "by tools that are skipped",
  file: "of files that are skipped",
};

export function Capture() {
  const ask = (signal) => Promise.all(PATHS.map((path) => get(path, {}, { signal })));
  const answer = useAnswer(ask, []);
  if (!answer.value) return html`<${Pending} ...${answer} />`;
  const [{ pauses, left_out }, { projects }, { settings }, { clients }] = answer.value;
  const excluded = settings.find(({ name }) => name === "privacy.exclude_projects");
  const counts = Object.entries(left_out)
    .filter(([, number]) => number > 0)
    .map(([reason, number]) => [REASONS[reason] ?? reason, count(number)]);
  return html`
    <${Pauses} pauses=${pauses} projects=${projects} again=${answer.again} />
    <${Section} title="Excluded projects">
      <${Editor} setting=${excluded} save=${saved(excluded, answer.again)} />
    <//>
    ${counts.length > 0 && html`<${Section} title="Left out so far"><${Pairs} of=${counts} /><//>`}
    <${Clients} clients=${clients} />
  `;
}

function Pauses({ pauses, projects, again }) {
  const [value, onChange] = useState("60");
  const change = (verb, project) =>
    attempt(async () => {
      const length = verb === "Pause" ? { minutes: value ? Number(value) : null } : {};
      await post(`/api/capture/${verb.toLowerCase()}`, { project, ...length });
      toast(`${verb}d`);
      again();
    });
  const of = { label: "How long to pause", options: LENGTHS, value, onChange };
  const pauseOf = (project) => pauses.find(({ project_id }) => project_id === project);
  const row = ({ id, name, root }) => {
    const pause = pauseOf(id);
    const verb = pause ? "Resume" : "Pause";
    const is = pause || pauseOf(null) ? ["paused", "warn"] : ["captured", "accent"];
    const act = () => change(verb, id);
    return html`<${Row} key=${id} name=${name} about=${brief(root)}>
      ${pause?.until && html`<${Time} at=${pause.until} ago />`}
      <${Chip} text=${is[0]} tone=${is[1]} />
      <button class="button" aria-label="${verb} ${brief(name)}" onClick=${act}>${verb}</button>
    <//>`;
  };
  const rows = [{ id: null, name: "Everything" }, ...projects].map(row);
  return html`<${Rows} title="Capture" actions=${html`<${Select} ...${of} />`} rows=${rows} />`;
}

function Clients({ clients }) {
  const isNear = ({ connected, is_here }) => connected || is_here;
  const others = clients.filter((client) => !isNear(client)).map(({ title }) => title);
  const row = ({ name, title, remembers, connected, command }) => {
    const about = remembers ? "remembers by itself" : "gets the tools";
    const is = connected ? ["connected", "accent"] : ["not connected", "warn"];
    const way = html`<code>${command}</code><${Copy} text=${command} label="Copy: ${command}" />`;
    return html`<${Row} key=${name} name=${title} about=${about}>
      ${!connected && way} <${Chip} text=${is[0]} tone=${is[1]} />
    <//>`;
  };
  return html`<${Rows} title="Agent programs" rows=${clients.filter(isNear).map(row)}>
    <p class="small soft">Not on this machine: ${brief(others.join(", "))}.</p>
  <//>`;
}
