"""Short numbers: names of records beside their ids, such as ``m88``, ``e3`` or ``#1234``.

Numbers count from 1 within one kind of record of one tenant, and are never reused. A UUID costs a
model 34 tokens, a short number about three. Every surface reads them with `parse_record`.
"""

from __future__ import annotations

import re

import msgspec

PREFIXES = {"observation": "#", "fact": "f", "episode": "e", "checkpoint": "c", "message": "m"}
"""The prefix of numbers, by kind of record."""

_KINDS = {prefix: kind for kind, prefix in PREFIXES.items()}
_ID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
NAMED = re.compile(
    rf"\s*(?:({_ID})|(?:({'|'.join(PREFIXES)})\s+)?([#fecm])([1-9][0-9]{{0,14}}))\s*",
    re.IGNORECASE,
)
"""Matches a whole text that may be the name of a record."""
NAMES_ANY = re.compile(r"#[1-9]")
"""Occurs in every text that names an observation by its number."""


class RecordName(msgspec.Struct, frozen=True):
    """The name of a record: its kind and number, or its id.

    Attributes:
        kind: One of `PREFIXES`; None where only the id is known.
        number: From 1; 0 where only the id is known.
        id: A UUID in lower case; None where the number is known.
    """

    kind: str | None = None
    number: int = 0
    id: str | None = None


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a memory file names an observation.

    Attributes:
        path: The file, as hits name it.
        line: From 1.
        number: Of the observation.
        ref: Its id.
        title: Its title.
    """

    path: str
    line: int
    number: int
    ref: str
    title: str


def show_number(kind: str, number: int) -> str:
    """Return a number as shown to users.

    >>> show_number("message", 88), show_number("observation", 1234)
    ('m88', '#1234')
    """
    return f"{PREFIXES[kind]}{number}"


def parse_record(text: object) -> RecordName | None:
    """Return the record that a text names; None where it names none.

    The kind may precede the number, with ``#`` as its prefix.

    >>> parse_record("observation #1234")
    RecordName(kind='observation', number=1234, id=None)
    >>> parse_record(" M88 ") == parse_record("message #88") == parse_record("message m88")
    True
    >>> parse_record("episode m88"), parse_record("green tea")
    (None, None)
    """
    match = NAMED.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    if match[1] is not None:
        return RecordName(id=match[1].lower())
    prefix, number = match[3].lower(), int(match[4])
    kind = named_kind = _KINDS[prefix]
    if match[2] is not None:
        named_kind = match[2].lower()
    return RecordName(named_kind, number) if prefix == "#" or named_kind == kind else None
