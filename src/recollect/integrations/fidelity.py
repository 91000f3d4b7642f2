"""Exports that lose nothing: what a foreign format cannot say goes along in a field of our own.

A written record is read back at once. Where the reading is not the message, the record gets
``_recollect`` with what differs; other programs ignore the field, our readers put it in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import msgspec

from recollect.core.errors import InvalidInput
from recollect.sessions.content import parse_content
from recollect.sessions.foreign import (
    ForeignLine,
    ForeignMessage,
    Malformed,
    Record,
    Skip,
    TranscriptFormat,
)
from recollect.sessions.import_extra import FOREIGN, Extras
from recollect.sessions.message import Message
from recollect.sessions.usage import FIELD as USAGE

REST = "_recollect"
"""The field of a record."""
DERIVED = "derived"
"""Stands in the field of a record that holds no message, such as a summary of ours."""

_CARRIED: dict[str, Any] = {
    "role": str,
    "content": (str, list),
    "name": (str, type(None)),
    "metadata": dict,
}
_FOLLOWS = frozenset({FOREIGN, USAGE, "parent"})
"""Metadata that comes of the record itself where a message goes back into its own format."""


def rest_of(record: Record) -> Mapping[str, Any] | None:
    """Return what a record of ours carries beside its format; None without any."""
    rest = record.get(REST)
    return rest if isinstance(rest, Mapping) else None


def restored(line: ForeignLine, rest: Mapping[str, Any]) -> ForeignLine:
    """Return what a record means together with what it carries."""
    if rest.get(DERIVED):
        return Skip(reason="made by recollect of the messages before")
    told = {name: rest[name] for name in _CARRIED if name in rest}
    if not isinstance(line, ForeignMessage) or not told:
        return line
    if not all(isinstance(value, _CARRIED[name]) for name, value in told.items()):
        return Malformed(reason="facts of recollect that cannot be read")
    extra = line.extra if "content" not in told else {}
    final = line.is_final or "metadata" in told
    return msgspec.structs.replace(line, **told, extra=extra, is_final=final)


def with_rest(
    record: dict[str, Any], message: Message, form: TranscriptFormat, *, native: bool
) -> dict[str, Any]:
    """Return a written record with all that its reading would lose.

    Args:
        record: The message as the format writes it.
        message: What it must mean.
        form: What reads it.
        native: The message came from this format, so its metadata is made of the record again.
    """
    read = form.parse(record, form.describe(PurePath("session.jsonl"), None))
    wanted = {
        "role": message.role,
        "content": msgspec.to_builtins(message.content),
        "name": message.name,
        "metadata": message.metadata,
    }
    told = _told(read, message, native=native) if isinstance(read, ForeignMessage) else frozenset()
    rest = {name: value for name, value in wanted.items() if name not in told}
    return record | ({REST: rest} if rest else {})


def _told(read: ForeignMessage, message: Message, *, native: bool) -> frozenset[str]:
    """Return which parts of a message a reading of its record gives."""
    same = {
        "role": read.role == message.role,
        "content": _blocks(read) == message.content,
        "name": read.name == message.name,
        "metadata": _is_metadata_told(message.metadata, read, native=native),
    }
    return frozenset(name for name, is_same in same.items() if is_same)


def _is_metadata_told(wanted: Mapping[str, Any], read: ForeignMessage, *, native: bool) -> bool:
    if native and FOREIGN in wanted:
        return _own(wanted) == _own(read.metadata)
    extras = Extras()
    if read.shared:
        extras.share(read.session.id, read.shared)
    return extras.metadata(read) == wanted


def _own(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if key not in _FOLLOWS}


def _blocks(read: ForeignMessage) -> object:
    try:
        return parse_content(read.content)
    except InvalidInput:
        return None
