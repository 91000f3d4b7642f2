// Settings: every one with its value and where that came from; those that a page may change.
import { get } from "../api.js";
import { html, useEffect, useRef } from "../lib.js";
import { route as address, go, href } from "../router.js";
import { Pending, useAnswer } from "../ui/answer.js";
import { Icon } from "../ui/icon.js";
import { useKeys } from "../ui/keys.js";
import { Empty, Page } from "../ui/page.js";
import { Chip, Choice, Copy, Select } from "../ui/parts.js";
import { Pairs, Section, Sheet } from "../ui/sheet.js";
import { Sentence, brief, count } from "../ui/text.js";
import { Editor, saved } from "./settings-editor.js";

const WHICH = [
  ["", "All"],
  ["set", "Changed"],
  ["free", "Changeable here"],
];

export default function Settings({ route }) {
  const { agent = "", q = "", only = "", open = "" } = route.query;
  const box = useRef();
  const answer = useAnswer((signal) => get("/api/settings", { agent }, { signal }), [agent]);
  const set = (change) =>
    go(href("settings", [], { ...address.peek().query, ...change }), { replace: true });
  useKeys("Settings", {
    "/": ["to the box", () => (box.current.focus(), box.current.select())],
    Escape: ["close what is open", () => (open ? set({ open: "" }) : false)],
  });
  const { settings = [], agents = [] } = answer.value ?? {};
  const shown = settings.filter((setting) => fits(setting, q, only));
  const names = [["", "All agents"], ...agents.map((name) => [name, name])];
  return html`<${Page} class="settings" title="Settings" lead="In config.yaml of the memory">
    <div class="filters" role="group" aria-label="Filters">
      <input
        type="search"
        ref=${box}
        data-first
        aria-label="Search the settings"
        placeholder="A name, or what it is for"
        autocomplete="off"
        value=${q}
        onInput=${(event) => set({ q: event.target.value })}
      />
      <${Choice}
        label="Which"
        value=${only}
        options=${WHICH}
        onChange=${(each) => set({ only: each })}
      />
      ${
        (agents.length > 0 || agent) &&
        html`<${Select}
          label="Agent"
          value=${agent}
          options=${names}
          onChange=${(each) => set({ agent: each })}
        />`
      }
    </div>
    <${Sheet} label="Settings">
      ${!answer.value && html`<${Pending} ...${answer} />`}
      ${
        answer.value &&
        !shown.length &&
        html`<${Empty} title="No setting fits" icon="settings">
          <a class="link" href=${href("settings")}>Show all</a>
        <//>`
      }
      ${[...Map.groupBy(shown, ({ name }) => name.split(".")[0])].map(
        ([name, own]) =>
          html`<${Section} key=${name} title=${name}>
            <ul class="settings-list">
              ${own.map((setting) => {
                const isOpen = setting.name === open;
                const more = { setting, agent, set, again: answer.again, isOpen };
                return html`<${Setting} key=${setting.name} ...${more} />`;
              })}
            </ul>
          <//>`,
      )}
    <//>
  <//>`;
}

function fits({ name, what_for, is_set, changeable }, q, only) {
  if ((only === "set" && !is_set) || (only === "free" && !changeable)) return false;
  const text = `${name} ${what_for}`.toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Return a value as text: of a list its parts, of what is unset a dash. */
function shownOf(value, unit) {
  if (value === null || value === "" || value.length === 0) return "–";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value !== "number") return [value].flat().join(", ");
  return unit.endsWith("port") ? String(value) : `${count(value)} ${unit}`;
}

function Setting({ setting, agent, set, again, isOpen }) {
  const { name, value, unit, origin, is_set, secret } = setting;
  const row = useRef();
  useEffect(() => void (isOpen && row.current.scrollIntoView({ block: "nearest" })), [isOpen]);
  const isDefault = origin === "default";
  const text = secret ? (is_set ? "set, and not shown" : "–") : shownOf(value, unit);
  return html`<li class=${isOpen && "open"} ref=${row}>
    <button
      class="settings-row"
      aria-expanded=${isOpen}
      onClick=${() => set({ open: isOpen ? "" : name })}
    >
      <code>${name}</code>
      <bdi>${brief(text)}</bdi>
      ${!isDefault && html`<${Chip} text=${origin.split(" ")[0]} title=${origin} tone="accent" />`}
      <${Icon} name="down" />
    </button>
    ${isOpen && html`<${Details} ...${{ setting, agent, again }} />`}
  </li>`;
}

function Details({ setting, agent, again }) {
  const { name, origin, unit, secret, changeable, needs_restart } = setting;
  const command = `recollect config set ${agent && `agents.${agent}.`}${name} VALUE`;
  return html`<div class="settings-details">
    <p><${Sentence} text=${setting.what_for} /></p>
    <${Pairs}
      of=${[
        ["From", origin],
        ["Must be", setting.must_be],
        ["Default", secret ? "" : shownOf(setting.default, unit)],
        ["In force", needs_restart && "when the worker starts again"],
      ]}
    />
    ${
      changeable
        ? html`<${Editor} setting=${setting} save=${saved(setting, again, agent || null)} />`
        : html`<p class="soft">
            ${secret ? "It is never shown, and" : "It is"} changed on the command line alone:
            <code> ${command}</code><${Copy} text=${command} label="Copy the command" />
          </p>`
    }
  </div>`;
}
