"""Plain JSON lines: one message a line, ``{"role": …, "content": …, "at": …}``.

Also reads the spellings of others (``text``, ``timestamp``, ``speaker``, OpenAI's ``tool_calls``)
and recollect's own mirrors. A line may name its session; otherwise the file is the session.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

import msgspec

from recollect.core.clock import to_iso
from recollect.exchange import transcript as port
from recollect.exchange.formats import extras
from recollect.sessions.context.compaction import Compaction
from recollect.sessions.record.content import TextBlock
from recollect.sessions.record.session import Session

_ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_CONTENT = ("content", "text")
_TIME = ("at", "timestamp", "created_at", "date", "time")
_NAME = ("name", "speaker")
_SESSION = ("session", "session_id", "conversation_id")
_PLACES = frozenset({"title", "project", *_SESSION})
_ID = ("id", "message_id", "event_id")
_MIRROR = "recollect"
"""The key that marks the header of recollect's own mirrors."""


class JsonlFormat:
    """Reads plain JSON lines."""

    name = "jsonl"
    companion = ""
    line_id = ""
    is_owners = False

    def recognises(self, record: port.Record) -> bool:
        """Return whether a record looks like a message or like the header of a mirror."""
        return _MIRROR in record or (
            isinstance(record.get("role"), str) and any(key in record for key in _CONTENT)
        )

    def describe(
        self, path: PurePath, header: port.Record | None, companion: port.Record | None = None
    ) -> port.ForeignSession:
        """Return the session of a file: its path, because two folders may hold the same name."""
        if header is not None and _MIRROR in header and isinstance(header.get("id"), str):
            return port.ForeignSession(
                id=header["id"],
                key=_text(header, "key"),
                agent=_text(header, "agent"),
                project=_text(header, "project"),
                title=_text(header, "title"),
                at=port.parse_time(header.get("created_at")),
                metadata=facts if isinstance(facts := header.get("metadata"), dict) else {},
            )
        return port.ForeignSession(id=str(path), key=_plain_key(path.stem))

    def place(self, path: PurePath) -> PurePath:
        """Return the folder whose sessions have ids of their own."""
        return path.parent

    def parse(self, record: port.Record, session: port.ForeignSession) -> port.ForeignLine:
        """Return the meaning of one line."""
        line = self._parse(record, session)
        return extras.restored(record, line, lambda: _message(record, session, "system", []))

    def _parse(self, record: port.Record, session: port.ForeignSession) -> port.ForeignLine:
        if _MIRROR in record:
            return session
        if record.get("type") == "compaction" and "role" not in record:
            return port.Skip(reason="made by recollect of the messages before")
        role = record.get("role")
        known_role = _ROLES.get(role.lower()) if isinstance(role, str) else None
        if known_role is None:
            return port.Malformed(reason="no known role")
        content = _content(record, known_role)
        if not isinstance(content, str | list | None):
            return port.Malformed(reason="content that is neither text nor blocks")
        if not content:
            return port.Skip(reason="no content")
        return _message(record, _placed(record, session), known_role, content)


def _message(
    record: port.Record, session: port.ForeignSession, role: str, content: str | list[Any]
) -> port.ForeignMessage:
    metadata = record.get("metadata")
    return port.ForeignMessage(
        session=session,
        role=role,
        content=content,
        id=_identity(record),
        name=_text(record, *_NAME),
        at=_time(record),
        metadata=metadata if isinstance(metadata, dict) else {},
        sender=_text(record, "sender"),
    )


def _time(record: port.Record) -> int | None:
    for key in _TIME:
        if key in record and (at := port.parse_time(record[key])) is not None:
            return at
    return None


def _placed(record: port.Record, session: port.ForeignSession) -> port.ForeignSession:
    """Return the session that a line names, or that of the file."""
    if _PLACES.isdisjoint(record):
        return session
    title, project = _text(record, "title"), _text(record, "project")
    name = _text(record, *_SESSION)
    if name is None and title is None and project is None:
        return session
    return port.ForeignSession(
        id=name or session.id,
        key=_plain_key(name) if name else session.key,
        agent=session.agent,
        project=project or session.project,
        title=title,
        at=None if name else session.at,
    )


def _plain_key(name: str) -> str | None:
    """Return the name as a session key, or None where it cannot be one."""
    printable = "".join(char for char in name if char.isprintable()).strip().strip(":")
    return printable[:500] or None


def _content(record: port.Record, role: str) -> object:
    content = _first(record, _CONTENT)
    calls = record.get("tool_calls")
    if role == "tool" and isinstance(content, str | None) and "tool_call_id" in record:
        return [
            {
                "type": "tool_result",
                "tool_use_id": _text(record, "tool_call_id"),
                "name": _text(record, *_NAME),
                "content": content,
            }
        ]
    if isinstance(calls, list) and calls and isinstance(content, str | list | None):
        blocks = [content] if isinstance(content, str) else content or []
        return [*blocks, *(_call(call) for call in calls)]
    return content


def _call(call: object) -> object:
    """Return a tool call of OpenAI as a block."""
    if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
        return call
    return {"type": "function_call", "call_id": call.get("id")} | call["function"]


def _identity(record: port.Record) -> str | None:
    value = _first(record, _ID)
    return str(value) if isinstance(value, str | int) and str(value) else None


def _first(record: port.Record, keys: Iterable[str]) -> object:
    """Return the first of ``keys`` that holds anything."""
    for key in keys:
        value = record.get(key)
        if value is not None:
            return value
    return None


def _text(record: port.Record, *keys: str) -> str | None:
    """Return the first of ``keys`` that holds a text which is not blank."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, str) and value.strip():
            return value
    return None


_FORM = JsonlFormat()


class JsonlWriter:
    """Writes plain JSON lines."""

    name = _FORM.name

    def records(self, session: Session, items: Iterable[port.Owned | Compaction]) -> Iterator[Any]:
        """Yield the header, then the messages."""
        yield _header(session)
        for item in items:
            if isinstance(item, Compaction):
                line = {
                    "type": "compaction",
                    "summary": item.summary,
                    "at": to_iso(item.created_at),
                }
                yield line | {extras.REST: {extras.DERIVED: True}}
            else:
                yield extras.with_rest(_line(item), item.message, _FORM, native=False)


def _header(session: Session) -> dict[str, Any]:
    facts = {
        "key": session.key,
        "agent": session.agent,
        "user": session.user,
        "project": session.project,
        "title": session.title,
        "parent_id": session.parent_id,
        "forked_at_seq": session.forked_at_seq,
        "metadata": session.metadata or None,
    }
    header = {"recollect": 1, "type": "session", "id": session.id, "tenant": session.tenant}
    facts = {name: value for name, value in facts.items() if value is not None}
    return header | {"created_at": to_iso(session.created_at)} | facts


def _line(item: port.Owned) -> dict[str, Any]:
    message, blocks = item.message, item.message.blocks
    foreign = message.foreign_id if item.owner.source == _FORM.name else None
    is_text = len(blocks) == 1 and isinstance(blocks[0], TextBlock)
    line = {
        "type": "message",
        "seq": message.seq,
        "id": foreign or message.id,
        "role": message.role,
        "name": message.name,
        "sender": message.sender,
        "at": to_iso(message.created_at),
        "content": message.text if is_text else msgspec.to_builtins(blocks),
        "metadata": message.metadata or None,
        "number": message.number or None,
    }
    return {name: value for name, value in line.items() if value is not None}
