"""The shortlist: ranked chunks, read as hits only as far as they are wanted, and what is shown.

A message is a hit once, with its best chunk; a file once for each chunk.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from recollect.index.diversity import diverse_order
from recollect.index.hit import Hit
from recollect.index.request import Ranked
from recollect.index.selection import Standing, above_threshold, with_files

ANSWERS_AS_WELL = 0.7
"""A memory file with so much of the best score answers as well (docs/experiments.md, share)."""

Key = tuple[str, str, int]
"""Source, ref and first line (0 but for files)."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A hit with what decides whether it is shown.

    Attributes:
        hit: What callers see.
        key: What it is of.
        rank: 3 to 1 where the question names the file; else 0.
        words: Share of the question's words in the text, in [0, 1]; 0 where it was not asked for.
        is_file: Whether it is of a memory file.
    """

    hit: Hit
    key: Key
    rank: int
    words: float
    is_file: bool


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown of a shortlist.

    Attributes:
        limit: Hits at most.
        min_score: Threshold in [0, 1].
        files: Hits kept for memory files.
        relevance: Weight of the score against being different; None orders by score.
    """

    limit: int
    min_score: float = 0.0
    files: int = 0
    relevance: float | None = None


class Shortlist:
    """What is read of a ranking.

    Args:
        ranked: The ranking.
        read: Returns the hit at a place, unless its chunk is gone or its key is among those given.
    """

    def __init__(self, ranked: Ranked, read: Callable[[int, set[Key]], Found | None]) -> None:
        self._ranked = ranked
        self._read = read
        self._found: list[Found] = []
        self._keys: set[Key] = set()
        self._next = 0

    def __len__(self) -> int:
        return len(self._found)

    def grow(self, most: int) -> None:
        """Read until there are ``most`` hits, or no more chunks."""
        while len(self._found) < most and self._next < len(self._ranked.numbers):
            self._take(self._next)
            self._next += 1

    def chosen(self, wanted: Wanted) -> list[Hit]:
        """Return the hits to show, in the order to show them."""
        plain = (found.hit.score for found in self._found if not found.rank)
        least = max(wanted.min_score, ANSWERS_AS_WELL * max(plain, default=0.0))
        self._grow_files(wanted.files, least)
        found = self._ordered(wanted.relevance)
        standings = [_standing(each) for each in found]
        shown = above_threshold(standings, wanted.min_score, wanted.limit)
        shown = with_files(standings, shown, wanted.files, least)
        return [found[place].hit for place in shown]

    def _grow_files(self, most: int, least: float) -> None:
        """Read further memory files until there are ``most``, or none with the score ``least``."""
        files = sum(found.is_file for found in self._found)
        for place in range(self._next, len(self._ranked.numbers)):
            if files >= most or self._ranked.scores[place] < least:
                return
            if self._ranked.are_files[place]:
                files += self._take(place)

    def _take(self, place: int) -> bool:
        found = self._read(place, self._keys)
        if found is None:
            return False
        self._found.append(found)
        self._keys.add(found.key)
        return True

    def _ordered(self, relevance: float | None) -> list[Found]:
        found = sorted(self._found, key=_order)
        if relevance is None:
            return found
        named = [each for each in found if each.rank]
        rest = found[len(named) :]
        scores = [each.hit.score for each in rest]
        order = diverse_order(scores, [each.hit.snippet for each in rest], relevance)
        return [*named, *(rest[place] for place in order)]


def _order(found: Found) -> tuple[int, float, int, str, str, int]:
    """Files that were named, then the best; ties by time, then by name and place."""
    hit = found.hit
    return -found.rank, -hit.score, hit.at, hit.source, hit.ref, hit.start_line or 0


def _standing(found: Found) -> Standing:
    return Standing(score=found.hit.score, words=found.words, is_file=found.is_file)
