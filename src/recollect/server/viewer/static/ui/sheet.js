// A page that is read from top to bottom: what its sections and rows are made of.
import { html } from "../lib.js";
import { Bar } from "./parts.js";
import { brief } from "./text.js";

/** The part that scrolls: <${Sheet} label="Settings">…</> */
export const Sheet = ({ label, children }) =>
  html`<div class="sheet" tabindex="0" role="group" aria-label=${label}>${children}</div>`;

/** A heading with its actions, and what is below it: <${Section} title="Tokens">…</> */
export const Section = ({ title, actions, children }) =>
  html`<section>
    <div class="section-head flow wrap">
      <h2>${title}</h2>
      ${actions}
    </div>
    ${children}
  </section>`;

/** A section with rows, and what is below them: <${Rows} title="Tokens" rows=${html} /> */
export const Rows = ({ rows, children, ...more }) =>
  html`<${Section} ...${more}>
    <ul class="rows">
      ${rows}
    </ul>
    ${children}
  <//>`;

/** A row of Rows: a name and what is said about it, then chips and buttons. */
export const Row = ({ name, about, children }) =>
  html`<li>
    <div class="grow">
      <bdi>${brief(name)}</bdi>
      ${about && html`<div class="small soft" dir="auto">${about}</div>`}
    </div>
    ${children}
  </li>`;

/** Names with texts or html, empty ones are left out: <${Pairs} of=${[["Facts", "6"]]} /> */
export function Pairs({ of }) {
  const pair = ([name, value]) =>
    html`<div key=${name}>
      <dt>${brief(name)}</dt>
      <dd dir="auto">${typeof value === "string" ? brief(value) : value}</dd>
    </div>`;
  return html`<dl class="pairs">${of.filter(([, value]) => value).map(pair)}</dl>`;
}

/** Return a share of a whole as a bar with its number, for a value of Pairs. */
export const measure = (value, label, said = value.toFixed(2)) =>
  html`<span class="measure"><${Bar} value=${value} label=${label} /> ${said}</span>`;

/** The ways to the parts of a view: <${Ways} label="Parts" of=${[[address, text]]} at=${text} /> */
export const Ways = ({ label, of, at, isFirst = false }) =>
  html`<nav class="choice ways" aria-label=${label}>
    ${of.map(([to, text], place) => {
      const own = {
        "aria-current": text === at ? "page" : null,
        "data-first": (isFirst && !place) || null,
      };
      return html`<a key=${text} href=${to} ...${own}>${text}</a>`;
    })}
  </nav>`;

/** Return a size in the unit that reads best: "820 kB", "1.4 GB". */
export function bytes(number) {
  const steps = ["B", "kB", "MB", "GB", "TB"];
  const step = Math.min(4, Math.max(0, Math.floor(Math.log10(Math.max(1, number)) / 3)));
  const shown = number / 1_000 ** step;
  return `${shown.toFixed(step && shown < 10 ? 1 : 0)} ${steps[step]}`;
}
