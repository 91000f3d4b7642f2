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
_TIME = re.compile(
    r"\d{1,2}(?:[:.]|시|点|點|時| ?h ?)\d\d|\d{1,2} ?[ap]\.?m\b|\d{1,2}(?:[点點時시]| ?uhr| ?h\b)|noon|midnight"
)
_MONEY = re.compile(r"[$€£¥₩]|\b(?:euros?|eur|dollars?|usd|pounds?|gbp|reais)\b|[元円원块]")
_VERSION = re.compile(r"\bv?\d+\.\d+(?:\.\d+)*$|\bv\d+")
_DATE = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?$|\d{1,2}[月월]|\d日|\d号|\d일"
)
_UNIT = re.compile(r"\d")
_PLURAL_DAY = re.compile(r"(?<=day)s\b")
_CLOCK = re.compile(
    r"^(?:um|at|a las|as|às|à|on|am) | (?:uhr|o'clock)$|(?<=\d) ?h (?=\d)|(?<=\d) h$"
)


def normalised(value: str, little: frozenset[str]) -> str:
    """Return a value as values are compared: small letters, no articles, no marks around it.

    >>> normalised("the Fridays", frozenset({"the"}))
    'friday'
    """
    words = value.strip(_EDGES).lower().split()
    while len(words) > 1 and words[0] in little:
        words.pop(0)
    while len(words) > 1 and words[-1] in little:
        words.pop()
    text = _PLURAL_DAY.sub("", " ".join(words).strip(_EDGES))
    return _CLOCK.sub(
        lambda match: ":" if match[0].strip() == "h" and match.end() < len(text) else "", text
    )


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
    if words & _weekdays() or any(day in value for day in _signs()):
        return "weekday"
    if words & _months() or _DATE.search(value):
        return "date"
    if _TIME.search(value):
        return "time"
    if _MONEY.search(value) and _UNIT.search(value):
        return "money"
    if _VERSION.search(value):
        return "version"
    if _UNIT.match(value):
        return "number"
    return "name" if raw[:1].isupper() else "text"


@functools.cache
def _weekdays() -> frozenset[str]:
    return frozenset(
        word
        for language in all_languages()
        for kind in (WEEKDAY, MAYBE_WEEKDAY)
        for word in language.times.get(kind, ())
        if len(word) > 3 or not word.isascii()
    )


@functools.cache
def _signs() -> tuple[str, ...]:
    return tuple(
        word for language in all_languages() for word in language.times.get(SURE_WEEKDAY, ())
        if not word.isascii() and len(word) > 1
    )  # fmt: skip


@functools.cache
def _months() -> frozenset[str]:
    return frozenset(
        word
        for language in all_languages()
        for kind in (MONTH, MAYBE_MONTH)
        for word in language.times.get(kind, ())
    )
