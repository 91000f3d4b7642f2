"""Values of statements: their form for comparison, and their type."""

from __future__ import annotations

import functools
import re

from recollect.text.languages import all_languages
from recollect.text.languages.language import (
    MAYBE_MONTH,
    MAYBE_WEEKDAY,
    MONTH,
    SURE_WEEKDAY,
    WEEKDAY,
)
from recollect.text.statements.statement import ValueType
from recollect.text.terms import bare

_EDGES = " \t.,;:!?…。！？，、\"'`“”„«»「」『』()[]*_"
_DATE = re.compile(
    r"\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?$|\d{1,2}(?:月|월)|\d[日号號일]"
)
_FORMS: tuple[tuple[ValueType, re.Pattern[str]], ...] = (
    ("date", _DATE),
    (
        "time",
        re.compile(
            r"\d{1,2}(?:[:.]|点|點|時| ?h ?)\d\d$|\d{1,2} ?[ap]\.?m\b|\d{1,2}(?:[点點時시]| ?uhr"
            r"| ?h\b)|noon|midnight"
        ),
    ),
    (
        "money",
        re.compile(
            r"[$€£¥₩] ?\d|\d ?[$€£¥₩元円원块]"
            r"|\d ?(?:euros?|eur|dollars?|usd|pounds?|gbp|reais)\b"
        ),
    ),
    ("version", re.compile(r"\bv?\d+\.\d+(?:\.\d+)*$|\bv\d+|[a-z] \d+$")),
    ("number", re.compile(r"\d|[每毎분초]")),
)
_PLURAL_DAY = re.compile(r"(?<=day)s\b")
_HOUR_SIGN = re.compile(r"(?<=\d) ?h ?(?=\d)")
_CLOCK = re.compile(r"^(?:um|at|a las|as|às|à|on|am) | (?:uhr|o'clock)$|(?<=\d) h$")


def normalised(value: str, little: frozenset[str]) -> str:
    """Return a value as values are compared: small letters, no articles, no marks around it.

    Args:
        value: As it was written.
        little: Words that are left out at its ends.

    >>> normalised("the Fridays", frozenset({"the"}))
    'friday'
    """
    words = value.strip(_EDGES).lower().split()
    while len(words) > 1 and words[0] in little:
        words.pop(0)
    while len(words) > 1 and words[-1] in little:
        words.pop()
    text = _PLURAL_DAY.sub("", " ".join(words).strip(_EDGES))
    return _CLOCK.sub("", _HOUR_SIGN.sub(":", text))


def type_of(value: str, raw: str, slot: str | None) -> ValueType:
    """Return the type of a value.

    Args:
        value: Normalised.
        raw: As it was written, for a name is known by its capital.
        slot: The name of its slot.

    >>> type_of("friday", "Fridays", None), type_of("100/min", "100/min", None)
    ('weekday', 'number')
    """
    if slot == "home":
        return "place"
    words = set(bare(value).replace(".", " ").split())
    if words & _weekdays() or any(day in value for day in _weekday_signs()):
        return "weekday"
    if words & _months():
        return "date"
    for name, form in _FORMS:
        if form.search(value):
            return name
    return "name" if raw[:1].isupper() else "text"


@functools.cache
def _weekdays() -> frozenset[str]:
    """Return the names of weekdays, without the short ones: "mar", "sun" are other words too."""
    return frozenset(
        word
        for language in all_languages()
        for kind in (WEEKDAY, MAYBE_WEEKDAY)
        for word in language.times.get(kind, ())
        if len(word) > len("sun")
    )


@functools.cache
def _weekday_signs() -> tuple[str, ...]:
    signs = (language.times.get(SURE_WEEKDAY, {}) for language in all_languages())
    return tuple(sign for each in signs for sign in each if not sign.isascii() and len(sign) > 1)


@functools.cache
def _months() -> frozenset[str]:
    return frozenset(
        word
        for language in all_languages()
        for kind in (MONTH, MAYBE_MONTH)
        for word in language.times.get(kind, ())
    )
