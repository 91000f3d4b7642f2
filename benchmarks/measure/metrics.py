"""Measures of one ranked list against its gold keys, and the mapping from turns to sessions.

Pure functions. Recall is the share of the gold found, hit asks for any of it, all for every piece:
three different numbers, named so that nobody can take one for another.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

CUTOFFS = (1, 5, 6, 10, 12, 15, 20, 50)
"""Depths of recall; ``CUTOFFS[-1]`` is how deep a search has to go for them."""


def recall_at(ranked: Sequence[str], gold: Sequence[str], depth: int) -> float:
    """Return the share of ``gold`` among the first ``depth``, in [0, 1].

    >>> recall_at(["b", "x", "a"], ["a", "b"], 2)
    0.5
    """
    return len(set(ranked[:depth]) & set(gold)) / len(set(gold))


def hit_at(ranked: Sequence[str], gold: Sequence[str], depth: int) -> float:
    """Return 1.0 when any of ``gold`` is among the first ``depth``, else 0.0."""
    return float(not set(gold).isdisjoint(ranked[:depth]))


def all_at(ranked: Sequence[str], gold: Sequence[str], depth: int) -> float:
    """Return 1.0 when every one of ``gold`` is among the first ``depth``, else 0.0."""
    return float(set(gold) <= set(ranked[:depth]))


def reciprocal_rank(ranked: Sequence[str], gold: Sequence[str]) -> float:
    """Return 1 / rank of the first of ``gold``; 0.0 when none was returned.

    >>> reciprocal_rank(["x", "a"], ["a"])
    0.5
    """
    wanted = set(gold)
    return next((1 / rank for rank, key in enumerate(ranked, start=1) if key in wanted), 0.0)


def ndcg_at(ranked: Sequence[str], gold: Sequence[str], depth: int) -> float:
    """Return the binary nDCG at ``depth``, in [0, 1]; ideal: all gold first, at most ``depth``."""
    wanted = set(gold)
    gained = sum(
        1 / math.log2(rank + 1) for rank, key in enumerate(ranked[:depth], start=1) if key in wanted
    )
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(wanted), depth) + 1))
    return gained / ideal


def score_ranking(ranked: Sequence[str], gold: Sequence[str]) -> dict[str, float]:
    """Return every measure of ``ranked``, by its name; each in [0, 1], higher is better.

    Args:
        ranked: Keys, best first; a key that comes again counts at its first place only.
        gold: Relevant keys, at least one.
    """
    ranked = first_occurrences(ranked)
    scores = {f"R@{depth}": recall_at(ranked, gold, depth) for depth in CUTOFFS}
    scores["hit@1"] = hit_at(ranked, gold, 1)
    scores["hit@5"] = hit_at(ranked, gold, 5)
    scores["all@10"] = all_at(ranked, gold, 10)
    scores["MRR"] = reciprocal_rank(ranked, gold)
    scores["nDCG@10"] = ndcg_at(ranked, gold, 10)
    return scores


def first_occurrences(keys: Iterable[str]) -> list[str]:
    """Return the keys in order, each once.

    >>> first_occurrences(["b", "a", "b"])
    ['b', 'a']
    """
    return list(dict.fromkeys(keys))


def map_to_sessions(turns: Iterable[str], session_of: Mapping[str, str]) -> list[str]:
    """Return the sessions of ``turns``, each at the place of its best turn."""
    return first_occurrences(session_of[turn] for turn in turns)
