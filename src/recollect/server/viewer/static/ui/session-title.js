// What a session is called that a record names.
import { nameOf, record } from "../records.js";
import { titleOf } from "./session.js";
import { brief } from "./text.js";

/** <${SessionTitle} id=${fact.session_id} gone="its session" />, as text. */
export function SessionTitle({ id, gone = "A session that is gone" }) {
  const session = record(nameOf.session(id)).value;
  return brief(session ? titleOf(session) : gone);
}
