"""OpenClaw transcripts: ``~/.openclaw/agents/<agent>/sessions/*.jsonl``, and OpenClaudeCode's.

A session header, then entries with an id: messages, compactions, and the state of the program. The
older OpenClaudeCode writes the same frame with ``channel`` and ``from`` in the message, and has
no ids.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import msgspec

from recollect.integrations.block_spelling import block_extras, openclaw_block
from recollect.integrations.fidelity import REST, rest_of, restored
from recollect.sessions.foreign import (
    ForeignLine,
    ForeignMessage,
    ForeignSession,
    Malformed,
    Record,
    Skip,
    parse_time,
)

_ROLES = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "toolResult": "tool",
    "tool": "tool",
    "bashExecution": "tool",
    "compactionSummary": "system",
    "branchSummary": "system",
}
_HELD = frozenset({"id", "message", "parentId", "summary", "timestamp", "type", REST})
"""Fields of an entry that the message stands for."""
_SAID = frozenset({"command", "content", "isError", "output", "summary", "toolCallId", "toolName"})
"""Fields of the message in it, likewise."""
_PLAIN = frozenset({"assistant", "system", "toolResult", "user"})
"""Roles that ours tell."""
_SILENT = frozenset({"NO_REPLY", "HEARTBEAT_OK"})
"""Whole replies by which the agent says that it has nothing to say."""


class OpenClawFormat:
    """Reads what OpenClaw (2026.2 to 2026.9) and OpenClaudeCode write."""

    name = "openclaw"
    home = "~/.openclaw/agents"
    companion = "sessions.json"
    is_owners = False

    def recognises(self, record: Record) -> bool:
        """Return whether a record is a line of OpenClaw."""
        if "recollect" in record:
            return False
        kind = record.get("type")
        return (kind == "message" and isinstance(record.get("message"), dict)) or (
            kind == "session" and not {"id", "version"}.isdisjoint(record)
        )

    def describe(
        self, path: PurePath, header: Record | None, companion: Record | None = None
    ) -> ForeignSession:
        """Return the session of a file, from its header or, without one, from its name."""
        header = header if header is not None and header.get("type") == "session" else {}
        given = header.get("id")
        project = header.get("cwd")
        session_id = given if isinstance(given, str) and given else path.stem
        return ForeignSession(
            id=session_id,
            key=_key_of(session_id, companion or {}),
            agent=_agent_of(path),
            project=project if isinstance(project, str) and project else None,
            at=parse_time(header.get("timestamp")),
        )

    def parse(self, record: Record, session: ForeignSession) -> ForeignLine:
        """Return what one entry says."""
        rest = rest_of(record)
        if rest is None:
            return self._parse(record, session)
        line = self._parse(record, session)
        if isinstance(line, Skip | Malformed):
            line = _line(record, session, "system", [])
        return restored(line, rest)

    def _parse(self, record: Record, session: ForeignSession) -> ForeignLine:
        match record.get("type"):
            case "message":
                return _message(record, session)
            case "session":
                return session
            case "compaction" | "branch_summary" as kind:
                return _summary(record, session, kind)
            case "session_info" if isinstance(record.get("name"), str):
                return ForeignSession(id=session.id, title=record["name"], title_is_final=True)
            case str():
                return Skip(reason="state of the program")
            case _:
                return Malformed(reason="an entry without a type")


def _agent_of(path: PurePath) -> str | None:
    """Return the agent of ``…/agents/<agent>/sessions/<file>``."""
    folders = path.parts[-4:-1]
    return folders[1] if len(folders) == 3 and folders[::2] == ("agents", "sessions") else None


def _key_of(session_id: str, companion: Record) -> str | None:
    """Return the session key that ``sessions.json`` gives to a session, where it still does."""
    for key, entry in companion.items():
        if isinstance(entry, dict) and entry.get("sessionId") == session_id:
            return key
    return None


def _message(record: Record, session: ForeignSession) -> ForeignLine:
    message = record.get("message")
    if not isinstance(message, dict):
        return Malformed(reason="a message entry without a message")
    role = _ROLES.get(str(message.get("role")))
    if role is None:
        return Malformed(reason="a message without a known role")
    content = _content(message, record.get("id"))
    if not isinstance(content, str | list | None):
        return Malformed(reason="content that is neither text nor blocks")
    if not content:
        return Skip(reason="no content")
    if isinstance(content, str) and content.strip() in _SILENT:
        return Skip(reason="a silent reply")
    return _line(record, _placed(session, message, role), role, content)


def _placed(session: ForeignSession, message: dict[str, Any], role: str) -> ForeignSession:
    """Return the session with the key that a message of OpenClaudeCode tells."""
    channel, sender = message.get("channel"), message.get("from")
    if session.key or role != "user" or not isinstance(channel, str) or not sender:
        return session
    return ForeignSession(
        id=session.id,
        key=f"{channel}:{sender}",
        agent=session.agent,
        project=session.project,
        at=session.at,
    )


def _line(
    record: Record, session: ForeignSession, role: str, content: str | list[Any]
) -> ForeignMessage:
    message = record["message"] if isinstance(record.get("message"), dict) else {}
    entry, sender = record.get("id"), message.get("from")
    facts = {"parent": record.get("parentId"), "model": message.get("model")}
    at, usage = parse_time(record.get("timestamp")), message.get("usage")
    return ForeignMessage(
        session=session,
        role=role,
        content=content,
        id=entry if isinstance(entry, str) else None,
        name=sender if isinstance(sender, str) and sender else None,
        at=at if at is not None else parse_time(message.get("timestamp")),
        metadata={key: value for key, value in facts.items() if isinstance(value, str)},
        usage=usage if isinstance(usage, dict) else None,
        extra=_extra(record, message),
    )


def _extra(record: Record, message: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what an entry holds that its message does not stand for."""
    held = _SAID | {key for key in ("from", "model") if isinstance(message.get(key), str)}
    held |= {"role"} if message.get("role") in _PLAIN else set()
    if parse_time(message.get("timestamp")) == parse_time(record.get("timestamp")):
        held |= {"timestamp"}
    blocks = block_extras(message.get("content"), openclaw_block)
    if message.get("role") != "user":  # always lists, no need to say so
        blocks = {place: extra for place, extra in blocks.items() if extra}
    return {
        "line": {key: record[key] for key in record if key not in _HELD},
        "message": {key: message[key] for key in message if key not in held},
        "blocks": blocks,
    }


def _content(message: dict[str, Any], entry: object) -> object:
    """Return the content of a message; the answers of tools become blocks that say so."""
    match message.get("role"):
        case "toolResult":
            return [
                {
                    "type": "tool_result",
                    "tool_use_id": message.get("toolCallId"),
                    "name": message.get("toolName"),
                    "content": message.get("content"),
                    "is_error": bool(message.get("isError")),
                }
            ]
        case "bashExecution":
            command = {"command": message.get("command")}
            return [
                {"type": "tool_use", "id": entry, "name": "bash", "input": command},
                {
                    "type": "tool_result",
                    "tool_use_id": entry,
                    "name": "bash",
                    "content": message.get("output"),
                    "is_error": bool(message.get("exitCode")),
                },
            ]
        case "compactionSummary" | "branchSummary":
            return message.get("summary")
        case _:
            return message.get("content")


def _summary(record: Record, session: ForeignSession, kind: str) -> ForeignLine:
    summary = record.get("summary")
    if not isinstance(summary, str) or not summary.strip():
        return Skip(reason="no content")
    line = _line(record, session, "system", summary)
    return msgspec.structs.replace(line, metadata=line.metadata | {"kind": kind})
