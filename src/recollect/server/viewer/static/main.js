// The shell: getting in, the ways to the views, and the view that the address names.
import { access, enter, refusal } from "./api.js";
import { link } from "./events.js";
import { html, render, signal, useEffect, useErrorBoundary, useRef, useState } from "./lib.js";
import { go, href, route } from "./router.js";
import { Pending } from "./ui/answer.js";
import { Asked, Dialog } from "./ui/dialog.js";
import { Icon, IconButton } from "./ui/icon.js";
import { bindings, useKeys } from "./ui/keys.js";
import { Empty, Loading, Problem } from "./ui/page.js";
import { Toasts } from "./ui/toast.js";
import { VIEWS } from "./views.js";

const isHelping = signal(false);
const { style } = document.documentElement;
const theme = signal(style.colorScheme || "auto");
const NEXT_THEME = { auto: "dark", dark: "light", light: "auto" };

function App() {
  if (access.value === "out") return html`<${Door} />`;
  if (access.value === "asking") return html`<${Loading} what="Looking for an open viewer" />`;
  return html`<${Shell} />`;
}

/** What stands here without a token; it goes on by itself when another tab gets one. */
function Door() {
  const error = refusal.value;
  return html`<main class="door stack">
    <${Brand} />
    <h1>Run <code>recollect open</code></h1>
    <p>
      in a terminal of this machine. It opens this page with a key for twelve hours, and what you
      were looking for follows by itself.
    </p>
    ${error && html`<${Problem} error=${error} />`}
  </main>`;
}

function Shell() {
  const { view } = route.value;
  const main = useRef();
  const known = VIEWS.find((each) => each.name === view);
  const skip = (event) => (event.preventDefault(), main.current.focus());
  useKeys("Everywhere", {
    ...Object.fromEntries(VIEWS.map((each) => [`g ${each.key}`, [each.label, goTo(each.name)]])),
    "/": ["search", goTo("search")],
    "?": ["these keys", help],
  });
  useEffect(() => {
    document.title = `${known?.label ?? "Not found"} · recollect`;
    // Not by `scrollIntoView`: the next Tab would go on from there.
    const way = document.querySelector(".side [aria-current]");
    if (way) way.closest("ul").scrollLeft = way.offsetLeft - way.offsetWidth;
  }, [view]);
  return html`
    <a class="skip" href="#main" onClick=${skip}>Skip to the content</a>
    <nav class="side" aria-label="Views">
      <${Brand} />
      <ul>
        ${VIEWS.map((each) => html`<${Way} key=${each.name} view=${each} is=${each === known} />`)}
      </ul>
      <${Foot} />
    </nav>
    <main class="main stack" id="main" tabindex="-1" ref=${main}>
      ${known ? html`<${Loaded} key=${view} view=${known} />` : NOWHERE}
    </main>
    ${isHelping.value && html`<${Help} />`}
    <${Asked} />
    <${Toasts} />
  `;
}

let wantsFocus = false;

const goTo = (name) => () => {
  wantsFocus = true;
  go(href(name));
  requestAnimationFrame(focusFirst);
};

function focusFirst() {
  const first = wantsFocus && document.querySelector("[data-first]");
  if (!first) return; // the view is still on its way
  first.focus();
  wantsFocus = false;
}

const Brand = () =>
  html`<div class="brand flow">
    <img src="/viewer/icon.svg" alt="" width="26" height="26" /><span>recollect</span>
  </div>`;

const Way = ({ view, is }) =>
  html`<li>
    <a href=${href(view.name)} aria-current=${is ? "page" : null} title="g ${view.key}">
      <${Icon} name=${view.name} /><span>${view.label}</span>
    </a>
  </li>`;

function setTheme() {
  const to = (theme.value = NEXT_THEME[theme.value]);
  style.colorScheme = to === "auto" ? "" : to;
  localStorage.setItem("recollect.theme", style.colorScheme);
}

const help = () => (isHelping.value = true);

function Foot() {
  const said = link.value === "open" ? "live" : link.value;
  return html`<div class="foot flow soft small">
    <span class="link-state ${link.value}" role="status">${said}</span>
    <${IconButton} icon="theme" label="Theme: ${theme.value}" act=${setTheme} />
    <${IconButton} label="Keys" title="Keys: ?" act=${help}><kbd>?</kbd><//>
  </div>`;
}

const DEFECT = {
  message: "this view failed",
  hint: "the console of the browser has the place; the memory is as it was",
};
const NOT_LOADED = { message: "this view could not be loaded", hint: "try it again" };

/** The view of an address, loaded when it is first asked for. */
function Loaded({ view }) {
  const [state, setState] = useState({});
  const [defect, forget] = useErrorBoundary((error) => console.error(error));
  const load = () => {
    setState({});
    Promise.all([import(`./views/${view.name}.js`), stylesOf(view.name)]).then(
      ([module]) => setState({ View: module.default }),
      () => setState({ error: NOT_LOADED }),
    );
  };
  useEffect(load, []);
  useEffect(focusFirst, [state.View]);
  if (defect) return html`<${Problem} error=${DEFECT} retry=${forget} />`;
  if (!state.View) return html`<${Pending} error=${state.error} again=${load} />`;
  return html`<${state.View} route=${route.value} />`;
}

const styles = new Map();
const hrefOf = (name) => `/viewer/views/${name}.css`;

function stylesOf(name) {
  if (!styles.has(name)) {
    const sheet = document.createElement("link");
    const loading = new Promise((onload, onerror) =>
      Object.assign(sheet, { onload, onerror, rel: "stylesheet", href: hrefOf(name) }),
    );
    document.head.append(sheet);
    styles.set(name, loading);
  }
  return styles.get(name);
}

const NOWHERE = html`<${Empty} title="There is no such view">
  <a class="link" href=${href("live")}>Go to Live</a>
<//>`;

function Help() {
  const named = bindings.value.filter(({ label }) => label);
  const groups = Map.groupBy(named, ({ group }) => group);
  const row = ({ keys, label }) =>
    html`<div key=${keys}>
      <dt>${keys.split(" ").map((key) => html`<kbd>${key}</kbd>`)}</dt>
      <dd>${label}</dd>
    </div>`;
  const section = ([group, own]) =>
    html`<section class="keys" key=${group}>
      <h3>${group}</h3>
      <dl>${own.map(row)}</dl>
    </section>`;
  return html`<${Dialog} title="Keys" close=${() => (isHelping.value = false)}>
    ${[...groups].map(section)}
  <//>`;
}

enter();
render(html`<${App} />`, document.body);
