"""BM25 with neighbours: how well the words of a question fit each chunk and each group.

Both scores are shares of the best possible one, so they can be added to cosines and priors without
looking at the other candidates: with k1 = 1.2, ``M = 2.2 x sum of idf`` bounds every score.
Source: docs/experiments.md; formula of Robertson and Zaragoza, "BM25 and Beyond" (2009), with the
non-negative idf of Lucene.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.lexical.postings import MAX_COUNT, Bytes, Postings
from recollect.index.model.chunk_arrays import ChunkArrays
from recollect.index.model.chunk_record import Floats, Ints
from recollect.index.model.document import OBSERVATIONS, SOURCES

K1, B = 1.2, 0.75
BEFORE, AFTER, FAR = 0.75, 0.25, 0.25
"""Share that a chunk takes over of the counts of the one before it, of the one after it, and of
those further away: an answer follows its question (docs/experiments.md, neighbours)."""
_WORK = SOURCES.index(OBSERVATIONS)
"""What agents did has other words than what people say, and much more of it."""
DENSE = 20
"""Of a term in more than one of so many chunks, all chunks are scored: one pass over a column costs
less than looking up the chunks around each posting."""


class QueryTerm(msgspec.Struct, frozen=True):
    """A distinct term of the question, and the chunks that hold it."""

    term: str
    postings: Postings

    @property
    def frequency(self) -> int:
        """How many chunks hold it."""
        return len(self.postings.chunks)

    def counts(self, numbers: Ints) -> Floats:
        """Return how often it occurs in each of ``numbers`` itself, at most 15."""
        return (_looked_up(self.postings, numbers) & MAX_COUNT).astype(np.float32)


class LengthNorms(msgspec.Struct, frozen=True):
    """What a count is weighed against: the length of each chunk with its neighbours, and group."""

    chunks: NDArray[np.float64]
    groups: NDArray[np.float64]

    @classmethod
    def of(cls, arrays: ChunkArrays) -> LengthNorms:
        """Return those of the chunks as they are now."""
        totals, groups, count = arrays.totals, arrays.groups, arrays.count
        context = arrays.context[:count] / 4
        mean = totals.mean_context()[arrays.columns["source"][:count]]
        return cls(
            K1 * (1 - B + B * context / mean),
            K1 * (1 - B + B * (groups.length / totals.mean_group()[groups.source])),
        )


class LexicalScores(msgspec.Struct, frozen=True):
    """Shares of the best possible score, per chunk and per group; in [0, 1] but for heavy repeats.

    ``deferred`` are the terms that were too common to be scored for every chunk, with their shares
    of the best score; `complete` adds them for a few. They add nothing to groups, which nearly all
    hold them. ``respelled`` says which term that no chunk holds was taken for which.
    """

    arrays: ChunkArrays
    norms: LengthNorms
    chunks: Floats
    groups: Floats
    deferred: list[tuple[QueryTerm, Shares]]
    respelled: Mapping[str, str]

    def complete(self, numbers: Ints) -> Floats:
        """Return the chunk scores of ``numbers`` with the deferred terms added."""
        total = self.chunks[numbers]
        for term, share in self.deferred:
            counts = _counts(self.arrays, term.postings, numbers)
            shares = share.among(self.arrays.columns["source"][numbers])
            total += shares * _saturated(counts, self.norms.chunks[numbers])
        return total


def score(
    arrays: ChunkArrays,
    norms: LengthNorms,
    terms: Sequence[QueryTerm],
    budget: int,
    respelled: Mapping[str, str],
) -> LexicalScores:
    """Score every chunk and group.

    Args:
        arrays: The chunks of the partition.
        norms: Theirs.
        terms: Distinct terms; one without postings still counts for the best possible score.
        budget: Postings to read for chunk scores, rarest terms first; at least one term is read.
        respelled: What stands for a term that no chunk holds.
    """
    ranked = sorted(terms, key=lambda term: (term.frequency, term.term))
    sources, living = arrays.columns["source"], arrays.totals.chunks
    rarities = [_rarity(living, sources, term.postings.chunks) for term in ranked]
    best = sum(rarities, np.full(len(living), 1e-9))
    chunks = np.zeros(arrays.count, np.float32)
    groups = np.zeros(len(arrays.groups.last), np.float32)
    counts = np.zeros(len(arrays.alive), np.float32)
    deferred: list[tuple[QueryTerm, Shares]] = []
    spent = 0
    for term, rarity in zip(ranked, rarities, strict=True):
        spent += term.frequency
        if not term.frequency:
            continue
        share = Shares.of(rarity / best, living)
        if spent > budget and term.frequency < spent:
            deferred.append((term, share))
            continue
        totals = (term.postings.packed & MAX_COUNT).astype(np.float32)
        _add_groups(arrays, groups, (term.postings.chunks, totals), (norms, best))
        touched = _spread(arrays, counts, term.postings, totals)
        saturated = _saturated(counts[touched], norms.chunks[touched])
        chunks[touched] += share.among(sources[: arrays.count][touched]) * saturated
        counts[touched] = 0.0
        counts[-1] = 0.0
    return LexicalScores(arrays, norms, chunks, groups, deferred, respelled)


class Shares(msgspec.Struct, frozen=True):
    """What a term adds to the score of a chunk at most, by the source of the chunk.

    Attributes:
        by_source: One share for each source.
        alone: The one share, where no chunks or all of them are what agents did.
    """

    by_source: Floats
    alone: float | None

    @classmethod
    def of(cls, by_source: NDArray[np.float64], living: NDArray[np.int64]) -> Shares:
        """Return the shares, where so many chunks of each source are living."""
        is_mixed = 0 < living[_WORK] < living.sum()
        alone = None if is_mixed else float(by_source[_WORK if living[_WORK] else 0])
        return cls(by_source.astype(np.float32), alone)

    def among(self, sources: Ints) -> Floats | float:
        """Return the shares of chunks of these sources."""
        return self.by_source[sources] if self.alone is None else self.alone


def _rarity(
    living: NDArray[np.int64], sources: NDArray[np.integer[Any]], holding: NDArray[np.integer[Any]]
) -> NDArray[np.float64]:
    """Return how telling a term is in each source; what agents did is counted apart.

    A word that is everywhere in the work of agents may be rare in what people say and write, and
    the other way round (docs/experiments.md, sources).

    Args:
        living: How many chunks, or groups, of each source.
        sources: The source of each chunk, or group.
        holding: Which of them hold the term.
    """
    all_work = int(living[_WORK])
    work = int(np.count_nonzero(sources[holding] == _WORK)) if all_work else 0
    rarity = np.full(len(living), idf(int(living.sum()) - all_work, len(holding) - work))
    rarity[_WORK] = idf(all_work, work)
    return rarity


def idf(living: int, frequency: int) -> float:
    """Return how telling a term is that ``frequency`` of ``living`` chunks hold; never negative."""
    return math.log(1 + (max(living - frequency, 0) + 0.5) / (frequency + 0.5))


def _spread(arrays: ChunkArrays, counts: Floats, found: Postings, totals: Floats) -> Ints | slice:
    """Add what each chunk holds of a term to it and its neighbours; return which were touched."""
    own, heads = found.chunks, (found.packed >> 4).astype(np.float32)
    before, after = arrays.before[own], arrays.after[own]
    neighbours = [before, after, arrays.before[before], arrays.after[after]]
    counts[own] += totals
    # Seen from the chunk after, this one is the one before.
    for target, weight in zip(neighbours, (AFTER, BEFORE, FAR, FAR), strict=True):
        counts[target] += weight * heads
    if DENSE * len(own) > arrays.count:
        return slice(arrays.count)
    touched: Ints = np.concatenate([own, *neighbours])
    return touched[touched >= 0]


def _saturated(counts: Floats, norms: NDArray[np.float64]) -> Floats:
    return (counts / (counts + norms)).astype(np.float32)


def _add_groups(
    arrays: ChunkArrays,
    total: Floats,
    found: tuple[Ints, Floats],
    scale: tuple[LengthNorms, NDArray[np.float64]],
) -> None:
    (chunks, totals), (norms, best) = found, scale
    counts = np.bincount(arrays.columns["group"][chunks], weights=totals, minlength=len(total))
    touched = np.flatnonzero(counts > 0)
    sources, held = arrays.groups.source[touched], counts[touched]
    share = (_rarity(arrays.totals.groups, arrays.groups.source, touched) / best)[sources]
    total[touched] += (share * held / (held + norms.groups[touched])).astype(np.float32)


def _counts(arrays: ChunkArrays, found: Postings, numbers: Ints) -> Floats:
    """Return the counts of a term for a few chunks, with those of their neighbours."""
    packed = _looked_up(found, arrays.around(numbers))
    heads = (packed >> 4).astype(np.float32)
    own = (packed[0] & MAX_COUNT).astype(np.float32)
    counts: Floats = own + BEFORE * heads[1] + AFTER * heads[2] + FAR * (heads[3] + heads[4])
    return counts


def _looked_up(found: Postings, wanted: Ints) -> Bytes:
    """Return the packed counts of a term in the chunks ``wanted``; 0 for none."""
    if not len(found.chunks):
        return np.zeros(wanted.shape, np.uint8)
    places = np.searchsorted(found.chunks, wanted).clip(max=len(found.chunks) - 1)
    return np.where(found.chunks[places] == wanted, found.packed[places], 0).astype(np.uint8)
