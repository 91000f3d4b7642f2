// Health, what is captured: pauses, excluded projects, what was left out, and the agent programs.
import { get, post } from "../api.js";
import { html, useState } from "../lib.js";
import { Pending, useAnswer } from "../ui/answer.js";
import { Chip, Copy, Select } from "../ui/parts.js";
import { Pairs, Row, Section } from "../ui/sheet.js";
import { brief, count } from "../ui/text.js";
import { Time } from "../ui/time.js";
import { toast } from "../ui/toast.js";
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
  const counts = Object.entries(left_out).filter(([, number]) => number > 0);
  return html`
    <${Pauses} pauses=${pauses} projects=${projects} again=${answer.again} />
    <${Section} title="Excluded projects">
      <${Editor} setting=${excluded} save=${saved(excluded, answer.again)} />
    <//>
    ${
      counts.length > 0 &&
      html`<${Section} title="Left out so far">
        <${Pairs}
          of=${counts.map(([reason, number]) => [REASONS[reason] ?? reason, count(number)])}
        />
      <//>`
    }
    <${Clients} clients=${clients} />
  `;
}

function Pauses({ pauses, projects, again }) {
  const [minutes, setMinutes] = useState("60");
  const set = async (verb, project) => {
    const length = verb === "pause" ? { minutes: minutes ? Number(minutes) : null } : {};
    try {
      await post(`/api/capture/${verb}`, { project, ...length });
      toast(verb === "pause" ? "Paused" : "Resumed");
      again();
    } catch (error) {
      toast.error(error);
    }
  };
  const isWhole = pauses.some(({ project_id }) => project_id === null);
  const lengths = html`<${Select}
    label="How long to pause"
    value=${minutes}
    options=${LENGTHS}
    onChange=${setMinutes}
  />`;
  return html`<${Section} title="Capture" actions=${lengths}>
    <ul class="rows">
      ${[{ id: null, name: "Everything" }, ...projects].map(({ id, name, root }) => {
        const pause = pauses.find(({ project_id }) => project_id === id);
        const verb = pause ? "Resume" : "Pause";
        const isPaused = pause || isWhole;
        return html`<${Row} key=${id} name=${name} about=${brief(root)}>
          ${pause?.until && html`<${Time} at=${pause.until} ago />`}
          <${Chip} text=${isPaused ? "paused" : "captured"} tone=${isPaused ? "warn" : "accent"} />
          <button
            class="button"
            aria-label="${verb} ${brief(name)}"
            onClick=${() => set(verb.toLowerCase(), id)}
          >
            ${verb}
          </button>
        <//>`;
      })}
    </ul>
  <//>`;
}

function Clients({ clients }) {
  const isNear = ({ connected, is_here }) => connected || is_here;
  const others = clients.filter((client) => !isNear(client)).map(({ title }) => title);
  return html`<${Section} title="Agent programs">
    <ul class="rows">
      ${clients.filter(isNear).map(({ name, title, remembers, connected, command }) => {
        const about = remembers ? "remembers by itself" : "gets the tools";
        const state = connected ? "connected" : "not connected";
        return html`<${Row} key=${name} name=${title} about=${about}>
          ${
            !connected &&
            html`<code>${command}</code><${Copy} text=${command} label="Copy: ${command}" />`
          }
          <${Chip} text=${state} tone=${connected ? "accent" : "warn"} />
        <//>`;
      })}
    </ul>
    <p class="small soft">Not on this machine: ${brief(others.join(", "))}.</p>
  <//>`;
}
