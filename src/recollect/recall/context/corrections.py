"""Corrections: what a person said later that makes a value of an older sentence wrong.

What is replaced by rule is linked where facts are made, see `recollect.knowledge.replacements`;
here are the sentences of a session and of the agent, which have no links: "make it 2 %, with 5 % we
missed the outage" leaves nothing of a sentence with the 5 % of the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from recollect.recall.context.worth import told_words
from recollect.text.boundaries import sentence_ends
from recollect.text.languages.language import TROUBLE

_NUMBER = re.compile(r"(?<![\w.,:/-])\d+(?:[.,:]\d+)*")
_LOST = "losses"
_TURNS = ("turns", "ends", "changes")
"""Signs of a change in the grammars of languages."""


class Correction(NamedTuple):
    """A message that changes something.

    Attributes:
        at: When it was said, ms UTC.
        words: Its words.
        numbers: Those in it.
        lost: The words of each thing that it says is replaced.
    """

    at: int
    words: frozenset[str]
    numbers: frozenset[str]
    lost: tuple[frozenset[str], ...]

    def overrules(self, sentence: str, at: int) -> bool:
        """Return whether a sentence that was said at a time has a value that holds no longer."""
        if at >= self.at:
            return False
        words, numbers = told_words(sentence), frozenset(_NUMBER.findall(sentence))
        others = {word for word in words & self.words if not word.isdigit()}
        is_replaced = bool(numbers & self.numbers) and not self.numbers <= numbers
        is_lost = any(old_value <= words and others - old_value for old_value in self.lost)
        return is_lost or (is_replaced and bool(others))


def correction_of(text: str, at: int) -> Correction | None:
    """Return what a message of a person corrects; None if it changes nothing.

    Args:
        text: Its own words.
        at: When it was said, ms UTC.
    """
    from recollect.text.statements.recognition import book_of, words_of
    from recollect.text.statements.rulebook import small_letters
    from recollect.text.statements.sentences import states

    book, lowered = book_of(text, "user", words_of(text)), small_letters(text)
    old = (match["old"] for match in book.signs[_LOST].finditer(text))
    old_values = tuple(filter(None, (told_words(each) for each in old if each)))
    numbers = frozenset(_NUMBER.findall(text))
    is_turn = any(book.has(sign, lowered) for sign in _TURNS) or states(text, TROUBLE)
    if not old_values and not (is_turn and len(numbers) > 1):
        return None
    return Correction(at, told_words(text), numbers, old_values)


def holding(text: str, at: int, corrections: Sequence[Correction]) -> str:
    """Return the sentences of a text that nothing corrects."""
    bounds = [0, *sentence_ends(text), len(text)]
    sentences = (text[start:end] for start, end in pairwise(bounds))
    return "".join(
        each
        for each in sentences
        if not any(correction.overrules(each, at) for correction in corrections)
    ).strip()
