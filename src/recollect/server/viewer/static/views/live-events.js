// Events as sentences. They hold ids and counts, and never a user's text.
import { count, many } from "../ui/text.js";

const REWINDS = { rewind: "Rewind", undo: "Undo of a rewind", redo: "Redo of a rewind" };

const SENTENCES = {
  "session.created": () => "Session began",
  "session.forked": (e) => `Forked from another session, after message ${e.at_seq}`,
  "session.reset": (e) => `Session began afresh: ${e.reason}`,
  "session.resumed": () => "Session went on",
  "session.ended": () => "Session ended",
  "session.changed": (e) => `Session is ${e.status}`,
  "message.finished": (e) => `Message ${e.seq} is complete`,
  "tools.called": (e) => `${many(e.count, "tool call")}: ${e.names.join(", ")}`,
  "tools.finished": (e) =>
    `${many(e.count, "tool result")}${e.failed ? `, ${count(e.failed)} failed` : ""}`,
  "observation.forgotten": (e) => `Observation #${e.number} was forgotten`,
  "observation.restored": (e) => `Observation #${e.number} is back`,
  "observation.updated": (e) => `Observation #${e.number} was changed by hand`,
  "fact.changed": (e) => `Fact f${e.number}: ${e.action}`,
  "messages.withdrawn": (e) => `A rewind took messages ${e.first_seq} to ${e.last_seq} out`,
  "messages.returned": (e) => `Messages ${e.first_seq} to ${e.last_seq} are back`,
  "messages.pruned": (e) => `Retention removed ${many(e.count, "message")}`,
  "session.pruned": (e) => `Retention removed a session of ${many(e.messages, "message")}`,
  "records.pruned": (e) => `Retention removed ${count(e.count)} ${e.kind}`,
  "sessions.erased": (e) =>
    `${many(e.sessions, "session")} erased, with ${many(e.messages, "message")}`,
  "facts.erased": (e) => `${many(e.facts, "fact")} erased`,
  "session.compacted": (e) =>
    `Compacted up to message ${e.through_seq}: ` +
    `${count(e.tokens_before)} tokens became ${count(e.tokens_after)}`,
  "memory.flushed": (e) => `${many(e.lines, "line")} went into ${e.path}`,
  "memory.flush_failed": (e) => `The notes could not be written: ${e.error}`,
  "checkpoint.taken": (e) => `Checkpoint c${e.number} of ${many(e.files, "file")}`,
  "rewind.began": (e) => `${REWINDS[e.kind]} of ${many(e.files, "file")} began`,
  "rewind.ended": (e) => `${REWINDS[e.kind]} of ${many(e.files, "file")}: ${e.status}`,
  "import.finished": (e) =>
    `Import of ${e.source}: ${many(e.sessions, "session")}, ${many(e.messages, "message")}`,
  "identity.linked": () => "An account was linked to a person",
  "identity.unlinked": () => "An account was taken from a person",
  "home.backed_up": () => "The memory was backed up",
  "home.exported": () => "The memory was exported",
  "home.restored": () => "The memory was made from a backup",
};

/** Return what an event says; of one that this version does not know its type. */
export function eventText(event) {
  return SENTENCES[event.type]?.(event) ?? (event.name ?? event.type).replaceAll(".", " ");
}
