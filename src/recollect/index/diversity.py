"""Maximal marginal relevance: an order in which repetitions of a better hit come later.

Scores stay as they are. Source: Carbonell and Goldstein, "The Use of MMR" (1998), in the form that
OpenClaw 2026.9 gives it: Jaccard over tokens, relevance scaled to the best and the worst score.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_WORDS = re.compile(r"[a-z0-9_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")


def diverse_order(scores: Sequence[float], texts: Sequence[str], relevance: float) -> list[int]:
    """Return the places of the hits, the next one always the best by MMR.

    Args:
        scores: Of the hits; any scale.
        texts: What they show.
        relevance: Weight of the score against being different, 0 to 1; 1 orders by score alone.

    Equal ones are ordered by score, then as they came.
    """
    tokens = [_tokens(text) for text in texts]
    gains = _scaled(scores)
    likeness = [0.0] * len(scores)
    left = list(range(len(scores)))
    order: list[int] = []
    while left:
        best = max(
            left,
            key=lambda n: (
                relevance * gains[n] - (1.0 - relevance) * likeness[n],
                scores[n],
                -n,
            ),
        )
        order.append(best)
        left.remove(best)
        for place in left:
            shared = jaccard(tokens[place], tokens[best])
            likeness[place] = max(likeness[place], shared)
    return order


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of tokens that two sets have in common, in [0, 1]."""
    if not (one and other):
        return 0.0
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def _tokens(text: str) -> frozenset[str]:
    """Return words of Latin letters and digits, and characters and pairs of unspaced scripts.

    A text without any is its own only token, so that two equal ones are alike.
    """
    lowered = text.lower()
    tokens = set(_WORDS.findall(lowered))
    for run in _UNSPACED.findall(lowered):
        tokens.update(run)
        tokens.update(first + second for first, second in pairwise(run))
    return frozenset(tokens or {lowered})


def _scaled(scores: Sequence[float]) -> list[float]:
    """Return scores scaled to [0, 1] between the worst and the best; 1 for all when all equal."""
    least, most = min(scores, default=0.0), max(scores, default=0.0)
    if most == least:
        return [1.0] * len(scores)
    return [(score - least) / (most - least) for score in scores]
