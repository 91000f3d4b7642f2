"""Questions in FTS5's language and its ranks as scores; pure.

As in OpenClaw, each token is quoted, so no operator of a user reaches the parser. Its first rule
for ranks gave every hit 1.0, because they are negative; this one is that of its later versions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

import numpy as np

from recollect.index.lexical.port import Floats

NO_RANK = 0.001
"""The score of a rank that is no number."""


def build_query(tokens: Iterable[str], operator: Literal["AND", "OR"] = "AND") -> str | None:
    """Return the expression that finds all (AND) or any (OR) of ``tokens``; None without any.

    >>> build_query(["foo", "NEAR"])
    '"foo" AND "NEAR"'
    """
    # SQLite ends a text at a NUL, which would leave a quote open.
    quoted = ['"' + token.replace("\0", "").replace('"', '""') + '"' for token in tokens]
    return f" {operator} ".join(quoted) or None


def score_of_rank(rank: float) -> float:
    """Return the score in [0, 1] of a rank of FTS5, where less is better.

    >>> score_of_rank(-1.0)
    0.5
    """
    if not math.isfinite(rank):
        return NO_RANK
    return -rank / (1 - rank) if rank < 0 else 1 / (1 + rank)


def scores_of_ranks(ranks: Floats) -> Floats:
    """Return the scores of many ranks of matches, all of which are below or equal to 0."""
    strength = np.maximum(-ranks, 0)
    scores: Floats = strength / (1 + strength)
    return scores
