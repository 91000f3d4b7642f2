"""Writes plain JSON lines: a header and the messages, in the words of our own mirrors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from recollect.core.clock import to_iso
from recollect.integrations.fidelity import DERIVED, REST, with_rest
from recollect.integrations.jsonl import JsonlFormat
from recollect.sessions.compaction import Compaction
from recollect.sessions.content import TextBlock
from recollect.sessions.foreign import Owned
from recollect.sessions.session import Session

_FORM = JsonlFormat()


class JsonlWriter:
    """Writes plain JSON lines."""

    name = _FORM.name

    def records(self, session: Session, items: Iterable[Owned | Compaction]) -> Iterator[Any]:
        """Yield the header, then the messages."""
        yield _header(session)
        for item in items:
            if isinstance(item, Compaction):
                told = {
                    "type": "compaction",
                    "summary": item.summary,
                    "at": to_iso(item.created_at),
                }
                yield told | {REST: {DERIVED: True}}
            else:
                yield with_rest(_line(item), item.message, _FORM, native=False)


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
    told = {name: value for name, value in facts.items() if value is not None}
    return header | {"created_at": to_iso(session.created_at)} | told


def _line(item: Owned) -> dict[str, Any]:
    message, blocks = item.message, item.message.content
    foreign = message.foreign_id if item.owner.source == _FORM.name else None
    is_text = len(blocks) == 1 and isinstance(blocks[0], TextBlock)
    line = {
        "type": "message",
        "seq": message.seq,
        "id": foreign or message.id,
        "role": message.role,
        "name": message.name,
        "at": to_iso(message.created_at),
        "content": message.text if is_text else msgspec.to_builtins(blocks),
        "metadata": message.metadata or None,
    }
    return {name: value for name, value in line.items() if value is not None}
