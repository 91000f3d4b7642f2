"""Cues of texts: what the form of a text tells, by simple patterns; for English.

They are weak hints, added with small weights.
"""

from __future__ import annotations

import re
from itertools import filterfalse

from recollect.text.tokens import LONGEST_SPLIT, words_of

_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
# "may" and "march" are also verbs: only with a number beside them.
_SURE_MONTHS = [name for name in _MONTHS if name not in {"may", "march"}]

_DIGIT = re.compile(r"\d")
_NUMBER_OF_TIME = (
    r"\b(?:(?:19|20)\d\d|\d{1,2}:\d\d|\d{1,2} ?[ap]m)\b"
    r"|\b(?:may|march)\b(?=[ ,]+\d)|\d (?:may|march)\b"
)
_MONTH_NAME = rf"\b(?:{'|'.join(_SURE_MONTHS)})\b"
_WORDS_OF_TIME = (
    # What is in every match, and the match: most texts have none, and one search for all of them
    # takes three times as long as finding the terms. What has a space is more than one word.
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
_timeless: set[str] = set()
"""Words that hold neither a digit nor what is in every match; most of a text are."""
_LONGEST_KEPT, _MOST_KEPT = 24, 32_768
_FEW = 8
"""Words that are looked at again sooner than one by one."""
_SIGN = re.compile("|".join([_DIGIT.pattern, *(part for part, _ in _WORDS_OF_TIME)]))
_INNER_CAPITAL = re.compile(r" (?<=[a-z,;] )[A-Z][a-z]+")
"""It begins with what is looked for without the help of the pattern."""


def is_question(text: str) -> bool:
    """Return whether the text ends with a question mark."""
    return text.rstrip().endswith(("?", "？"))


def has_time_word(text: str) -> bool:
    """Return whether the text names a time: a month, a day, a year, "yesterday", "ago" ..."""
    words = words_of(text) if len(text) <= LONGEST_SPLIT else text.split()
    fresh = list(filterfalse(_timeless.__contains__, words))
    if not fresh:
        return False
    told = " ".join(fresh).lower()
    found = [pattern for part, pattern in _WORDS_OF_TIME if part in told]
    if _DIGIT.search(told):
        found.append(_NUMBER_OF_TIME)
    if not found or len(fresh) > _FEW:
        _learn(fresh if not found else [each for each in fresh if not _SIGN.search(each.lower())])
    return any(re.search(each, text.lower() if " " in each else told) for each in found)


def _learn(words: list[str]) -> None:
    if len(_timeless) >= _MOST_KEPT:
        _timeless.clear()
    _timeless.update([word for word in words if len(word) <= _LONGEST_KEPT])


def inner_capitals(text: str, most: int) -> int:
    """Return how many capitalised words are inside sentences, at most ``most``."""
    found = 0
    for _ in _INNER_CAPITAL.finditer(text):
        found += 1
        if found == most:
            break
    return found
