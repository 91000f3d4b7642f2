// What every view has: a heading with its actions, and what stands where there is nothing (yet).
import { html } from "../lib.js";
import { Icon } from "./icon.js";
import { Sentence } from "./text.js";

/** <${Page} title="Live" actions=${html`…`}>…</> */
export function Page({ title, lead, actions, children, class: name = "" }) {
  return html`
    <div class="page ${name}">
      <header class="page-head ends">
        <div>
          <h1>${title}</h1>
          ${lead && html`<p class="lead soft">${lead}</p>`}
        </div>
        ${actions && html`<div class="flow wrap">${actions}</div>`}
      </header>
      ${children}
    </div>
  `;
}

/** Where there is nothing: <${Empty} title="Nothing yet">What to do.</> */
export function Empty({ title, icon = "live", children }) {
  return html`<div class="empty soft">
    <${Icon} name=${icon} />
    <p class="empty-title">${title}</p>
    <p>${children}</p>
  </div>`;
}

/** Where filters leave nothing, the way to all. */
export const NothingFits = ({ view, title = "Nothing fits", icon = "filter" }) =>
  html`<${Empty} title=${title} icon=${icon}>
    <a class="link" href="#/${view}">Show all</a>
  <//>`;

/** What the server says of a failure: <${Problem} error=${error} retry=${fn} /> */
export function Problem({ error, retry }) {
  return html`<div class="problem stack" role="alert">
    <p class="bad"><${Sentence} text=${error.message} /></p>
    ${error.hint && html`<p><${Sentence} text=${error.hint} /></p>`}
    ${retry && html`<button class="button" onClick=${retry}>Try again</button>`}
  </div>`;
}

/** Something is on its way; it shows itself only where that takes a while. */
export const Loading = ({ what = "Loading" }) =>
  html`<div class="loading flow soft" role="status"><span class="spinner"></span>${what}…</div>`;
