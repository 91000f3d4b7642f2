// Settings: every one with its value and where that came from; those that a page may change.
import { html, useEffect, useRef } from "../lib.js";
import { amend } from "../router.js";
import { Box, Chip, Choice, Copy, Filters, Icon, NothingFits, Page, Pairs } from "../ui.js";
import { Pending, Section, Sentence, Sheet, brief, count, named, useGet, useKeys } from "../ui.js";
import { Editor, saved } from "./settings-editor.js";

const WHICH = { "": "All", set: "Changed", free: "Changeable here" };

export default function Settings({ route }) {
  const { agent = "", q = "", only = "", open = "" } = route.query;
  const { value, error, again } = useGet("/api/settings", { agent });
  useKeys("Settings", {
    Escape: ["close what is open", () => (open ? amend({ open: "" }) : false)],
  });
  const { settings = [], agents = [] } = value ?? {};
  const shown = settings.filter((setting) => fits(setting, q, only));
  const filters = [
    ["only", "Which", WHICH, Choice],
    ["agent", "Agent", named("All agents", agents)],
  ];
  const hint = "A name, or what it is for";
  const box = html`<${Box} name="q" label="Search the settings" hint=${hint} />`;
  const nothing = html`<${NothingFits} view="settings" title="No setting fits" icon="settings" />`;
  const row = (setting) => {
    const { name } = setting;
    return html`<${Setting} key=${name} isOpen=${name === open} ...${{ setting, agent, again }} />`;
  };
  const section = ([name, own]) =>
    html`<${Section} key=${name} title=${name}>
      <ul class="settings-list">
        ${own.map(row)}
      </ul>
    <//>`;
  return html`<${Page} class="settings" title="Settings" lead="In config.yaml of the memory">
    <${Filters} first=${box} of=${filters} />
    <${Sheet} label="Settings">
      ${!value && html`<${Pending} ...${{ error, again }} />`} ${value && !shown.length && nothing}
      ${[...Map.groupBy(shown, ({ name }) => name.split(".")[0])].map(section)}
    <//>
  <//>`;
}

function fits({ name, what_for, is_set, changeable }, q, only) {
  if ((only === "set" && !is_set) || (only === "free" && !changeable)) return false;
  const text = `${name} ${what_for}`.toLowerCase();
  const words = q.toLowerCase().split(/\s+/);
  return words.every((word) => text.includes(word));
}

/** Return a value as text: of a list its parts, of what is unset a dash. */
function shownOf(value, unit) {
  if (value === null || value === "" || value.length === 0) return "–";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value !== "number") return [value].flat().join(", ");
  return unit.endsWith("port") ? String(value) : `${count(value)} ${unit}`;
}

function Setting({ setting, agent, again, isOpen }) {
  const { name, value, unit, origin, is_set, secret } = setting;
  const row = useRef();
  useEffect(() => void (isOpen && row.current.scrollIntoView({ block: "nearest" })), [isOpen]);
  const turn = () => amend({ open: isOpen ? "" : name });
  const isDefault = origin === "default";
  const text = secret ? (is_set ? "set, and not shown" : "–") : shownOf(value, unit);
  return html`<li class=${isOpen && "open"} ref=${row}>
    <button class="settings-row" aria-expanded=${isOpen} onClick=${turn}>
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
  const pairs = [
    ["From", origin],
    ["Must be", setting.must_be],
    ["Default", secret ? "" : shownOf(setting.default, unit)],
    ["In force", needs_restart && "when the worker starts again"],
  ];
  return html`<div class="settings-details stack wide">
    <p><${Sentence} text=${setting.what_for} /></p>
    <${Pairs} of=${pairs} />
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
