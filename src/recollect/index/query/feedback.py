"""Feedback: a second round with what the best chunks have in common beside the question's words.

The question's vector moves towards theirs, and the terms that weigh most in them are asked for. It
finds texts that speak of the same thing in other words. It is for files, where the best chunks have
a topic in common; messages of one conversation have its small talk in common, and there it costs
more than it finds (docs/experiments.md, feedback).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence

import numpy as np

from recollect.index.lexical.bm25 import K1, B, idf
from recollect.index.lexical.port import FoundTerm
from recollect.index.model.chunk_arrays import ChunkArrays
from recollect.index.model.chunk_record import Floats, Ints

READ = 15
"""Chunks whose terms are read."""
MOVED_BY, MOVE = 5, 0.5
"""Chunks that the question's vector moves towards, and how far."""
LOOKED_UP = 60
"""Terms whose rarity is looked up, the heaviest by their counts alone."""
TERMS = 30
"""Terms that are asked for."""
SHARPNESS = 0.15
"""The scale of scores below which a chunk counts much less than the best one."""


def moved_query(vector: Floats, best: Floats) -> Floats:
    """Return the unit vector of ``vector`` moved towards the first rows of ``best``.

    Source: Rocchio, "Relevance Feedback in Information Retrieval" (1971), positive part.
    """
    moved = vector + MOVE * best[:MOVED_BY].mean(axis=0)
    unit: Floats = moved / max(float(np.linalg.norm(moved)), 1e-9)
    return unit


def feedback_terms(
    arrays: ChunkArrays,
    texts: Sequence[Sequence[str]],
    scores: Floats,
    lookup: Callable[[str], FoundTerm],
    known: Collection[str],
) -> list[FoundTerm]:
    """Return the terms of a second round, the most telling first.

    Args:
        arrays: The chunks of the partition.
        texts: The terms of the best chunks.
        scores: Their unscaled scores, for their weight.
        lookup: Finds a term in the index.
        known: Terms of the question, left out.
    """
    drawn = _drawn(texts, scores, known)
    heaviest = sorted(drawn, key=lambda term: (-drawn[term], term))[:LOOKED_UP]
    living = int(arrays.totals.chunks.sum())
    found = [(lookup(term), drawn[term]) for term in heaviest]
    ranked = sorted(
        found, key=lambda pair: (-pair[1] * idf(living, pair[0].frequency), pair[0].term)
    )
    return [term for term, _ in ranked[:TERMS]]


def _drawn(
    texts: Sequence[Sequence[str]], scores: Floats, known: Collection[str]
) -> dict[str, float]:
    """Return how much of the best chunks each of their terms makes up, the best counting most."""
    weights = np.exp((scores - scores.max()) / SHARPNESS)
    mean = max(1.0, sum(len(terms) for terms in texts) / len(texts))
    drawn: dict[str, float] = {}
    for terms, weight in zip(texts, (weights / weights.sum()).tolist(), strict=True):
        norm = K1 * (1 - B + B * len(terms) / mean)
        for term, count in Counter(terms).items():
            if term not in known:
                drawn[term] = drawn.get(term, 0.0) + weight * count / (count + norm)
    return drawn


def feedback_score(arrays: ChunkArrays, terms: Sequence[FoundTerm], numbers: Ints) -> Floats:
    """Return how much of the feedback's weight each of ``numbers`` holds, in [0, 1]."""
    living = int(arrays.totals.chunks.sum())
    total = np.zeros(len(numbers), np.float32)
    mass = sum(idf(living, term.frequency) for term in terms) * (K1 + 1)
    mean = (arrays.totals.length / np.maximum(arrays.totals.chunks, 1))[
        arrays.columns["source"][numbers]
    ]
    norm = K1 * (1 - B + B * arrays.columns["length"][numbers] / np.maximum(mean, 1.0))
    for term in terms:
        counts = term.counts(numbers)
        total += (idf(living, term.frequency) * (K1 + 1) * counts / (counts + norm)).astype(
            np.float32
        )
    return total / max(mass, 1e-9)
