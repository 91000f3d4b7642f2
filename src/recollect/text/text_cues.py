"""Cues of texts: hints from the form of a text, by simple patterns; in the language of the index.

They are weak hints, added with small weights.
"""

from __future__ import annotations

import re
from itertools import filterfalse

from recollect.text.languages import INDEX_LANGUAGE
from recollect.text.tokens import LONGEST_SPLIT, words_of

_DIGIT = re.compile(r"\d")
_timeless: set[str] = set()
"""Words that hold neither a digit nor any of the required strings; most of a text are."""
_LONGEST_KEPT, _MOST_KEPT = 24, 32_768
_FEW = 8
"""Up to this many new words are checked again together rather than one by one."""
_SIGN = re.compile("|".join([_DIGIT.pattern, *(part for part, _ in INDEX_LANGUAGE.time_cues)]))
_INNER_CAPITAL = re.compile(r" (?<=[a-z,;] )[A-Z][a-z]+")
"""It begins with a literal, which is found without the pattern."""


def is_question(text: str) -> bool:
    """Return whether the text ends with a question mark."""
    return text.rstrip().endswith(("?", "？"))


def has_time_word(text: str) -> bool:
    """Return whether the text names a time: a month, a day, a year, "yesterday", "ago" ..."""
    words = words_of(text) if len(text) <= LONGEST_SPLIT else text.split()
    fresh = list(filterfalse(_timeless.__contains__, words))
    if not fresh:
        return False
    folded = " ".join(fresh).lower()
    # Most texts have none, and one search for all takes three times as long as finding the terms.
    patterns = [pattern for part, pattern in INDEX_LANGUAGE.time_cues if part in folded]
    if _DIGIT.search(folded):
        patterns.append(INDEX_LANGUAGE.number_of_time)
    if not patterns or len(fresh) > _FEW:
        _learn(
            fresh if not patterns else [each for each in fresh if not _SIGN.search(each.lower())]
        )
    return any(re.search(each, text.lower() if " " in each else folded) for each in patterns)


def _learn(words: list[str]) -> None:
    if len(_timeless) >= _MOST_KEPT:
        _timeless.clear()
    _timeless.update([word for word in words if len(word) <= _LONGEST_KEPT])


def inner_capitals(text: str, most: int) -> int:
    """Return how many capitalised words are inside sentences, at most ``most``."""
    count = 0
    for _ in _INNER_CAPITAL.finditer(text):
        count += 1
        if count == most:
            break
    return count
