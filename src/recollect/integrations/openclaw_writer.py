"""Writes transcripts that OpenClaw reads: a header, then entries that name the one before them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect.core.clock import to_iso
from recollect.integrations.block_spelling import (
    in_blocks,
    openclaw_block,
    plain_content,
    with_extras,
)
from recollect.integrations.fidelity import DERIVED, REST, with_rest
from recollect.integrations.openclaw import OpenClawFormat
from recollect.sessions.compaction import Compaction
from recollect.sessions.content import TextBlock, ToolResultBlock, ToolUseBlock
from recollect.sessions.foreign import Owned
from recollect.sessions.import_extra import BLOCKS, LINE, MESSAGE, foreign_of
from recollect.sessions.message import Message
from recollect.sessions.session import Session
from recollect.sessions.usage import MODEL, TokenUsage, read_usage

_FORM = OpenClawFormat()
_VERSION = 3
"""Of the header, as OpenClaw 2026 writes it."""
_SUMMARIES = frozenset({"compaction", "branch_summary"})


class OpenClawWriter:
    """Writes entries of OpenClaw."""

    name = _FORM.name

    def records(self, session: Session, items: Iterable[Owned | Compaction]) -> Iterator[Any]:
        """Yield the header and the entries of a session."""
        yield _header(session)
        if session.title is not None:
            name = {"name": session.title, "timestamp": to_iso(session.created_at)}
            yield {"type": "session_info", "id": f"{session.id}-name", "parentId": None} | name
        last: str | None = None
        waiting: list[Compaction] = []
        known: set[str] = set()
        for item in items:
            if isinstance(item, Compaction):
                waiting.append(item)
                continue
            entry = _entry(item, last, known)
            for summary in waiting:
                yield _summary(summary, last, entry["id"])
                entry["parentId"] = last = summary.id
            waiting = []
            yield with_rest(entry, item.message, _FORM, native=_is_native(item))
            last = entry["id"]
            known.add(entry["id"])
        for summary in waiting:
            yield _summary(summary, last, last)


def _header(session: Session) -> dict[str, Any]:
    foreign = session.foreign_id if session.source == _FORM.name else None
    header: dict[str, Any] = {
        "type": "session",
        "version": _VERSION,
        "id": foreign or session.id,
        "timestamp": to_iso(session.created_at),
    }
    return header | ({} if session.project is None else {"cwd": session.project})


def _summary(summary: Compaction, parent: str | None, kept: str | None) -> dict[str, Any]:
    return {
        "type": "compaction",
        "id": summary.id,
        "parentId": parent,
        "timestamp": to_iso(summary.created_at),
        "summary": summary.summary,
        "firstKeptEntryId": kept,
        "tokensBefore": summary.tokens_before,
        REST: {DERIVED: True},
    }


def _entry(item: Owned, last: str | None, known: set[str]) -> dict[str, Any]:
    message, native = item.message, _is_native(item)
    foreign = foreign_of(message.metadata) if native else {}
    parent = message.metadata.get("parent")
    frame = {
        "id": (native and message.foreign_id) or message.id,
        "parentId": parent if parent in known else last,
        "timestamp": to_iso(message.created_at),
    }
    kind = message.metadata.get("kind")
    if kind in _SUMMARIES and message.role == "system":
        return {"type": kind, **frame, "summary": message.text, **_part(foreign, LINE)}
    said = _said(message, foreign) | dict(_part(foreign, MESSAGE))
    return {"type": "message", **frame, "message": said, **_part(foreign, LINE)}


def _said(message: Message, foreign: Mapping[str, Any]) -> dict[str, Any]:
    """Return the message of an entry, as the role that OpenClaw has for it."""
    said = {**_by_role(message, foreign), "timestamp": message.created_at}
    if message.name is not None:
        said["from"] = message.name
    model, spent = message.metadata.get(MODEL), read_usage(message.metadata)
    if isinstance(model, str):
        said[MODEL] = model
    return said | ({"usage": _usage(spent)} if spent is not None and not foreign else {})


def _by_role(message: Message, foreign: Mapping[str, Any]) -> dict[str, Any]:
    match _part(foreign, MESSAGE).get("role"), message.content:
        case "bashExecution", (ToolUseBlock() as call, ToolResultBlock() as result):
            command = call.input.get("command") if isinstance(call.input, dict) else None
            return {"command": command, "output": _plain(result)}
        case "compactionSummary" | "branchSummary", _:
            return {"summary": message.text}
        case _, (ToolResultBlock() as result,) if message.role == "tool":
            told = {"role": "toolResult", **openclaw_block(result)}
            del told["type"]
            return told
    content = with_extras(plain_content(message.content, openclaw_block), foreign.get(BLOCKS))
    if message.role == "assistant":
        content = in_blocks(content)
    return {"role": message.role, "content": content}


def _plain(result: ToolResultBlock) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextBlock))


def _usage(spent: TokenUsage) -> dict[str, int]:
    counts = {"input": spent.input, "output": spent.output, "totalTokens": spent.total}
    return counts | {"cacheRead": spent.cache_read, "cacheWrite": spent.cache_write}


def _is_native(item: Owned) -> bool:
    """Whether a message was imported from OpenClaw."""
    return item.owner.source == _FORM.name and bool(item.message.foreign_id)


def _part(foreign: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = foreign.get(name)
    return part if isinstance(part, Mapping) else {}
