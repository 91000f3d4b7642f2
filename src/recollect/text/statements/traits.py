"""Traits of a clause by which it is judged: its words, classes of words, and their order.

Classes are shared by all languages ("KIN", "TECH", "DUE"), so that what one language teaches of
"my + KIN + called" holds in another.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator, Sequence

from recollect.text.languages import all_languages
from recollect.text.languages.language import (
    MAYBE_MONTH,
    MAYBE_WEEKDAY,
    MONTH,
    SURE_WEEKDAY,
    WEEKDAY,
)
from recollect.text.statements.reading import Clause
from recollect.text.statements.rulebook import UNSPACED, grammar_of

_LONGEST_WORD = 5
"""Characters of a word in a text without spaces."""
_STEM = 5
_SHAPES = re.compile(
    r"(?P<MAIL>\b[\w.+-]{1,64}@[\w-]+\.\w+)"
    r"|(?P<CODE>`[^`]*`|(?<![\w./-])(?:[\w.-]{0,40}/)+[\w.-]{0,40}\w|\b[a-z]\w*_\w+\b)"
    r"|(?P<CLOCK>\b\d{1,2}[:h]\d\d\b|\d{1,2} ?(?:[ap]m|uhr|h|时|点|點|時|시)(?![a-z]))"
    r"|(?P<DAY>\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}\.?(?:\d{2,4})?(?![\d.])"
    r"|\d{1,2}(?:st|nd|rd|th)\b|\d{1,2} ?(?:月|日|号|號|월|일))"
    r"|(?P<VERSION>\bv?\d+\.\d+[\d.]*)|(?P<MONEY>[$€£¥]\s?\d+|\d+ ?[$€£元円원])|(?P<NUMBER>\d+)",
    re.IGNORECASE,
)
_MAYBE_SHAPED = re.compile(r"[\d@`/_]")
_WORDS = re.compile(r"[^\W\d_][\w'-]*")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9.+#]*")
_CAPITAL = re.compile(r"(?<=[\w,:] )[A-ZÀ-Ý][a-zà-ÿ]+")
_NAMES_SHOW = frozenset({"en", "es", "fr", "pt"})
"""Languages whose names are known by a capital, as other nouns have none."""
_WIDTH = {"zh": 2.5, "ja": 2.5, "ko": 1.6}
"""Characters of an alphabet that say as much as one of these."""
_LENGTH_STEP = 20
_LONGEST_STEP = 6


def clause_traits(clause: Clause, role: str, code: str) -> list[str]:
    """Return the traits of a clause, each once or more often.

    Args:
        clause: The clause.
        role: Of who says it.
        code: The code of its language.
    """
    traits = ["always", f"role={role}"]
    if clause.is_asked:
        traits.append("asked")
    if clause.is_before_question:
        traits.append("before question")
    return traits + _of_text(clause.text, code)


def _of_text(clause: str, code: str) -> list[str]:
    if code in UNSPACED:
        clause = unicodedata.normalize("NFKC", clause)
    lowered = clause.lower()
    classes: set[str] = set()
    if _MAYBE_SHAPED.search(clause):
        classes = {match.lastgroup or "" for match in _SHAPES.finditer(clause)}
    if code in UNSPACED:
        traits = list(_of_signs(lowered, code, classes))
        for match in _LATIN.finditer(lowered):
            traits.append(f"latin={match[0]}")
            classes.add("LATIN")
    else:
        traits = list(_of_words(_WORDS.findall(lowered), code, classes))
        if code in _NAMES_SHOW and _CAPITAL.search(clause):
            classes.add("NAME")
    first = [trait for trait in traits if trait[0] == "^" and trait[1] != "^"]
    traits += [f"#{each}" for each in classes]
    traits += [f"{one}&{each}" for one in first for each in classes]
    width = len(clause) * _WIDTH.get(code, 1)
    traits.append(f"length={min(_LONGEST_STEP, int(width / _LENGTH_STEP))}")
    return traits


def _of_words(words: Sequence[str], code: str, classes: set[str]) -> Iterator[str]:
    """Yield the traits of words; add their classes."""
    of = _classes(code)
    before = "^"
    its_classes: tuple[str, ...] = ()
    for at, word in enumerate(words):
        here = of.get(word, ())
        classes.update(here)
        yield f"{code} {word}"
        yield f"{code} {before}_{word}"
        if len(word) > _STEM:
            yield f"{code} {word[:_STEM]}*"
            if code == "de":
                yield f"{code} *{word[-_STEM:]}"
        for one in its_classes:
            for other in here:
                yield f"#{one}>{other}"
        if at < 2:
            for each in here or ("?",):
                yield f"{'^^'[: at + 1]}{each}"
        before, its_classes = word, here
    if words:
        yield f"{code} {words[-1]}_$"


def _of_signs(text: str, code: str, classes: set[str]) -> Iterator[str]:
    """Yield the traits of a text without spaces, which are of its signs; add their classes."""
    of = _classes(code)
    for at in range(len(text)):
        for length in range(1, _LONGEST_WORD + 1):
            piece = text[at : at + length]
            if len(piece) < length:
                break
            if piece in of:
                classes.update(of[piece])
            if 2 <= length <= 3:
                yield f"{code} {piece}"
    for length in range(1, 5):
        yield f"{code} ${text[-length:]}"
    for length in range(1, 4):
        yield f"{code} ^{text[:length]}"


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
