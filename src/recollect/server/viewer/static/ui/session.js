// Sessions as other views name them.
import { html } from "../lib.js";
import { Chip } from "./parts.js";

/** Return what a session is called, by what there is. */
export function titleOf(session) {
  const folder = session.project_path?.split("/").pop();
  return session.title || session.session_key || folder || session.id.slice(0, 8);
}

/** The chips of a session: where, whose, and how it is. */
export function SessionChips({ session }) {
  const { project_path: path, agent, source, status } = session;
  return html`${path && html`<${Chip} text=${path.split("/").pop() || path} title=${path} />`}
  ${(source ?? agent) && html`<${Chip} text=${source ?? agent} />`}
  ${status === "archived" && html`<${Chip} text="ended" />`}
  ${status === "deleted" && html`<${Chip} text="deleted" tone="warn" />`}`;
}
