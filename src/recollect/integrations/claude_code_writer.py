"""Writes transcripts that Claude Code reads: one line for each message, chained by their parents.

A message that came from Claude Code gets its own fields back. For one of ours the fields that
Claude Code needs are made.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect.core.clock import to_iso
from recollect.integrations.block_spelling import (
    anthropic_block,
    in_blocks,
    plain_content,
    with_extras,
)
from recollect.integrations.claude_code import ClaudeCodeFormat
from recollect.integrations.fidelity import DERIVED, REST, with_rest
from recollect.sessions.compaction import Compaction
from recollect.sessions.foreign import Owned
from recollect.sessions.import_extra import ABSENT, BLOCKS, LINE, MESSAGE, foreign_of
from recollect.sessions.message import Message
from recollect.sessions.session import Session
from recollect.sessions.usage import MODEL, read_usage

_FORM = ClaudeCodeFormat()
_VERSION = "2.1.0"
"""What the lines of our own sessions look like."""
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)


class ClaudeCodeWriter:
    """Writes lines of Claude Code."""

    name = _FORM.name

    def records(self, session: Session, items: Iterable[Owned | Compaction]) -> Iterator[Any]:
        """Yield the lines of a session."""
        chain = _Chain(session)
        for item in items:
            if isinstance(item, Compaction):
                yield from chain.summary(item)
            else:
                yield chain.message(item)
        if session.title is not None:
            title = {"type": "custom-title", "customTitle": session.title}
            yield title | {"sessionId": chain.session_id}


class _Chain:
    """The lines of one session, each naming the one before it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._last: str | None = None
        self._known: set[str] = set()
        self.session_id = _session_id(session)

    def message(self, item: Owned) -> dict[str, Any]:
        """Return the line of a message."""
        message = item.message
        foreign = foreign_of(message.metadata) if _is_native(item) else {}
        line = self._frame(item, foreign) | _said(message, foreign)
        self._last = line["uuid"]
        self._known.add(line["uuid"])
        return with_rest(line, message, _FORM, native=_is_native(item))

    def summary(self, item: Compaction) -> Iterator[dict[str, Any]]:
        """Yield the border that Claude Code begins to read at, and the summary behind it."""
        border, told = _uuid_of(item.id + "/border"), _uuid_of(item.id)
        frame = self._made(item.created_at) | {REST: {DERIVED: True}}
        yield frame | {
            "type": "system",
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "uuid": border,
            "parentUuid": None,
            "logicalParentUuid": self._last,
            "compactMetadata": {"trigger": "auto", "preTokens": item.tokens_before},
        }
        yield frame | {
            "type": "user",
            "isCompactSummary": True,
            "message": {"role": "user", "content": item.summary},
            "uuid": told,
            "parentUuid": border,
        }
        self._last = told
        self._known.clear()

    def _frame(self, item: Owned, foreign: Mapping[str, Any]) -> dict[str, Any]:
        """Return a line without what was said."""
        message = item.message
        parent = message.metadata.get("parent")
        frame = self._made(message.created_at)
        if _is_native(item):
            frame = {**foreign_of(item.owner.metadata), **_part(foreign, LINE)}
            for name in foreign.get(ABSENT, ()):
                frame.pop(name, None)
            frame["timestamp"] = to_iso(message.created_at)
            if item.owner.id != self._session.id or "sessionId" not in frame:
                frame["sessionId"] = self.session_id
        return frame | {
            "uuid": (_is_native(item) and message.foreign_id) or _uuid_of(message.id),
            "parentUuid": parent if parent in self._known else self._last,
        }

    def _made(self, at: int) -> dict[str, Any]:
        project = {} if self._session.project is None else {"cwd": self._session.project}
        return {
            "sessionId": self.session_id,
            "timestamp": to_iso(at),
            "isSidechain": False,
            "userType": "external",
            "version": _VERSION,
            **project,
        }


def _said(message: Message, foreign: Mapping[str, Any]) -> dict[str, Any]:
    """Return the type of a line, and its message."""
    content = with_extras(plain_content(message.content, anthropic_block), foreign.get(BLOCKS))
    if message.role == "system" and message.metadata.get("kind") != "compaction":
        subtype = _part(foreign, LINE).get("subtype", "informational")
        return {"type": "system", "subtype": subtype, "content": message.text}
    kind = "assistant" if message.role == "assistant" else "user"
    told: dict[str, Any] = {"role": kind, "content": content}
    if kind == "assistant":
        told["content"] = in_blocks(content)
        told |= _model(message) if foreign else _answer(message)
    summary = {"isCompactSummary": True} if message.role == "system" else {}
    return {"type": kind, **summary, "message": told | dict(_part(foreign, MESSAGE))}


def _answer(message: Message) -> dict[str, Any]:
    """Return what Claude Code expects of an answer beside its content."""
    spent = read_usage(message.metadata)
    usage = {} if spent is None else {"usage": _usage(spent)}
    made = {"id": f"msg_{message.id}", "type": "message", "stop_reason": None}
    return {**made, **_model(message), **usage}


def _usage(spent: Any) -> dict[str, int]:
    return {
        "input_tokens": spent.input,
        "output_tokens": spent.output,
        "cache_read_input_tokens": spent.cache_read,
        "cache_creation_input_tokens": spent.cache_write,
    }


def _model(message: Message) -> dict[str, Any]:
    model = message.metadata.get(MODEL)
    return {"model": model} if isinstance(model, str) else {}


def _is_native(item: Owned) -> bool:
    """Whether a message was imported from Claude Code."""
    return item.owner.source == _FORM.name and bool(item.message.foreign_id)


def _session_id(session: Session) -> str:
    """Return the id of a session there: Claude Code takes nothing but UUIDs."""
    if session.source == _FORM.name:
        told = foreign_of(session.metadata).get("sessionId")
        return told if isinstance(told, str) else str(session.foreign_id)
    return _uuid_of(session.id)


def _uuid_of(text: str) -> str:
    return text if _UUID.fullmatch(text) else str(uuid.uuid5(uuid.NAMESPACE_OID, text))


def _part(foreign: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = foreign.get(name)
    return part if isinstance(part, Mapping) else {}
