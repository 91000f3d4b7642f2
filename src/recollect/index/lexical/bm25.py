"""BM25 with neighbours: how well the words of a question fit each chunk and each group.

Both scores are shares of the best possible one, so they can be added to cosines and priors without
looking at the other candidates: with k1 = 1.2, ``M = 2.2 x sum of idf`` bounds every score.
Source: docs/experiments.md; formula of Robertson and Zaragoza, "BM25 and Beyond" (2009), with the
non-negative idf of Lucene.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from recollect.index.lexical.postings import MAX_COUNT, Bytes, Postings, join
from recollect.index.model.chunk_arrays import ChunkArrays
from recollect.index.model.chunk_record import Floats, Ints

K1, B = 1.2, 0.75
BEFORE, AFTER, FAR = 0.75, 0.25, 0.25
"""Share that a chunk takes over of the counts of the one before it, of the one after it, and of
those behind them: an answer follows its question (docs/experiments.md, neighbours)."""


class QueryTerm(msgspec.Struct, frozen=True):
    """A distinct term of the question with its postings, one value per segment."""

    term: str
    rows: list[Postings]

    @property
    def frequency(self) -> int:
        """How many chunks hold it."""
        return sum(len(row) for row in self.rows)

    def counts(self, numbers: Ints) -> Floats:
        """Return how often it stands in each of ``numbers`` itself, at most 15."""
        wanted, where = np.unique(numbers, return_inverse=True)
        return (_looked_up(self.rows, wanted)[where] & MAX_COUNT).astype(np.float32)


class LexicalScores(msgspec.Struct, frozen=True):
    """Shares of the best possible score, per chunk and per group; in [0, 1] but for heavy repeats.

    ``deferred`` are the terms that were too common to be scored for every chunk, with their shares
    of the best score; `complete` adds them for a few. They add nothing to groups, which nearly all
    hold them.
    """

    arrays: ChunkArrays
    chunks: Floats
    groups: Floats
    deferred: list[tuple[QueryTerm, float]]

    def complete(self, numbers: Ints) -> Floats:
        """Return the chunk scores of ``numbers`` with the deferred terms added."""
        total = self.chunks[numbers].copy()
        for term, share in self.deferred:
            counts = _counts(self.arrays, term.rows, numbers)
            total += share * _saturated(self.arrays, numbers, counts)
        return total


def score(arrays: ChunkArrays, terms: Sequence[QueryTerm], budget: int) -> LexicalScores:
    """Score every chunk and group.

    Args:
        arrays: The chunks of the partition.
        terms: Distinct terms; one without postings still counts for the best possible score.
        budget: Postings to read for chunk scores, rarest terms first; at least one term is read.
    """
    chunks = np.zeros(len(arrays.alive), np.float32)
    groups = np.zeros(len(arrays.groups.last), np.float32)
    counts = np.zeros(len(arrays.alive), np.float32)
    deferred: list[tuple[QueryTerm, float]] = []
    spent = 0
    for term, share, whole in _shares(arrays, terms):
        spent += term.frequency
        if spent > budget and term.frequency < spent:
            deferred.append((term, share))
            continue
        found = join(term.rows)
        _add_groups(arrays, groups, found, whole)
        _add_chunks(arrays, chunks, counts, (found, share))
    return LexicalScores(arrays, chunks[: arrays.count], groups, deferred)


def _shares(
    arrays: ChunkArrays, terms: Sequence[QueryTerm]
) -> Iterator[tuple[QueryTerm, float, float]]:
    """Yield known terms, the rarest first, with their share of the best score, and that of 1."""
    living = int(arrays.totals.chunks.sum())
    ranked = sorted(terms, key=lambda term: (term.frequency, term.term))
    best = sum(idf(living, term.frequency) for term in ranked)
    for term in ranked:
        if term.rows:
            yield term, idf(living, term.frequency) / best, 1 / best


def idf(living: int, frequency: int) -> float:
    """Return how telling a term is that ``frequency`` of ``living`` chunks hold; never negative."""
    return math.log(1 + (max(living - frequency, 0) + 0.5) / (frequency + 0.5))


def _add_chunks(
    arrays: ChunkArrays, total: Floats, counts: Floats, term: tuple[Postings, float]
) -> None:
    found, share = term
    own, heads = found.chunks, found.heads()
    before, after = arrays.before[own], arrays.after[own]
    neighbours = [before, after, arrays.before[before], arrays.after[after]]
    counts[own] += found.totals()
    # What stands after a chunk is, seen from there, the one before.
    for target, weight in zip(neighbours, (AFTER, BEFORE, FAR, FAR), strict=True):
        counts[target] += weight * heads
    touched: Ints = np.concatenate([own, *neighbours])
    touched = touched[touched >= 0]
    total[touched] += share * _saturated(arrays, touched, counts[touched])
    counts[touched] = 0.0
    counts[-1] = 0.0


def _saturated(arrays: ChunkArrays, numbers: Ints, counts: Floats) -> Floats:
    mean = arrays.totals.mean_context()[arrays["source"][numbers]]
    length = arrays.context[numbers] / 4
    saturated: Floats = counts / (counts + K1 * (1 - B + B * length / mean))
    return saturated.astype(np.float32)


def _add_groups(arrays: ChunkArrays, total: Floats, found: Postings, share: float) -> None:
    counts = np.bincount(
        arrays["group"][found.chunks], weights=found.totals(), minlength=len(total)
    )
    touched = np.flatnonzero(counts > 0)
    share *= idf(int(arrays.totals.groups.sum()), len(touched))
    mean = arrays.totals.mean_group()[arrays.groups.source[touched]]
    length = arrays.groups.length[touched] / mean
    held = counts[touched]
    total[touched] += (share * held / (held + K1 * (1 - B + B * length))).astype(np.float32)


def _counts(arrays: ChunkArrays, rows: Sequence[Postings], numbers: Ints) -> Floats:
    """Return the counts of a term for a few chunks, with those of their neighbours."""
    before, after = arrays.before[numbers], arrays.after[numbers]
    around = np.stack([numbers, before, after, arrays.before[before], arrays.after[after]])
    wanted, where = np.unique(around, return_inverse=True)
    packed = _looked_up(rows, wanted)[where.reshape(around.shape)]
    heads = (packed >> 4).astype(np.float32)
    own = (packed[0] & MAX_COUNT).astype(np.float32)
    counts: Floats = own + BEFORE * heads[1] + AFTER * heads[2] + FAR * (heads[3] + heads[4])
    return counts


def _looked_up(rows: Sequence[Postings], wanted: Ints) -> Bytes:
    """Return the packed counts of a term in the chunks ``wanted``, which ascend; 0 for none."""
    packed = np.zeros(len(wanted), np.uint8)
    for row in rows:
        start, end = np.searchsorted(wanted, (row.chunks[0], row.chunks[-1] + 1))
        part = wanted[start:end]
        places = np.searchsorted(row.chunks, part)
        hit = row.chunks[np.minimum(places, len(row) - 1)] == part
        packed[start:end][hit] = row.packed[places[hit]]
    return packed
