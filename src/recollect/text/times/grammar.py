"""Finds the times that a text names, and their words, by the same few patterns for every language.

Each word becomes one letter, its kind (see `recollect.text.languages.language`), and the patterns
are searched in these letters. `ranges` defines the meaning of an expression.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from recollect.text.languages import spaced, unspaced
from recollect.text.languages.language import (
    DATE,
    DAY_NUMBER,
    DIGITS,
    MONTH,
    NUMBER,
    OTHER,
    YEAR,
    Table,
)
from recollect.text.query_cues import spoken_in
from recollect.text.terms import UNSPACED, bare

MOST_QUESTION_CHARS = 2_000
"""Only this much of a longer text is read: questions are shorter."""

_NUMERIC = (
    r"(?P<ymd>(?<![\w.-])\d{4}(?:(?P<s>[-/.])\d{1,2}(?P=s)\d{1,2}|-\d\d)(?![\w/-]))"
    r"|(?P<dmy>(?<![\w.])\d{1,2}(?P<t>[./])\d{1,2}(?P=t)\d{4}(?!\w))"
    r"|(?P<Y>(?<![\w./:-])(?:19|20)\d\d(?![\w/:-]|[.]\d))"
    r"|(?P<q>\d{1,2}(?:st|nd|rd|th|[ªº])?\b)"
)
_OTHER = r"|(?P<end>[?!;:()\n])"
_ASCII_WORD = re.compile(rf"{_NUMERIC}|\w+{_OTHER}")


@functools.cache
def _any_word() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<unspaced>\d*[{UNSPACED}](?: ?[{UNSPACED}]|\d)*)|{_NUMERIC}"
        rf"|(?:(?![{UNSPACED}])[\w\u0300-\u036f])+{_OTHER}"
    )


_KANJI = "一二三四五六七八九十"


@functools.cache
def _one_of_characters() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<Y>(?:19|20)\d\d)(?:{_date_signs(YEAR)})?"
        rf"|(?P<n>\d{{1,2}}|[{_KANJI}]{{1,3}})(?:{_date_signs(DAY_NUMBER)})"
        rf"|(?P<M>\d{{1,2}}|[{_KANJI}]{{1,2}})(?:{_date_signs(MONTH)})"
        rf"|(?P<word>{'|'.join(sorted(_unspaced_words(), key=lambda word: (-len(word), word)))})"
        rf"|(?P<q>\d{{1,2}}|[{_KANJI}]{{1,3}})|."
    )


def _date_signs(kind: str) -> str:
    return "|".join(each.date_signs[kind] for each in unspaced() if kind in each.date_signs)


_WEEK = "(?:RU|UR|J)"
_TIMES = {
    "numeric": "d",
    "date": (
        "[qo]F?t?[Mm](?:F?Y)?|[Mm][qo](?!F?U)Y?|Y[Mm]n?|Mn"
        "|(?:RU|J)F?[Mm]n?|[Mm]n?(?:F?t?(?:RU|UR)|J)|[Mm]F?Y|[IFSBEb]t?[Mm]R?|R[Mm]|[Mm]R|M"
    ),
    "weekday": (
        f"V|{_WEEK}[FI]?t?[WwX]|[WwX][IF]?t?{_WEEK}|RF?[WwX]|[Ww]R|[ISBEb]t?[Ww]R?|W(?=P)|X"
    ),
    "part": "DI?t?g|R[Pg]|T",
    "ago": "At?N?[qN]F?U|N?[qN]F?UA",
    "rolling": "RF?N?[qN]F?U|Z[qN]?U|[qN]z",
    "season": f"RF?[Kk]|[Kk]R|JF?K|[ISBEb]t?K(?:F?t?(?:Y|RU|UR))?|[Kk]F?(?:Y|t?{_WEEK})",
    "unit": "RU|Ut?bR|UR|J|D",
    "year": "Y",
}


@functools.cache
def _times_in_kinds() -> re.Pattern[str]:
    return re.compile(
        r"(?<!e)(?:[SBEb][tN]?I?t?|I?t|IF?)?(?:"
        + "|".join(f"(?P<{rule}>{pattern})" for rule, pattern in _TIMES.items())
        + r")(?:[IF]?t?P)?s?"
    )


class Word(msgspec.Struct, frozen=True):
    """A word, or words that belong together: its kind, its meaning, and its position."""

    kind: str
    value: Any
    start: int
    end: int


class Expression(msgspec.Struct, frozen=True):
    """Words that name a time.

    Attributes:
        rule: The key of the pattern that matched.
        opening: ``S`` from its begin on, ``B`` up to its begin, ``E`` from its end on; empty.
        words: Those that count, in order.
    """

    rule: str
    opening: str
    words: tuple[Word, ...]

    def value(self, kinds: str) -> Any:
        """Return the meaning of the first word of one of these kinds, or None."""
        return next((word.value for word in self.words if word.kind in kinds), None)


def expressions(text: str) -> list[Expression]:
    """Return the expressions of time in a text, in its order; they do not overlap."""
    words = list(_words(text[:MOST_QUESTION_CHARS]))
    kinds = "".join(word.kind for word in words)
    if not kinds.strip(_NEVER_ALONE):
        return []
    return [
        Expression(
            str(match.lastgroup),
            _OPENINGS.get(match[0][0]) or _OPENINGS.get(match[0][-1], ""),
            tuple(words[match.start() : match.end()]),
        )
        for match in _times_in_kinds().finditer(kinds)
    ]


_NEVER_ALONE = "xqNIFteSsBEbAZRo"
"""Kinds that mean a time only together with others: most questions have only these, and no
pattern is tried."""
_OPENINGS = {"S": "S", "s": "S", "B": "B", "b": "B", "E": "E"}


def is_whole(text: str, expression: Expression) -> bool:
    """Return whether nothing else is said in a text but prepositions and articles."""
    around = [word for word in _words(text) if word not in expression.words]
    return all(word.kind in "IFt" for word in around)


def _words(text: str) -> Iterator[Word]:
    matches = list((_ASCII_WORD if text.isascii() else _any_word()).finditer(text))
    names = [each[0].lower() if each[0].isascii() else bare(each[0]) for each in matches]
    phrases = _phrases()
    if not _ambiguous().isdisjoint(names):
        language = spoken_in(names)
        phrases = phrases if language is None else _phrases_in(language)
    position = 0
    while position < len(matches):
        match, length = matches[position], 1
        group = match.lastgroup
        if group == "unspaced":
            yield from _characters(match[0], match.start())
        elif group is not None:
            yield Word(*_by_form(group, match[0]), match.start(), match.end())
        else:
            length, kind, value = _longest(names, position, phrases)
            yield Word(kind, value, match.start(), matches[position + length - 1].end())
        position += length


def _longest(names: list[str], position: int, phrases: _Phrases) -> tuple[int, str, Any]:
    """Return the number of words from a position on that belong together, with kind and meaning."""
    for phrase, kind, value in phrases.get(names[position], ()):
        if names[position : position + len(phrase)] == phrase:
            return len(phrase), kind, value
    return 1, OTHER, None


_Phrases: TypeAlias = dict[str, list[tuple[list[str], str, Any]]]
"""The first word of phrases -> the phrase, its kind, its meaning; the longest first."""


@functools.cache
def _phrases() -> _Phrases:
    """Return the words and phrases of all languages by their first word, the longest first."""
    return _by_first_word([language.times for language in spaced()])


@functools.cache
def _phrases_in(code: str) -> _Phrases:
    """Return the phrases for a text in one language, whose ambiguous words count."""
    own = [language.ambiguous_times for language in spaced() if language.code == code]
    return _by_first_word([*own, *(language.times for language in spaced())])


@functools.cache
def _ambiguous() -> frozenset[str]:
    """Return the first words of ambiguous phrases."""
    return frozenset(_by_first_word([language.ambiguous_times for language in spaced()]))


def _by_first_word(tables: Sequence[Table]) -> _Phrases:
    phrases: _Phrases = {}
    for table in tables:
        for kind, words in table.items():
            for spelling, value in words.items():
                phrase = spelling.split()
                phrases.setdefault(phrase[0], []).append((phrase, kind, value))
    return {first: sorted(each, key=lambda one: -len(one[0])) for first, each in phrases.items()}


@functools.cache
def _unspaced_words() -> dict[str, tuple[str, Any]]:
    return {
        word: (kind, value)
        for language in unspaced()
        for kind, words in language.times.items()
        for word, value in words.items()
    }


def _by_form(group: str, digits: str) -> tuple[str, Any]:
    """Return the kind and meaning of digits: a date, a year, a number; all else ends a phrase."""
    if group == YEAR:
        return YEAR, int(digits)
    if group == DIGITS:
        return DIGITS, int(re.sub(r"\D", "", digits))
    if group == "end":
        return OTHER, None
    parts = [int(part) for part in re.split(r"\D", digits)]
    if group == "ymd":
        return DATE, tuple(parts)
    day, month, year = parts
    is_clear = "." in digits or day > _MONTHS or month > _MONTHS or day == month
    if month > _MONTHS:
        day, month = month, day
    return (DATE, (year, month, day)) if is_clear else (OTHER, None)


_MONTHS = 12


def _characters(run: str, start: int) -> Iterator[Word]:
    for match in _one_of_characters().finditer(run):
        kind, value = str(match.lastgroup), None
        if kind == "word":
            kind, value = _unspaced_words()[match[0]]
        elif match.lastgroup is None:
            if match[0] == " ":
                continue
            kind = OTHER
        else:
            kind, value = (NUMBER if kind == DIGITS else kind), _number(match[kind])
        yield Word(kind, value, start + match.start(), start + match.end())


def _number(digits: str) -> int:
    """Return the number that digits or the signs of China and Japan up to 99 mean.

    >>> _number("12"), _number("十二"), _number("二十"), _number("三")
    (12, 12, 20, 3)
    """
    if digits.isdecimal():
        return int(digits)
    tens, ten, ones = digits.rpartition("十")
    return 10 * (_digit(tens) or 1) * bool(ten) + _digit(ones)


def _digit(sign: str) -> int:
    return _KANJI.find(sign[-1:]) + 1 if sign else 0
