"""What a foreign line holds beside its message: kept in the metadata, so that it can go back.

``metadata["foreign"]`` of a message has the rest of its record, less what the records of its
session have alike, which ``metadata["foreign"]`` of the session has once. Large values are left
out and named: they repeat what the content says. Knows no format.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from recollect.core.errors import InvalidInput
from recollect.sessions.foreign import ForeignMessage
from recollect.sessions.json_value import MAX_DEPTH, JsonCleaner
from recollect.sessions.usage import FIELD, TokenUsage, usage_of

FOREIGN = "foreign"
"""The key in metadata."""
LINE, MESSAGE, BLOCKS, ABSENT, LEFT_OUT = "line", "message", "blocks", "absent", "left_out"
"""Its parts: fields of the record, of the message in it, of blocks by place; shared fields that the
record does not have; and names of fields that were too large."""

MAX_BYTES = 16 * 1024
"""Largest rest of one record. Patches and whole files that tools repeat are above it."""

_MISSING = object()


class Extras:
    """Makes the metadata of the messages of one file."""

    def __init__(self) -> None:
        self._shared: dict[str, dict[str, Any]] = {}
        self._counted: dict[str, tuple[str, TokenUsage]] = {}

    def knows(self, session_id: str) -> bool:
        """Return whether the fields that records of a session share are known."""
        return session_id in self._shared

    def share(self, session_id: str, fields: Mapping[str, Any]) -> None:
        """Note the fields that records of a session share."""
        self._shared[session_id] = dict(fields)

    def metadata(self, message: ForeignMessage) -> dict[str, Any]:
        """Return what is stored as the metadata of a message."""
        if message.is_final:
            return message.metadata
        facts = dict(message.metadata)
        spent = self._spent(message)
        if spent is not None and spent.total:
            facts[FIELD] = msgspec.to_builtins(spent)
        foreign = fitting(self._rest(message))
        return facts | ({FOREIGN: foreign} if foreign else {})

    def _spent(self, message: ForeignMessage) -> TokenUsage | None:
        """Return the cost of a piece: what its answer cost so far, less what was counted."""
        if message.usage is None:
            return None
        try:
            told = usage_of(message.usage)
        except InvalidInput:
            return None
        session_id, reply = message.session.id, message.reply
        before = TokenUsage()
        if reply is not None and self._counted.get(session_id, ("", before))[0] == reply:
            before = self._counted[session_id][1]
        if reply is not None:
            self._counted[session_id] = (reply, told)
        return TokenUsage(
            **{
                name: max(0, getattr(told, name) - getattr(before, name))
                for name in TokenUsage.__struct_fields__
            }
        )

    def _rest(self, message: ForeignMessage) -> dict[str, Any]:
        shared = self._shared.get(message.session.id, {})
        line = dict(message.extra.get(LINE, {}))
        line |= {k: v for k, v in message.shared.items() if shared.get(k, _MISSING) != v}
        absent = sorted(set(shared) - set(message.shared))
        parts = {**message.extra, LINE: line, ABSENT: absent}
        return {name: part for name, part in parts.items() if part}


def fitting(parts: dict[str, Any]) -> dict[str, Any]:
    """Return the rest of a record without values that are too large, or cannot be stored."""
    if not parts or _is_small(parts):
        return parts
    try:
        kept: dict[str, Any] = JsonCleaner().value(parts)
    except InvalidInput:
        return {LEFT_OUT: sorted(parts)}
    left_out: list[str] = []
    while kept and len(msgspec.json.encode(kept)) > MAX_BYTES:
        name, field = max(
            ((name, field) for name, part in kept.items() for field in _fields(part)),
            key=lambda place: len(msgspec.json.encode(_fields(kept[place[0]])[place[1]])),
        )
        left_out.append(f"{name}.{field}" if field else name)
        kept = _without(kept, name, field)
    return kept | ({LEFT_OUT: left_out} if left_out else {})


def _is_small(parts: dict[str, Any]) -> bool:
    """Whether all of it can be stored; said of most, without a look at each value."""
    try:
        encoded = msgspec.json.encode(parts)
    except (ValueError, RecursionError):
        return False
    return len(encoded) <= MAX_BYTES and encoded.count(b"{") + encoded.count(b"[") < MAX_DEPTH // 2


def _fields(part: Any) -> Mapping[str, Any]:
    return part if isinstance(part, Mapping) else {"": part}


def _without(parts: dict[str, Any], name: str, field: str) -> dict[str, Any]:
    rest = {key: value for key, value in _fields(parts[name]).items() if key != field}
    return {key: part for key, part in (parts | {name: rest}).items() if part}


def foreign_of(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what metadata has of a foreign record; empty without any."""
    found = metadata.get(FOREIGN)
    return found if isinstance(found, Mapping) else {}
