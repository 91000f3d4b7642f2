"""Kinds of questions: of how something is, of how it was, and of what happened.

"Where do I live?" asks for a state, "where did I use to live?" for a past state, "when did I move?"
for an event. By signs of the language of the question; in doubt it asks for an event.
"""

from __future__ import annotations

import functools
import re
from functools import partial
from typing import Literal, TypeAlias

from recollect.core.clock import Clock, to_datetime
from recollect.text.languages import INDEX_LANGUAGE, all_languages, spaced
from recollect.text.languages.language import (
    ACCENTED,
    AGO,
    ASKS,
    DATED,
    EARLIER,
    EVENT,
    HAPPENED,
    HELD,
    MAYBE_MONTH,
    MONTH,
    NAMED_TIME,
    PAST,
    PAST_TENSE,
    REQUEST,
    SEASON,
    SHIFT,
    STATE,
    TOTAL,
    UNIT,
    Language,
)
from recollect.text.terms import bare

QuestionKind: TypeAlias = Literal["state", "past", "event"]
_WORD = re.compile(r"[^\W_]+")
_YEAR = r"(?:19|20)\d\d"
MOST_CHARS = 300
"""What is behind does not count: signs far apart are searched for in quadratic time."""
_MARKS = " ?!.¿¡？。！؟"
_SIGNS_ABOVE = str.maketrans("", "", "\u0653\u0654\u0655")
"""Those of Arabic letters, which are written or not."""


def question_kind(question: str, clock: Clock | None = None) -> QuestionKind:
    """Return what a question asks for.

    What "is" so in a year that is over is a past state; any year without a clock. The first verb
    is that of the main clause, so the first sign of a tense decides: "what is the book that I
    bought?" asks how something is.

    >>> [question_kind(f"where {did} I live?") for did in ("do", "did", "before Oslo did")]
    ['state', 'event', 'past']
    """
    question = question.strip()[:MOST_CHARS]
    lowered = question.replace("’", "'").lower().strip(_MARKS)
    folded = bare(lowered).translate(_SIGNS_ABOVE)
    sign = partial(_sign, _language_of(question, folded))
    if sign(REQUEST).search(folded):
        return "event"
    if sign(TOTAL).search(folded):
        return "state"
    if sign(EVENT).search(folded):
        return "event"
    past = sign(PAST).search(folded)
    if past is None:
        present = sign(STATE).search(folded)
        tense = min(_start(sign(PAST_TENSE), folded), _start(sign(ACCENTED), lowered))
        if tense == len(folded) or (present is not None and present.start() < tense):
            dated = sign(DATED).search(folded) if tense == len(folded) else None
            if dated is not None and (clock is None or int(dated["year"]) < _year(clock)):
                return "past"
            is_asked = present or question[-1:] in "?？؟" or sign(ASKS).search(folded)
            return "state" if is_asked else "event"
    main = _main_clause(folded, sign(EARLIER))
    is_held = sign(HELD).search(main) is not None
    has_happened = sign(HAPPENED).search(main) is not None
    if past is not None:
        is_held = is_held or sign(HELD).search(past[0]) is not None
        return "event" if has_happened and not is_held else "past"
    if has_happened or not is_held:
        return "event"
    return "past" if main != folded or sign(NAMED_TIME).search(folded) else "event"


def _year(clock: Clock) -> int:
    return to_datetime(clock.now_ms()).year


def _start(sign: re.Pattern[str], text: str) -> int:
    """Return where a sign begins; the length of the text without it."""
    match = sign.search(text)
    return len(text) if match is None else match.start()


def _main_clause(folded: str, earlier: re.Pattern[str]) -> str:
    """Return a question with ``|`` for what it says about the time: "before we moved"."""
    main = earlier.sub("|", folded, count=1)
    return folded + "|" if main == "|" else main


def _language_of(question: str, folded: str) -> str:
    """Return the code of the language of a question: that of its script or its function words."""
    if not question.isascii():
        for code, letters in _letters():
            if letters.search(question):
                return code
    words = _WORD.findall(folded)
    counts = {code: sum(map(names.__contains__, words)) for code, names in _function_words()}
    most = max(counts.values())
    fitting = [code for code, count in counts.items() if count == most]
    if not question.isascii():  # English has no accents
        fitting = [code for code in fitting if code != INDEX_LANGUAGE.code] or fitting
    signs = (ASKS, REQUEST) if len(fitting) > 1 else ()
    asking = (code for code in fitting if any(_sign(code, name).match(folded) for name in signs))
    return next(asking, fitting[0])


@functools.cache
def _letters() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((each.code, re.compile(each.letters)) for each in all_languages())


@functools.cache
def _function_words() -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((each.code, frozenset(each.function_words.split())) for each in spaced())


@functools.cache  # one by one: those of English take 60 ms to compile
def _sign(code: str, name: str) -> re.Pattern[str]:
    language = next(each for each in all_languages() if each.code == code)
    own = language.question_kinds.get(name, _NEVER)
    if name == NAMED_TIME:
        return re.compile(rf"{own}|{_times_of(language)}")
    if name == DATED:
        return re.compile(own + _year_of(language))
    return re.compile(own)


_NEVER = "(?!)"


def _year_of(language: Language) -> str:
    """Return a pattern of a year, with or without its month."""
    months = (
        re.escape(word) for kind in (MONTH, MAYBE_MONTH) for word in language.times.get(kind, ())
    )
    day = r"(?:\d{1,2}\w{0,2}\W+)?(?:\w{2,3} )?"
    return rf"(?:{day}(?:{'|'.join(months)})\W+{day})?(?P<year>{_YEAR})(?!\d)"


def _times_of(language: Language) -> str:
    """Return a pattern of times of the past: a year, a month, a season, "last year"."""
    times = language.times
    kinds = (MONTH, MAYBE_MONTH, SEASON, AGO)
    words = [re.escape(word) for kind in kinds for word in times.get(kind, ())]
    last = [re.escape(word) for word, step in times.get(SHIFT, {}).items() if step == -1]
    if last:
        shift, unit = (f"(?:{'|'.join(each)})" for each in (last, map(re.escape, times[UNIT])))
        words += [rf"{shift}\W+{unit}", rf"{unit}\W+{shift}"]
    return rf"{_YEAR}|\b(?:{'|'.join(words or [_YEAR])})\b"
