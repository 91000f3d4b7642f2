"""Denials and deeds: what a speaker says they never did, and what they say they did.

By signs of both, which each language has, and by the words that the two share. Whether they
contradict each other also depends on when both were said: what is done after a denial is none.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping

import msgspec

from recollect.text.denial import find_denial
from recollect.text.languages import all_languages
from recollect.text.languages.language import DONE
from recollect.text.statements.reading import clauses, own_lines
from recollect.text.statements.rulebook import UNSPACED, rulebook
from recollect.text.statements.tongue import language_of
from recollect.text.statements.value_sentences import words_of

_WORD = re.compile(r"\w+")
_LEAST, _LEAST_SHARE, _LEAST_OF_NAME = 2, 0.4, 0.5
"""What the words of a denial that a deed has count: so much, and such a share of all of them; the
last where it is a name alone (docs/experiments.md, contradictions)."""
_NAME = 2
"""What a name counts; any other word counts 1."""


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """A clause that tells that its speaker did something, or never did.

    Attributes:
        text: The clause.
        words: What its names, nouns and verbs count, in the form in which they are compared.
        is_denied: Whether they never did it.
    """

    text: str
    words: Mapping[str, int]
    is_denied: bool


def deeds(text: str) -> Iterator[Deed]:
    """Yield what the speaker of a message did or denies, outside of code, quotes and questions.

    >>> [each.is_denied for each in deeds("I just got Zotero. I've never used Zotero.")]
    [False, True]
    """
    book = rulebook(language_of(text, _WORD.findall(text.lower())), "user")
    for start, line in own_lines(text, book):
        for clause in clauses(line, start, book):
            if clause.is_asked:
                continue
            denial = find_denial(clause.lowered)
            if denial is not None:
                before = clause.text[: denial.start()] if book.code in UNSPACED else ""
                words = _counted(f"{before} {clause.text[denial.end() :]}")
                yield Deed(text=clause.text, words=words, is_denied=True)
            elif _done(book.code).search(clause.lowered):
                yield Deed(text=clause.text, words=_counted(clause.text), is_denied=False)


def denied_share(denial: Deed, deed: Deed) -> float:
    """Return how much of what is denied somebody did, as a share of its words.

    0 where it is too little, or unless the first is a denial and the second is not.
    """
    if deed.is_denied or not denial.is_denied:
        return 0.0
    shared = [count for word, count in denial.words.items() if word in deed.words]
    share = sum(shared) / max(1, sum(denial.words.values()))
    least = _LEAST_SHARE if len(shared) >= _LEAST else _LEAST_OF_NAME
    return share if sum(shared) >= _LEAST and share >= least else 0.0


def _counted(text: str) -> dict[str, int]:
    return {word: _NAME if is_name else 1 for word, is_name in words_of(text).items()}


@functools.cache
def _done(code: str) -> re.Pattern[str]:
    language = next(each for each in all_languages() if each.code == code)
    sign = language.statements[DONE]
    return re.compile(sign if code in UNSPACED else rf"\b(?:{sign})\b")
