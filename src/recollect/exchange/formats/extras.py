"""Fields of a foreign line beside its message: kept in the metadata, so that they can go back.

``metadata["foreign"]`` of a message has the rest of its record, less what the records of its
session have alike, which ``metadata["foreign"]`` of the session has once. Large values are left
out and named: they repeat what the content says. Knows no format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

import msgspec

from recollect.core.errors import InvalidInput
from recollect.exchange.transcript import (
    ForeignLine,
    ForeignMessage,
    Malformed,
    Record,
    Skip,
    TranscriptFormat,
)
from recollect.sessions.record.content import parse_content
from recollect.sessions.record.draft import FOREIGN
from recollect.sessions.record.message import Message
from recollect.sessions.record.token_usage import FIELD as USAGE
from recollect.sessions.record.token_usage import TokenUsage, usage_of
from recollect.text.json_value import MAX_DEPTH, JsonCleaner

LINE, MESSAGE, BLOCKS, ABSENT, LEFT_OUT = "line", "message", "blocks", "absent", "left_out"
"""Parts of ``metadata["foreign"]``: fields of the record, of the message in it, of blocks by index;
shared fields that the record does not have; and names of fields that were too large."""

MAX_BYTES = 16 * 1024
"""Largest rest of one record. Patches and whole files that tools repeat are above it."""

_MISSING = object()
_NOTHING: Mapping[str, Any] = MappingProxyType({})


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
        """Return the metadata of a message, as it is stored."""
        if message.is_final:
            return message.metadata
        facts = dict(message.metadata)
        spent = self._spent(message)
        if spent is not None and spent.total:
            facts[USAGE] = msgspec.to_builtins(spent)
        foreign = fitting(self._rest(message))
        return facts | ({FOREIGN: foreign} if foreign else {})

    def _spent(self, message: ForeignMessage) -> TokenUsage | None:
        """Return the cost of a piece: that of its answer so far, less what was counted already."""
        if message.usage is None:
            return None
        try:
            usage = usage_of(message.usage)
        except InvalidInput:
            return None
        session_id, reply = message.session.id, message.reply
        last_reply, before = self._counted.get(session_id, (None, usage))
        if reply is not None:
            self._counted[session_id] = (reply, usage)
        if reply is None or last_reply != reply:
            return usage
        return TokenUsage(
            **{
                name: max(0, getattr(usage, name) - getattr(before, name))
                for name in TokenUsage.__struct_fields__
            }
        )

    def _rest(self, message: ForeignMessage) -> dict[str, Any]:
        session_fields = self._shared.get(message.session.id, {})
        if message.shared == session_fields:
            return {name: part for name, part in message.extra.items() if part}
        line = dict(message.extra.get(LINE, {}))
        line |= {k: v for k, v in message.shared.items() if session_fields.get(k, _MISSING) != v}
        absent = sorted(set(session_fields) - set(message.shared))
        parts = {**message.extra, LINE: line, ABSENT: absent}
        return {name: part for name, part in parts.items() if part}


def fitting(parts: dict[str, Any]) -> dict[str, Any]:
    """Return the rest of a record without values that are too large, or cannot be stored."""
    if not parts or _is_small(parts):
        return parts
    try:
        fields: dict[str, Any] = JsonCleaner().value(parts)
    except InvalidInput:
        return {LEFT_OUT: sorted(parts)}
    left_out: list[str] = []
    while fields and len(msgspec.json.encode(fields)) > MAX_BYTES:
        name, field = max(
            ((name, field) for name, part in fields.items() for field in _fields(part)),
            key=lambda path: len(msgspec.json.encode(_fields(fields[path[0]])[path[1]])),
        )
        left_out.append(f"{name}.{field}" if field else name)
        fields = _without(fields, name, field)
    return fields | ({LEFT_OUT: left_out} if left_out else {})


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
    """Return the part of metadata that holds a foreign record; empty without one."""
    return part_of(metadata, FOREIGN)


def part_of(foreign: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return one part of the result of `foreign_of`; empty without it."""
    part = foreign.get(name)
    if part is None or type(part) is dict:  # the check of other types is slow
        return part or _NOTHING
    return part if isinstance(part, Mapping) else _NOTHING


REST = "_recollect"
"""The field of a record."""
DERIVED = "derived"
"""In the field of a record that holds no message, such as a summary of ours."""

_CARRIED: dict[str, Any] = {
    "role": str,
    "content": (str, list),
    "name": (str, type(None)),
    "metadata": dict,
}
_FOLLOWS = frozenset({FOREIGN, USAGE, "parent"})
"""Metadata that follows from the record itself if a message goes back into its own format."""


def restored(record: Record, line: ForeignLine, bare: Callable[[], ForeignLine]) -> ForeignLine:
    """Return the meaning of a record, together with the fields that it carries beside its format.

    Args:
        record: The record.
        line: Its meaning by its format.
        bare: Makes a message without content, for one that means nothing by its format.
    """
    rest = record.get(REST)
    if not isinstance(rest, Mapping):
        return line
    if isinstance(line, Skip | Malformed):
        line = bare()
    if rest.get(DERIVED):
        return Skip(reason="made by recollect of the messages before")
    carried = {name: rest[name] for name in _CARRIED if name in rest}
    if not isinstance(line, ForeignMessage) or not carried:
        return line
    if not all(isinstance(value, _CARRIED[name]) for name, value in carried.items()):
        return Malformed(reason="facts of recollect that cannot be read")
    extra = line.extra if "content" not in carried else {}
    final = line.is_final or "metadata" in carried
    return msgspec.structs.replace(line, **carried, extra=extra, is_final=final)


def with_rest(
    record: dict[str, Any], message: Message, form: TranscriptFormat, *, native: bool
) -> dict[str, Any]:
    """Return a written record with everything that reading it would lose.

    Args:
        record: The message as the format writes it.
        message: The message that reading it must give.
        form: The format that reads it.
        native: The message came from this format, so its metadata is made of the record again.
    """
    item = form.parse(record, form.describe(PurePath("session.jsonl"), None))
    expected = {
        "role": message.role,
        "content": msgspec.to_builtins(message.blocks),
        "name": message.name,
        "metadata": message.metadata,
    }
    derived = (
        _told(item, message, native=native) if isinstance(item, ForeignMessage) else frozenset()
    )
    rest = {name: value for name, value in expected.items() if name not in derived}
    return record | ({REST: rest} if rest else {})


def _told(item: ForeignMessage, message: Message, *, native: bool) -> frozenset[str]:
    """Return the names of the parts of a message that reading its record restores."""
    same = {
        "role": item.role == message.role,
        "content": _blocks(item) == message.blocks,
        "name": item.name == message.name,
        "metadata": _is_metadata_told(message.metadata, item, native=native),
    }
    return frozenset(name for name, is_same in same.items() if is_same)


def _is_metadata_told(expected: Mapping[str, Any], item: ForeignMessage, *, native: bool) -> bool:
    if native and FOREIGN in expected:
        return _own(expected) == _own(item.metadata)
    extras = Extras()
    if item.shared:
        extras.share(item.session.id, item.shared)
    return extras.metadata(item) == expected


def _own(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if key not in _FOLLOWS}


def _blocks(item: ForeignMessage) -> object:
    try:
        return parse_content(item.content)
    except InvalidInput:
        return None
