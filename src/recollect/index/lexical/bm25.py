"""BM25 with neighbours: how well the words of a question fit each chunk and each group.

Both scores are shares of the best possible one, so they can be added to cosines and priors without
looking at the other candidates: with k1 = 1.2, ``M = 2.2 x sum of idf`` bounds every score.
Source: docs/experiments.md; formula of Robertson and Zaragoza, "BM25 and Beyond" (2009), with the
non-negative idf of Lucene.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.lexical.postings import MAX_COUNT, Bytes, Postings
from recollect.index.model.chunk_arrays import NOBODY, ChunkArrays
from recollect.index.model.chunk_record import Floats, Ints
from recollect.index.model.document import DERIVED, OBSERVATIONS, SOURCES

K1, B = 1.2, 0.75
BEFORE, AFTER, FAR = 0.75, 0.25, 0.25
"""Share of the counts that a chunk takes over from the one before it, the one after it, and those
further away: an answer follows its question (docs/experiments.md, neighbours)."""
_WORK = SOURCES.index(OBSERVATIONS)
"""The actions of agents use other words than people do, and there is much more of them."""
_DERIVED = [SOURCES.index(source) for source in DERIVED]
"""They repeat messages: counted beside them for themselves, and not for messages."""
_WORK_KIND, _DERIVED_KIND = 1, 2
_KINDS = np.zeros(len(SOURCES), np.uint8)
"""By source: which frequencies of words rate it; 0 is what people say and write."""
_KINDS[_WORK], _KINDS[_DERIVED] = _WORK_KIND, _DERIVED_KIND
HELD_NUMBERS = 4_000_000
"""The most values of four bytes in `Impacts`: 16 MB, the size of 400 words in 1,000 chunks each, or
40 that are in more than one of `DENSE` of 100,000 (docs/experiments.md, search). The least recently
used goes."""
DENSE = 20
"""For a term in more than one of this many chunks, all chunks are scored: one pass over a column
costs less than looking up the chunks around each posting."""


_HELD_RARITIES = 4_096
"""Terms whose idf is kept for a state: a few numbers each."""


class QueryTerm(msgspec.Struct, frozen=True):
    """A distinct term of the question, and the chunks that hold it."""

    term: str
    postings: Postings

    @property
    def frequency(self) -> int:
        """How many chunks hold it."""
        return len(self.postings.chunks)

    def counts(self, numbers: Ints) -> Floats:
        """Return the occurrences of the term in each of ``numbers`` itself, at most 15."""
        return (_looked_up(self.postings, numbers) & MAX_COUNT).astype(np.float32)


class LengthNorms(msgspec.Struct, frozen=True):
    """The lengths that normalise counts: of each chunk with its neighbours, and of groups."""

    chunks: Floats
    groups: NDArray[np.float64]

    @classmethod
    def of(cls, arrays: ChunkArrays) -> LengthNorms:
        """Return the norms of the chunks as they are now."""
        totals, groups, count = arrays.totals, arrays.groups, arrays.count
        context = arrays.context[:count] / 4
        mean = totals.mean_context()[arrays.columns["source"][:count]]
        return cls(
            (K1 * (1 - B + B * context / mean)).astype(np.float32),
            K1 * (1 - B + B * (groups.length / totals.mean_group()[groups.source])),
        )


class Impact(msgspec.Struct, frozen=True):
    """The contribution of a term, before it is weighed against the other terms of a question.

    Attributes:
        touched: The chunks that hold it and their neighbours, some twice; a slice for all.
        saturated: In [0, 1] for each of them: how much of its weight it adds.
        groups: The groups that hold it.
        in_groups: For each of them its rarity among groups times its saturated count.
        others: The positions in ``saturated`` of chunks whose source is not of the main kind.
        other_sources: Their sources.
    """

    touched: NDArray[np.int32] | slice
    saturated: Floats
    groups: Ints
    in_groups: NDArray[np.float64]
    others: Ints
    other_sources: NDArray[np.uint8]

    @property
    def size(self) -> int:
        """Number of values that it holds."""
        touched = 0 if isinstance(self.touched, slice) else len(self.touched)
        return touched + len(self.saturated) + 4 * len(self.groups) + 3 * len(self.others)


class Impacts:
    """The contributions of terms to the chunks of one state of a partition; common ones are cached.

    Args:
        arrays: The chunks; when they change, this must be discarded.
        most: Numbers held, about.
    """

    def __init__(self, arrays: ChunkArrays, most: int = HELD_NUMBERS) -> None:
        self._most = most
        self.arrays = arrays
        self.norms = LengthNorms.of(arrays)
        self._counts = np.zeros(len(arrays.alive), np.float32)
        self._impacts: dict[str, Impact] = {}
        self._rarities: dict[str, NDArray[np.float64]] = {}
        self.main = int(np.bincount(_KINDS, weights=arrays.totals.chunks).argmax())
        """The kind of most chunks: with one share for all of them no source is looked up."""
        self._looked_up: set[str] = set()
        self._size = 0

    def of(self, term: QueryTerm) -> Impact:
        """Return the contribution of a term that some chunk holds."""
        impact = self._impacts.pop(term.term, None)
        if impact is None:
            impact = self._worked_out(term)
            self._size += impact.size
        self._impacts[term.term] = impact
        while self._size > self._most and len(self._impacts) > 1:
            oldest = next(iter(self._impacts))
            self._size -= self._impacts.pop(oldest).size
        return impact

    def rarity(self, term: QueryTerm) -> NDArray[np.float64]:
        """Return the idf of a term in each source, see `_rarity`."""
        rarity = self._rarities.get(term.term)
        if rarity is None:
            if len(self._rarities) >= _HELD_RARITIES:
                self._rarities.clear()
            arrays = self.arrays
            sources = arrays.columns["source"]
            rarity = _rarity(arrays.totals.chunks, sources, term.postings.chunks)
            self._rarities[term.term] = rarity
        return rarity

    def among(self, term: QueryTerm, numbers: Ints) -> Floats:
        """Return the saturated counts of a term for a few chunks only.

        A frequent term that is requested again is computed for all chunks.
        """
        if self._is_dense(term.frequency) and term.term in self._looked_up:
            return self.of(term).saturated[numbers]
        self._looked_up.add(term.term)
        counts = _counts(self.arrays, term.postings, numbers)
        return _saturated(counts, self.norms.chunks[numbers])

    def _worked_out(self, term: QueryTerm) -> Impact:
        totals = (term.postings.packed & MAX_COUNT).astype(np.float32)
        around = self._spread(term.postings, totals)
        if self._is_dense(term.frequency):
            every = slice(self.arrays.count)
            saturated = _saturated(self._counts[every], self.norms.chunks)
            self._counts.fill(0.0)
            return Impact(every, saturated, *self._in_groups(term.postings, totals), *self._every)
        touched = around[around >= 0]
        saturated = _saturated(self._counts.take(touched), self.norms.chunks.take(touched))
        self._counts[touched] = 0.0
        self._counts[NOBODY] = 0.0
        groups, numbers = self._in_groups(term.postings, totals), touched.astype(np.int32)
        return Impact(numbers, saturated, *groups, *self._others(numbers))

    @cached_property
    def _every(self) -> tuple[Ints, NDArray[np.uint8]]:
        return self._others(slice(self.arrays.count))

    def _others(self, touched: NDArray[np.int32] | slice) -> tuple[Ints, NDArray[np.uint8]]:
        """Return the positions, and the sources, of what is not of the main kind."""
        sources = self.arrays.columns["source"][touched]
        positions = np.flatnonzero(_KINDS.take(sources) != self.main)
        return positions, sources[positions]

    def _is_dense(self, frequency: int) -> bool:
        return DENSE * frequency > self.arrays.count

    def _spread(self, postings: Postings, totals: Floats) -> Ints:
        """Add the counts of each chunk to it and its neighbours; return all of these, (5, n)."""
        counts, heads = self._counts, (postings.packed >> 4).astype(np.float32)
        around = self.arrays.around(postings.chunks)
        counts[around[0]] = totals
        # Seen from the chunk after, this one is the one before.
        for target, weight in zip(around[1:], (AFTER, BEFORE, FAR, FAR), strict=True):
            counts[target] = counts.take(target) + weight * heads
        return around

    def _in_groups(self, postings: Postings, totals: Floats) -> tuple[Ints, NDArray[np.float64]]:
        """Return the groups that hold it, and its contribution to each."""
        arrays = self.arrays
        counts = np.bincount(arrays.columns["group"].take(postings.chunks), weights=totals)
        touched = np.flatnonzero(counts > 0)
        sources, group_counts = arrays.groups.source[touched], counts[touched]
        rarity = _rarity(arrays.totals.groups, arrays.groups.source, touched)
        return touched, rarity[sources] * (
            group_counts / (group_counts + self.norms.groups[touched])
        )


class LexicalScores(msgspec.Struct, frozen=True):
    """Shares of the best possible score, per chunk and per group; in [0, 1] but for heavy repeats.

    ``deferred`` are the terms that were too common to be scored for every chunk, with their shares
    of the best score; `complete` adds them for a few. They add nothing to groups, which nearly all
    hold them. ``respelled`` maps each term that no chunk holds to the one taken instead.
    """

    impacts: Impacts
    chunks: Floats
    groups: Floats
    deferred: list[tuple[QueryTerm, Floats]]
    respelled: Mapping[str, str]

    def complete(self, numbers: Ints) -> Floats:
        """Return the chunk scores of ``numbers`` with the deferred terms added."""
        total = self.chunks[numbers]
        sources = self.impacts.arrays.columns["source"]
        for term, share in self.deferred:
            total += share[sources[numbers]] * self.impacts.among(term, numbers)
        return total


def score(
    impacts: Impacts, terms: Sequence[QueryTerm], budget: int, respelled: Mapping[str, str]
) -> LexicalScores:
    """Score every chunk and group.

    Args:
        impacts: Of the partition as it is now.
        terms: Distinct terms; one without postings still counts for the best possible score.
        budget: Postings to read for chunk scores, rarest terms first; at least one term is read.
        respelled: The term taken instead of one that no chunk holds.
    """
    arrays = impacts.arrays
    ranked = sorted(terms, key=lambda term: (term.frequency, term.term))
    rarities = [impacts.rarity(term) for term in ranked]
    best = sum(rarities, np.full(len(SOURCES), 1e-9))
    chunks = np.zeros(arrays.count, np.float32)
    groups = np.zeros(len(arrays.groups.last), np.float32)
    deferred: list[tuple[QueryTerm, Floats]] = []
    spent = 0
    for term, rarity in zip(ranked, rarities, strict=True):
        spent += term.frequency
        if not term.frequency:
            continue
        share = (rarity / best).astype(np.float32)
        if spent > budget and term.frequency < spent:
            deferred.append((term, share))
            continue
        impact = impacts.of(term)
        added = _weighed(impact, share, impacts.main)
        if isinstance(impact.touched, slice):
            chunks += added
        else:  # an index that occurs twice in ``touched`` gets the same sum, once
            chunks[impact.touched] = chunks.take(impact.touched) + added
        in_groups = impact.in_groups / best[arrays.groups.source[impact.groups]]
        groups[impact.groups] += in_groups.astype(np.float32)
    return LexicalScores(impacts, chunks, groups, deferred, respelled)


def _weighed(impact: Impact, share: Floats, main: int) -> Floats:
    """Return what a term adds to its chunks, where ``share`` is the most it adds, by source."""
    added: Floats = share[int(np.argmax(main == _KINDS))] * impact.saturated
    if len(impact.others):
        added[impact.others] = share[impact.other_sources] * impact.saturated[impact.others]
    return added


def _rarity(
    living: NDArray[np.int64], sources: NDArray[np.integer[Any]], holding: NDArray[np.integer[Any]]
) -> NDArray[np.float64]:
    """Return the idf of a term in each source; the actions of agents are counted separately.

    A word that is frequent in the work of agents may be rare in what people say and write, and the
    other way round (docs/experiments.md, sources). What is derived from messages is rated by the
    messages and itself, so that it can be told apart where no message is left.

    Args:
        living: How many chunks, or groups, of each source.
        sources: The source of each chunk, or group.
        holding: Which of them hold the term.
    """
    all_work, all_derived = int(living[_WORK]), int(living[_DERIVED].sum())
    kinds = _KINDS[sources[holding]] if all_work or all_derived else _KINDS[:0]
    work, derived = (int(np.count_nonzero(kinds == kind)) for kind in (_WORK_KIND, _DERIVED_KIND))
    common, frequency = int(living.sum()) - all_work - all_derived, len(holding) - work - derived
    rarity = np.full(len(living), idf(common, frequency))
    rarity[_WORK] = idf(all_work, work)
    if all_derived:
        rarity[_DERIVED] = idf(common + all_derived, frequency + derived)
    return rarity


def idf(living: int, frequency: int) -> float:
    """Return the idf of a term in ``frequency`` of ``living`` chunks; never negative."""
    return math.log(1 + (max(living - frequency, 0) + 0.5) / (frequency + 0.5))


def _saturated(counts: Floats, norms: Floats) -> Floats:
    saturated: Floats = counts / (counts + norms)
    return saturated


def _counts(arrays: ChunkArrays, postings: Postings, numbers: Ints) -> Floats:
    """Return the counts of a term for a few chunks, with those of their neighbours."""
    packed = _looked_up(postings, arrays.around(numbers))
    heads = (packed >> 4).astype(np.float32)
    own = (packed[0] & MAX_COUNT).astype(np.float32)
    counts: Floats = own + BEFORE * heads[1] + AFTER * heads[2] + FAR * (heads[3] + heads[4])
    return counts


def _looked_up(postings: Postings, numbers: Ints) -> Bytes:
    """Return the packed counts of a term in the chunks ``numbers``; 0 for none."""
    if not len(postings.chunks):
        return np.zeros(numbers.shape, np.uint8)
    numbers = numbers.astype(postings.chunks.dtype)  # otherwise the whole array would be cast
    positions = np.searchsorted(postings.chunks, numbers).clip(max=len(postings.chunks) - 1)
    return np.where(postings.chunks[positions] == numbers, postings.packed[positions], 0).astype(
        np.uint8
    )
