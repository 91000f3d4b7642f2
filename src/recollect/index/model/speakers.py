"""Names of owners and speakers, and the speakers that a question is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import groupby

import msgspec

from recollect.core.scope import Scope, ScopeOfPerson
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction
from recollect.text.terms import bare, is_unspaced

UNKNOWN = -1
"""Equals no stored number, so that an unknown owner matches nothing."""

_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")


class Mention(msgspec.Struct, frozen=True):
    """A name within a question: its position, and the speakers it may mean."""

    start: int
    end: int
    speakers: frozenset[int]


class Names:
    """The rows of `names` of one partition."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._name_of: dict[int, tuple[str, str]] = {}
        self._speakers: dict[str, set[int]] = {}
        self._longest = 1
        self._read_until = 0

    def refresh(self, tx: Transaction, partition: int) -> None:
        """Add new names."""
        rows = tx.all(
            "SELECT id, kind, value FROM names WHERE partition_id = ? AND id > ? ORDER BY id",
            (partition, self._read_until),
        )
        for key, kind, value in typed_rows(rows, tuple[int, str, str]):
            self._read_until = key
            self._add(key, kind, value)

    def forget_missing(self, tx: Transaction, numbers: Iterable[int]) -> None:
        """Drop those of ``numbers`` that were removed: no speaker has them any more."""
        for number in numbers:
            if number in self._name_of and not tx.row(
                "SELECT 1 FROM names WHERE id = ?", (number,)
            ):
                self._drop(number)

    def number(self, kind: str, value: str) -> int:
        """Return the number of a name, or `UNKNOWN`."""
        return self._numbers.get((kind, value), UNKNOWN)

    def users(self, scope: Scope) -> list[int]:
        """Return the numbers of the users whose rows a scope with a user selects."""
        if isinstance(scope, ScopeOfPerson) and scope.anywhere:  # their ids on unknown channels
            users = ((value, n) for (kind, value), n in self._numbers.items() if kind == "user")
            return [number for user, number in users if scope.includes(user)]
        accounts = scope.users if isinstance(scope, ScopeOfPerson) else (scope.user or "",)
        return [self.number("user", account) for account in accounts]

    def mentions(self, question: str, visible: AbstractSet[int] | None = None) -> list[Mention]:
        """Return the speakers named in ``question``, by full or first name, left to right.

        A name of one word must be written with a capital, unless the question has none at all:
        "will" and "mark" are words too.

        Args:
            question: The question.
            visible: Numbers of the speakers that are known to the asker; None for all.
        """
        words = _words(question)
        lower_case = question == question.lower()
        mentions: list[Mention] = []
        position = 0
        while position < len(words):
            length, speakers = 0, frozenset[int]()
            if lower_case or _may_be_name(question[slice(*words[position])]):
                length, speakers = self._match(words, position, question, visible)
            if length:
                start, end = words[position][0], words[position + length - 1][1]
                mentions.append(Mention(start, end, speakers))
            position += max(length, 1)
        return mentions

    def _match(
        self,
        words: list[tuple[int, int]],
        position: int,
        question: str,
        visible: AbstractSet[int] | None,
    ) -> tuple[int, frozenset[int]]:
        """Return the most words from ``position`` on that are a name, and its speakers."""
        for length in range(min(self._longest, len(words) - position), 0, -1):
            start, end = words[position][0], words[position + length - 1][1]
            speaker_ids = self._speakers.get(_bare(question[start:end]), frozenset[int]())
            speakers = frozenset(speaker_ids if visible is None else speaker_ids & visible)
            if speakers:
                return length, speakers
        return 0, frozenset()

    def _add(self, number: int, kind: str, value: str) -> None:
        self._numbers[kind, value] = number
        self._name_of[number] = kind, value
        if kind == "speaker":
            for key in _keys(value):
                self._speakers.setdefault(key, set()).add(number)
            self._longest = max(self._longest, len(_words(value)))

    def _drop(self, number: int) -> None:
        kind, value = self._name_of.pop(number)
        if self._numbers.get((kind, value)) == number:
            del self._numbers[kind, value]
        for key in _keys(value) if kind == "speaker" else ():
            self._speakers[key].discard(number)
            if not self._speakers[key]:
                del self._speakers[key]


def _may_be_name(word: str) -> bool:
    return not (word[0].islower() and word.isascii())


def _words(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each word; it ends where scripts change, too: Zoe画过什么."""
    spans = [word.span() for word in _WORD.finditer(text)]
    return spans if text.isascii() else [part for span in spans for part in _parts(text, span)]


def _parts(text: str, span: tuple[int, int]) -> Iterator[tuple[int, int]]:
    start, stop = span
    for _, run in groupby(text[start:stop], is_unspaced):
        end = start + sum(1 for _ in run)
        yield start, end
        start = end


def _keys(name: str) -> set[str]:
    """Return the names a speaker may be called by: the full name and its first word."""
    first = _words(name)[:1]
    return ({_bare(name)} | {_bare(name[start:end]) for start, end in first}) - {""}


def _bare(name: str) -> str:
    folded = " ".join(name.split())
    folded = folded.lower() if folded.isascii() else bare(folded)
    return folded.removesuffix("'s").removesuffix("’s")
