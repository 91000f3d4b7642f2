// Records in full: what an opened row, a hit and a moment of a timeline show.
import { html } from "../lib.js";
import { Chip } from "./parts.js";
import { Prose, clean } from "./text.js";

/** <${RecordBody} kind="observation" record=${record} />; kinds as `/api/memory/get` names them. */
export function RecordBody({ kind, record, most }) {
  const chip = (path) => html`<${Chip} key=${path} text=${path} />`;
  const part = ([label, text, mono = false]) =>
    html`<section key=${label}>
      ${label && html`<h3 class="record-label">${clean(label)}</h3>`}
      <${Prose} text=${text} most=${most ?? (mono ? 1_200 : 4_000)} mono=${mono} />
    </section>`;
  const parts = PARTS[kind](record).filter(([, text]) => text);
  return html`<div class="record stack">
    ${parts.map(part)}
    ${record.files?.length > 0 && html`<p class="flow wrap">${record.files.map(chip)}</p>`}
  </div>`;
}

const PARTS = {
  message: (record) => [["", record.text]],
  observation: (record) => [
    ["", record.summary === record.title ? "" : record.summary],
    [record.tool_name ? `${record.tool_name}: input` : "Input", record.input, true],
    ["Output", record.output, true],
    ["Error", record.error, true],
  ],
  fact: (record) => [["", record.text]],
  episode: (record) => [
    ["", record.summary],
    ["Decided", record.decisions.join("\n")],
    ["What was done", record.deeds],
    ["Outcome", record.outcome],
    ["Open", record.open_ends.join("\n")],
  ],
};
