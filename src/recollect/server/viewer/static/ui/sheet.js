// A page that is read from top to bottom: what its sections and rows are made of.
import { html } from "../lib.js";
import { brief } from "./text.js";

/** The part that scrolls: <${Sheet} label="Settings">…</> */
export const Sheet = ({ label, children }) =>
  html`<div class="sheet" tabindex="0" role="group" aria-label=${label}>${children}</div>`;

/** A heading with its actions, and what is below it: <${Section} title="Tokens">…</> */
export const Section = ({ title, actions, children }) =>
  html`<section>
    <div class="section-head">
      <h2>${title}</h2>
      ${actions}
    </div>
    ${children}
  </section>`;

/** A row of a `ul.rows`: a name and what is said about it, then chips and buttons. */
export const Row = ({ name, about, children }) =>
  html`<li>
    <div class="grow">
      <bdi>${brief(name)}</bdi>
      ${about && html`<div class="small soft" dir="auto">${about}</div>`}
    </div>
    ${children}
  </li>`;

/** Names with texts or html, empty ones are left out: <${Pairs} of=${[["Facts", "6"]]} /> */
export const Pairs = ({ of }) =>
  html`<dl class="pairs">
    ${of
      .filter(([, value]) => value)
      .map(
        ([name, value]) =>
          html`<div key=${name}>
            <dt>${brief(name)}</dt>
            <dd dir="auto">${typeof value === "string" ? brief(value) : value}</dd>
          </div>`,
      )}
  </dl>`;
