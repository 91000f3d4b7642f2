"""Traits of a clause by which it is judged: its words, classes of words, and their order.

Classes are shared by all languages ("KIN", "TECH", "DUE"), so that what one language teaches of
"my + KIN + called" holds in another.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence
from itertools import chain, pairwise, repeat
from typing import NamedTuple

from recollect.text.languages import all_languages
from recollect.text.languages.language import (
    MAYBE_MONTH,
    MAYBE_WEEKDAY,
    MONTH,
    SURE_WEEKDAY,
    WEEKDAY,
)
from recollect.text.statements.reading import Clause
from recollect.text.statements.rulebook import UNSPACED, grammar_of, small_letters

_LONGEST_WORD = 5
"""Characters of a word in a text without spaces."""
_STEM = 5
_NO_CLASS = ("?",)
_OF_NUMBERS = (
    r"(?=[\d$€£¥v])(?:"
    r"(?P<CLOCK>\b\d{1,2}[:h]\d\d\b|\d{1,2} ?(?:[ap]m|uhr|h|时|点|點|時|시)(?![a-z]))"
    r"|(?P<DAY>\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}\.?(?:\d{2,4})?(?![\d.])"
    r"|\d{1,2}(?:st|nd|rd|th)\b|\d{1,2} ?(?:月|日|号|號|월|일))"
    r"|(?P<VERSION>\bv?\d+\.\d+[\d.]*)|(?P<MONEY>[$€£¥]\s?\d+|\d+ ?[$€£元円원])|(?P<NUMBER>\d+))"
)
_NUMBERS = re.compile(_OF_NUMBERS)
_SHAPES = re.compile(
    r"(?P<MAIL>\b[\w.+-]{1,64}@[\w-]+\.\w+)"
    r"|(?P<CODE>`[^`]*`|(?<![\w./-])(?:[\w.-]{0,40}/)+[\w.-]{0,40}\w|\b[a-z]\w*_\w+\b)|"
    + _OF_NUMBERS
)
_MAYBE_SHAPED = re.compile(r"[\d@`/_]")
_MAYBE_NAMED = re.compile("[@`/_]")
"""What an address or code has; most clauses with a number have none of it."""
_WORDS = re.compile(r"[^\W\d_][\w'-]*")
_ASCII_WORDS = re.compile(r"[a-z][a-z0-9_'-]*")
"""The same in small letters of ASCII."""
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9.+#]*")
_CAPITAL = re.compile(r" (?<=[\w,:] )[A-ZÀ-Ý][a-zà-ÿ]")
_NAMES_SHOW = frozenset({"en", "es", "fr", "pt"})
"""Languages whose names are known by a capital, as other nouns have none."""
_WIDTH = {"zh": 2.5, "ja": 2.5, "ko": 1.6}
"""Characters of an alphabet that say as much as one of these."""
_LENGTH_STEP = 20
_LONGEST_STEP = 6


class ClauseTraits(NamedTuple):
    """The traits of a clause.

    Attributes:
        own: Those of its words, which are of its language alone.
        shared: Those that mean the same in all languages, in groups that have none in common: a
            clause is one of few combinations of them.
        order: Likewise, of the order of its words.
    """

    own: set[str]
    shared: list[tuple[str, ...]]
    order: set[str]


def clause_traits(clause: Clause, role: str, code: str) -> ClauseTraits:
    """Return the traits of a clause.

    Args:
        clause: The clause.
        role: Of who says it.
        code: The code of its language.
    """
    text, lowered = clause.text, clause.lowered
    order: set[str] = set()
    first: tuple[str, ...] = ()
    if code in UNSPACED:
        text = unicodedata.normalize("NFKC", text)
        lowered = small_letters(text)
        own, classes = _of_pieces(text.lower(), code)
        if latin := _LATIN.findall(text.lower()):
            classes.add("LATIN")
            order.update([f"latin={each}" for each in latin])
        shared = []
    else:
        words = (_ASCII_WORDS if text.isascii() else _WORDS).findall(text.lower())
        own = _of_words(words, code)
        of_words = list(map(_classes(code).get, words, repeat(())))
        classes = set(chain.from_iterable(of_words))
        order.update(*[_of_order(one, two) for one, two in pairwise(of_words) if one and two])
        shared = list(map(_of_start, ("^", "^^"), of_words))
        first = (of_words[0] or _NO_CLASS) if words else ()
        if code in _NAMES_SHOW and _CAPITAL.search(text):
            classes.add("NAME")
    if _MAYBE_SHAPED.search(text):
        shapes = _SHAPES if _MAYBE_NAMED.search(text) else _NUMBERS
        classes.update([match.lastgroup or "" for match in shapes.finditer(lowered)])
    length = min(_LONGEST_STEP, int(len(text) * _WIDTH.get(code, 1) / _LENGTH_STEP))
    shared.append(_of_place(role, clause.is_asked, clause.is_before_question, length))
    shared += [_of_class(each, first) for each in classes]
    return ClauseTraits(own, shared, order)


def _of_words(words: Sequence[str], code: str) -> set[str]:
    """Return the traits of words, and of each with the next one."""
    traits = set(words)
    traits.update([f"{word[:_STEM]}*" for word in words if len(word) > _STEM])
    if code == "de":
        traits.update([f"*{word[-_STEM:]}" for word in words if len(word) > _STEM])
    if words:
        traits.update([f"{one}_{two}" for one, two in pairwise(("^", *words, "$"))])
    return traits


@functools.cache
def _of_order(classes: tuple[str, ...], following: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"#{one}>{other}" for one in classes for other in following)


@functools.cache
def _of_start(start: str, classes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{start}{each}" for each in classes or _NO_CLASS)


@functools.cache
def _of_class(each: str, first: tuple[str, ...]) -> tuple[str, ...]:
    """Return the traits of a class, and of it after a first word of some classes."""
    return (f"#{each}", *(f"^{one}&{each}" for one in first))


@functools.cache
def _of_place(role: str, is_asked: bool, is_before_question: bool, length: int) -> tuple[str, ...]:
    of_question = ("asked",) * is_asked + ("before question",) * is_before_question
    return ("always", f"role={role}", f"length={length}", *of_question)


def _of_pieces(text: str, code: str) -> tuple[set[str], set[str]]:
    """Return the traits and the classes of the pieces of a text without spaces."""
    of = _classes(code)
    pieces = [
        {text[at : at + length] for at in range(len(text) - length + 1)}
        for length in range(1, _LONGEST_WORD + 1)
    ]
    classes = {each for same in pieces for piece in of.keys() & same for each in of[piece]}
    traits = pieces[1] | pieces[2]
    traits.update([f"${text[-length:]}" for length in range(1, 5)])
    traits.update([f"^{text[:length]}" for length in range(1, 4)])
    return traits, classes


@functools.cache
def _classes(code: str) -> dict[str, tuple[str, ...]]:
    """Return the classes of the words of a language, those of its calendar too."""
    of: dict[str, set[str]] = {}
    for name, words in grammar_of(code).classes.items():
        for word in words.split():
            of.setdefault(word, set()).add(name)
    shortest = 2 if code in UNSPACED else 3
    calendar = {
        MONTH: "MONTH", MAYBE_MONTH: "MONTH",
        WEEKDAY: "DAY", MAYBE_WEEKDAY: "DAY", SURE_WEEKDAY: "DAY",
    }  # fmt: skip
    for language in all_languages():
        for kind, name in calendar.items() if language.code == code else ():
            for word in language.times.get(kind, ()):
                if len(word) >= shortest:
                    of.setdefault(word, set()).add(name)
    return {word: tuple(sorted(names)) for word, names in of.items()}
