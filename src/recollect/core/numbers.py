"""Short numbers: what records are called beside their ids, such as ``m88``, ``e3`` or ``#1234``.

A number counts within one kind of record of one tenant, from 1, and is never used again. A UUID
costs a model 34 tokens, a short number about three. Every surface reads them with `parse_record`.
"""

from __future__ import annotations

import re

import msgspec

PREFIXES = {"observation": "#", "fact": "f", "episode": "e", "checkpoint": "c", "message": "m"}
"""By kind of record: what its numbers begin with."""

_KINDS = {prefix: kind for kind, prefix in PREFIXES.items()}
_NUMBER = re.compile(rf"(?:({'|'.join(PREFIXES)})\s+)?([#fecm])([1-9][0-9]{{0,14}})", re.IGNORECASE)
_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)


class RecordName(msgspec.Struct, frozen=True):
    """What somebody called a record: its kind and number, or its id.

    Attributes:
        kind: One of `PREFIXES`; None where only the id is known.
        number: From 1; 0 where only the id is known.
        id: A UUID in lower case; None where the number is known.
    """

    kind: str | None = None
    number: int = 0
    id: str | None = None


def show_number(kind: str, number: int) -> str:
    """Return a number as it is shown.

    >>> show_number("message", 88), show_number("observation", 1234)
    ('m88', '#1234')
    """
    return f"{PREFIXES[kind]}{number}"


def parse_record(text: str) -> RecordName | None:
    """Return what a text calls a record; None where it is not the name of one.

    The kind may be said before the number, and ``#`` then stands for its prefix.

    >>> parse_record("observation #1234")
    RecordName(kind='observation', number=1234, id=None)
    >>> parse_record(" M88 ") == parse_record("message #88") == parse_record("message m88")
    True
    >>> parse_record("episode m88"), parse_record("green tea")
    (None, None)
    """
    named = text.strip()
    if _ID.fullmatch(named):
        return RecordName(id=named.lower())
    found = _NUMBER.fullmatch(named)
    if found is None:
        return None
    said, prefix, number = found[1], found[2].lower(), int(found[3])
    meant = _KINDS[prefix]
    if said is None or said.lower() == meant:
        return RecordName(meant, number)
    return RecordName(said.lower(), number) if prefix == "#" else None
