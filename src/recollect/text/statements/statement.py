"""A statement: a span of a message that says something about a person, a project or the world."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import msgspec

Kind: TypeAlias = Literal[
    "rule",
    "decision",
    "preference",
    "personal",
    "work",
    "habit",
    "relationship",
    "technical",
    "schedule",
    "open_end",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
Subject: TypeAlias = Literal["speaker", "other", "project", "nobody"]
Arity: TypeAlias = Literal["one", "many", "open"]
ValueType: TypeAlias = Literal[
    "time", "date", "weekday", "money", "number", "version", "place", "name", "text"
]
RULES_VERSION = 4
"""Raised when a rule changes what is detected: what an older version found is detected again."""


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """What a statement gives a value to.

    Attributes:
        name: ``home``, ``employer``; of an open slot its head noun with modifiers and scope words,
            in one form: ``rate limit|api``. Equal for two statements about the same thing.
        arity: ``one``: a new value replaces the one before. ``many``: it adds one. ``open``: it
            replaces one of the same type if there is a sign of change.
    """

    name: str
    arity: Arity


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A statement in the words of its source.

    Attributes:
        start: Offset of the first character of the quoted span in the text of the message.
        end: Offset after its last character.
        text: The statement on one line, in the words of the source.
        kind: What kind of fact it is; None for what only fills a slot or ends a value.
        subject: About whom: the speaker, another person or thing that `name` names, the project,
            or nobody.
        name: The other person or thing, in lower case: ``brother tom``; None elsewhere.
        slot: What it gives a value to; None where that is not recognised.
        value: The value, normalised for comparison; None without a slot.
        value_type: Of the value.
        loses: Normalised values that it says are gone: not X after all, instead of X, X was sold.
        is_change: Whether it has a sign of change: now, moved, finally, from … to, changed to.
        is_asserted: Whether it is said to be so: not asked, planned, conditional, quoted, or
            limited as in "this week".
        importance: 1 to 10.
        confidence: 0 to 1.
        language: The code of its language: ``en``.
    """

    start: int
    end: int
    text: str
    kind: Kind | None
    subject: Subject
    name: str | None = None
    slot: Slot | None = None
    value: str | None = None
    value_type: ValueType | None = None
    loses: tuple[str, ...] = ()
    is_change: bool = False
    is_asserted: bool = True
    importance: int = 5
    confidence: float = 0.7
    language: str = "en"
