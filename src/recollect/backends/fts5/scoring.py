"""Scores the terms of a question: all of them first, then any, rarest first.

A chunk with every word has the same rank under AND as under OR, so the first query only saves the
second one. A group is as good as its best chunk: FTS5 knows nothing of sessions and neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from recollect.backends.fts5.matches import NONE, Matches, Tables, build_query
from recollect.index.lexical.port import Asked, ChunkArrays, Floats, Ints
from recollect.text.keywords import telling

ENOUGH = 200
"""With this many visible chunks that have every word, those with only some are not searched; the
most that OpenClaw takes from its keyword search."""
MOST_TERMS = 64
"""The rarest terms of a question that are searched; more of them come from pasted text."""
NARROW = 10_000
"""Up to this many visible chunks, the query itself is limited to them."""


class Fts5Scores(msgspec.Struct, frozen=True):
    """Implements `recollect.index.lexical.port.Scores`.

    ``query`` finds what the scores left out; None when they are complete.
    """

    tables: Tables
    chunks: Floats
    groups: Floats
    query: str | None

    @property
    def respelled(self) -> Mapping[str, str]:
        """Return no replacements: FTS5 searches for the words as they are typed."""
        return {}

    def complete(self, numbers: Ints) -> Floats:
        """Return the scores of a few chunks by all terms."""
        if self.query is None:
            return self.chunks[numbers]
        matches = self.tables.find(self.query, among=np.unique(numbers))
        whole = np.zeros(len(self.chunks), np.float32)
        whole[matches.numbers] = matches.scores
        return whole[numbers]


def score(tables: Tables, arrays: ChunkArrays, query: Asked) -> Fts5Scores:
    """Score every chunk and group."""
    search = _Search(tables, query)
    matches = search.find_matches()
    chunks = np.zeros(arrays.count, np.float32)
    chunks[matches.numbers] = matches.scores
    groups = np.zeros(len(arrays.groups.last), np.float32)
    np.maximum.at(groups, arrays.columns["group"][matches.numbers], matches.scores)
    return Fts5Scores(tables, chunks, groups, search.left_out)


class _Search:
    """The queries of one question; ``left_out`` is set by `find_matches`."""

    def __init__(self, tables: Tables, query: Asked) -> None:
        self._tables = tables
        self._query = query
        self._among = _narrow(query)
        self._enough = max(ENOUGH, query.most)
        self.left_out: str | None = None

    def find_matches(self) -> Matches:
        """Return the matches of the question."""
        terms = self._terms_by_rarity()
        every = build_query(terms, "OR")
        if every is None:
            return NONE
        matches = NONE
        if len(terms) == len(self._query.terms) > 1:
            matches = self._find(build_query(terms, "AND"))
        if not self._is_enough(matches):
            within = build_query(self._within_budget(terms), "OR")
            matches = self._find(within)
            if within != every and not self._is_enough(matches):
                within, matches = every, self._find(every)
            self.left_out = None if within == every else every
        else:
            self.left_out = every
        return matches

    def _terms_by_rarity(self) -> list[str]:
        """Return the terms that any chunk holds, the rarest first."""
        most = self._query.budget
        self._frequencies = {t: self._tables.frequency(t, most) for t in self._query.terms}
        terms = [term for term, frequency in self._frequencies.items() if frequency]
        return sorted(terms, key=lambda term: (self._frequencies[term], term))[:MOST_TERMS]

    def _within_budget(self, terms: Sequence[str]) -> list[str]:
        """Return the rarest of ``terms``, at least one, without uninformative ones."""
        rarest = telling(terms)
        spent = np.cumsum([self._frequencies[term] for term in rarest])
        return rarest[: max(1, int(np.searchsorted(spent, self._query.budget, side="right")))]

    def _find(self, query: str | None) -> Matches:
        return self._tables.find(query, self._among) if query else NONE

    def _is_enough(self, matches: Matches) -> bool:
        visible = self._query.visible
        count = (
            len(matches.numbers) if visible is None else np.count_nonzero(visible[matches.numbers])
        )
        return int(count) >= self._enough


def _narrow(query: Asked) -> Ints | None:
    if query.visible is None or np.count_nonzero(query.visible) > NARROW:
        return None
    return np.flatnonzero(query.visible)
