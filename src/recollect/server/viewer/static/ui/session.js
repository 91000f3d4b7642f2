// Sessions as other views name them.
import { html } from "../lib.js";
import { nameOf, record } from "../records.js";
import { Chip } from "./parts.js";
import { brief } from "./text.js";

/** Return what a session is called, by what there is. */
export function titleOf(session) {
  const folder = session.project_path?.split("/").pop();
  return session.title || session.session_key || folder || session.id.slice(0, 8);
}

/** Return a session as far as it is loaded; the component that asks is drawn again when it is. */
export const sessionOf = (id) => (id ? record(nameOf.session(id)).value : null);

/** Return what a session is called; where it is not loaded, another text or its id. */
export const titleById = (id, instead) => brief(titleOf(sessionOf(id) ?? { title: instead, id }));

/** The chips of a session: where, whose, and how it is. */
export function SessionChips({ session }) {
  const { project_path: path, agent, source, status } = session;
  return html`${path && html`<${Chip} text=${path.split("/").pop() || path} title=${path} />`}
  ${(source ?? agent) && html`<${Chip} text=${source ?? agent} />`}
  ${status === "archived" && html`<${Chip} text="ended" />`}
  ${status === "deleted" && html`<${Chip} text="deleted" tone="warn" />`}`;
}
