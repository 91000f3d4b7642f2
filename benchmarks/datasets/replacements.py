"""Changes of values, and pairs that look like one; described in ``tests/fixtures/knowledge``.

Of the unseen sets only totals may be shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import msgspec

from benchmarks.datasets.corpus import DialogueSet, Turn
from benchmarks.datasets.data import decode, read_plain
from benchmarks.datasets.labelled_messages import FOLDER
from recollect.core.clock import to_ms

SetName = Literal["seen", "opened", "unseen"]
FILES: dict[SetName, tuple[str, str]] = {
    "seen": ("replaced_seen.json.gz", "false_replaced_seen.json.gz"),
    "opened": ("changes_opened.json.gz", "false_changes_opened.json.gz"),
    "unseen": ("changes_unseen.json.gz", "false_changes_unseen.json.gz"),
}
LONGEST_LINE = 400
_WORD = re.compile(r"\w{3,}")


class Line(msgspec.Struct, frozen=True):
    """A message of an item; ``at`` is a time in ISO 8601."""

    role: str
    text: str
    at: str

    @property
    def at_ms(self) -> int:
        """When it was said, ms UTC."""
        return to_ms(datetime.fromisoformat(self.at))


class ChangedValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value that changes, and questions for what holds and for what held before."""

    id: str
    language: str
    messages: tuple[Line, ...]
    question: str
    current: int
    also_current: tuple[int, ...] = ()
    old: tuple[int, ...]
    past_question: str
    past_current: int
    past_also: tuple[int, ...] = ()
    shares_no_word: bool = False


class FalseChange(msgspec.Struct, frozen=True, kw_only=True):
    """Two messages of which the second must not replace the first."""

    id: str
    language: str
    messages: tuple[Line, ...]
    first: int
    second: int


def load_changed_values(name: SetName) -> list[ChangedValue]:
    """Return the changes of a set."""
    file = FILES[name][0]
    return decode(read_plain(FOLDER / file), list[ChangedValue], file)


def load_false_changes(name: SetName) -> list[FalseChange]:
    """Return what looks like a change in a set."""
    file = FILES[name][1]
    return decode(read_plain(FOLDER / file), list[FalseChange], file)


class Lines:
    """Real lines that stand around an item: those that share most of its words.

    Args:
        sets: Data sets with dialogues.
    """

    def __init__(self, sets: Sequence[DialogueSet]) -> None:
        turns = (
            turn
            for each in sets
            for conversation in each.conversations
            for session in conversation.sessions
            for turn in session.turns
        )
        self._turns = [turn for turn in turns if 0 < len(turn.text) <= LONGEST_LINE]
        self._words = [_words(turn.text) for turn in self._turns]

    def near(self, item: ChangedValue, most: int) -> list[Turn]:
        """Return the lines for an item, in the order of their data sets."""
        wanted = _words(" ".join([item.question, *(each.text for each in item.messages)]))
        shared = [len(wanted & words) for words in self._words]
        best = sorted(range(len(shared)), key=lambda n: (-shared[n], n))[:most]
        return [self._turns[n] for n in sorted(best)]


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))
