"""Cues: what the form of a text tells about its content, by simple English patterns.

They are weak hints, added with small weights; a text in another language just has none.
"""

from __future__ import annotations

import re

MOST_CAPITALS = 2
"""More capitalised words than this tell nothing more."""

_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
# "may" and "march" are also verbs: only with a number beside them.
_SURE_MONTHS = [name for name in _MONTHS if name not in {"may", "march"}]

_DIGIT = re.compile(r"\d")
_NUMBER_OF_TIME = re.compile(
    r"\b(?:(?:19|20)\d\d|\d{1,2}:\d\d|\d{1,2} ?[ap]m)\b"
    r"|\b(?:may|march)\b(?=[ ,]+\d)|\d (?:may|march)\b"
)
_MONTH_NAME = rf"\b(?:{'|'.join(_SURE_MONTHS)})\b"
_WORDS_OF_TIME = (
    # What is in every match, and the match: most texts have none, and one search for all of them
    # takes three times as long as finding the terms.
    ("day", rf"\b(?:yesterday|today|(?:{'|'.join(_DAYS)})s?)\b"),
    ("week", r"\bweek(?:end)?s?\b"),
    ("month", r"\bmonths?\b"),
    ("ago", r"\bago\b"),
    ("tomorrow", r"\btomorrow\b"),
    ("night", r"\b(?:tonight|last night)\b"),
    ("year", r"\b(?:last|next|this) year\b"),
    ("summer", r"\b(?:last|next) summer\b"),
    ("winter", r"\b(?:last|next) winter\b"),
    ("noon", r"\bthis afternoon\b"),
    ("ning", r"\bthis (?:morning|evening)\b"),
    *((end, _MONTH_NAME) for end in ("uary", "april", "june", "july", "august", "ber")),
)
_INNER_CAPITAL = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")
_ASKS_WHEN = re.compile(
    r"\bwhen\b|\bhow (?:long|often|recently|soon)\b"
    r"|\b(?:what|which) (?:date|day|month|season|time|week|weekend|year)\b",
    re.IGNORECASE,
)
_ASKS_NAME = re.compile(r"\b(?:where|who|whom|whose|which)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours)\b", re.IGNORECASE)


def is_question(text: str) -> bool:
    """Return whether the text ends with a question mark."""
    return text.rstrip().endswith(("?", "？"))


def has_time_word(text: str) -> bool:
    """Return whether the text names a time: a month, a day, a year, "yesterday", "ago" ..."""
    lowered = text.lower()
    if _DIGIT.search(lowered) and _NUMBER_OF_TIME.search(lowered):
        return True
    return any(part in lowered and re.search(words, lowered) for part, words in _WORDS_OF_TIME)


def inner_capitals(text: str) -> int:
    """Return how many capitalised words are inside sentences, at most `MOST_CAPITALS`."""
    found = 0
    for _ in _INNER_CAPITAL.finditer(text):
        found += 1
        if found == MOST_CAPITALS:
            break
    return found


def asks_when(question: str) -> bool:
    """Return whether a question asks for a time."""
    return _ASKS_WHEN.search(question) is not None


def asks_name(question: str) -> bool:
    """Return whether a question asks for a person, a place or a thing by name."""
    return _ASKS_NAME.search(question) is not None


def is_first_person(question: str) -> bool:
    """Return whether the one who asks speaks of themselves."""
    return _FIRST_PERSON.search(question) is not None
