"""Kinds of questions: of how something is, of how it was, and of what happened.

"Where do I live?" asks for a state, "where did I use to live?" for a past state, "when did I move?"
for an event. By signs of the language of the question; in doubt it asks for an event.
"""

from __future__ import annotations

import functools
import re
from typing import Literal, TypeAlias

from recollect.text.languages import INDEX_LANGUAGE, spaced, unspaced
from recollect.text.languages.language import (
    AGO,
    EVENT,
    HAPPENED,
    HELD,
    MAYBE_MONTH,
    MONTH,
    NAMED_DAY,
    PAST,
    PAST_TENSE,
    SEASON,
    SHIFT,
    STATE,
    UNIT,
    Language,
)
from recollect.text.terms import bare

QuestionKind: TypeAlias = Literal["state", "past", "event"]
_WORD = re.compile(r"[^\W_]+")
_YEAR = r"(?:19|20)\d\d"


def question_kind(question: str) -> QuestionKind:
    """Return what a question asks for.

    >>> [question_kind(f"where {did} I live?") for did in ("do", "did", "before Oslo did")]
    ['state', 'event', 'past']
    """
    folded = bare(question.replace("’", "'")).strip(" ?!.¿¡？。")
    code = _language_of(folded)
    signs = _signs(code)
    has = {name for name, pattern in signs.items() if pattern.search(folded)}
    if EVENT in has:
        return "event"
    if PAST in has:
        main = _main_clause(folded, signs[PAST])
        is_event = bool(signs[HAPPENED].search(main)) and not signs[HELD].search(main)
        return "event" if is_event else "past"
    if PAST_TENSE in has:
        is_held = HELD in has and HAPPENED not in has and _TIME in has
        return "past" if is_held else "event"
    return "state" if STATE in has else "event"


def _main_clause(folded: str, past: re.Pattern[str]) -> str:
    """Return a question without what it says about the time: "before we moved"."""
    sign = past.search(folded)
    if sign is None:
        return folded
    if not folded[: sign.end()].isascii():  # behind the clause that it belongs to
        return folded[sign.end() :]
    head = folded[: sign.start()] or sign[0]
    return head if head.strip() and sign.start() else folded.partition(",")[2] or head


_TIME = "time"


def _language_of(folded: str) -> str:
    """Return the code of the language of a question: that of its script or its function words."""
    if not folded.isascii():
        of_script = (each.code for each in unspaced() if re.search(each.letters, folded))
        code = next(of_script, None)
        if code is not None:
            return code
    words = _WORD.findall(folded.replace("'", " "))
    counts = {code: sum(map(names.__contains__, words)) for code, names in _function_words()}
    return max(counts, key=lambda code: (counts[code], code == INDEX_LANGUAGE.code))


@functools.cache
def _function_words() -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((each.code, frozenset(each.function_words.split())) for each in spaced())


def _language(code: str) -> Language:
    for languages in (spaced, unspaced):
        for each in languages():
            if each.code == code:
                return each
    return INDEX_LANGUAGE


@functools.cache
def _signs(code: str) -> dict[str, re.Pattern[str]]:
    language = _language(code)
    signs = {name: re.compile(pattern) for name, pattern in language.question_kinds.items()}
    return signs | {_TIME: re.compile(_times_of(language))}


def _times_of(language: Language) -> str:
    """Return a pattern of times of the past: a year, a month, a season, "last week"."""
    times = language.times
    months = [*times.get(MONTH, ()), *times.get(MAYBE_MONTH, ()), *times.get(SEASON, ())]
    ago = [*times.get(AGO, ()), *(w for w, day in times.get(NAMED_DAY, {}).items() if day < 0)]
    last = [word for word, step in times.get(SHIFT, {}).items() if step == -1]
    parts = [_YEAR, *(rf"\b{re.escape(each)}\b" for each in (*months, *ago))]
    if last:
        units = "|".join(map(re.escape, times.get(UNIT, ())))
        parts.append(rf"\b(?:{'|'.join(map(re.escape, last))})\W+(?:{units})\b")
        parts.append(rf"\b(?:{units})\W+(?:{'|'.join(map(re.escape, last))})\b")
    return "|".join(parts)
