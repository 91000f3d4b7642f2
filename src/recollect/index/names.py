"""Names of owners and speakers, and which speakers a question talks about."""

from __future__ import annotations

import re

import msgspec

from recollect.store.cell import integer, text
from recollect.store.engine import Transaction

UNKNOWN = -1
"""Equals no stored number, so that an unknown owner matches nothing."""

_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")


class Mention(msgspec.Struct, frozen=True):
    """A name within a question: its place, and the speakers it may mean."""

    start: int
    end: int
    speakers: frozenset[int]


class Names:
    """The rows of `names` of one partition."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._speakers: dict[str, set[int]] = {}
        self._longest = 1
        self._read_until = 0

    def refresh(self, tx: Transaction, partition: int) -> None:
        """Take in new names."""
        rows = tx.rows(
            "SELECT id, kind, value FROM names WHERE partition_id = ? AND id > ? ORDER BY id",
            (partition, self._read_until),
        )
        for key, kind, value in rows:
            self._numbers[text(kind), text(value)] = integer(key)
            self._read_until = integer(key)
            if kind == "speaker":
                self._add_speaker(text(value), integer(key))

    def number(self, kind: str, value: str) -> int:
        """Return the number of a name, or `UNKNOWN`."""
        return self._numbers.get((kind, value), UNKNOWN)

    def mentions(self, question: str) -> list[Mention]:
        """Return the speakers named in ``question``, by full or first name, left to right.

        A name of one word must be written with a capital, unless the question has none at all:
        "will" and "mark" are words too.
        """
        words = list(_WORD.finditer(question))
        lower_case = question == question.lower()
        found: list[Mention] = []
        position = 0
        while position < len(words):
            length = self._match(words, position, question, lower_case=lower_case)
            if length:
                end = words[position + length - 1].end()
                start = words[position].start()
                key = _bare(question[start:end])
                found.append(Mention(start, end, frozenset(self._speakers[key])))
            position += max(length, 1)
        return found

    def _match(
        self, words: list[re.Match[str]], position: int, question: str, *, lower_case: bool
    ) -> int:
        first = words[position].group()
        if not lower_case and first[0].islower() and first.isascii():
            return 0
        for length in range(min(self._longest, len(words) - position), 0, -1):
            end = words[position + length - 1].end()
            if _bare(question[words[position].start() : end]) in self._speakers:
                return length
        return 0

    def _add_speaker(self, name: str, number: int) -> None:
        words = [match.group() for match in _WORD.finditer(name)]
        keys = {_bare(name)} | ({_bare(words[0])} if words else set())
        for key in keys - {""}:
            self._speakers.setdefault(key, set()).add(number)
        self._longest = max(self._longest, len(words))


def _bare(name: str) -> str:
    folded = " ".join(name.split()).casefold()
    return folded.removesuffix("'s").removesuffix("’s")
