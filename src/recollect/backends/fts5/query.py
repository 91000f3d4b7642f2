"""Questions in FTS5's language and its ranks as scores; pure.

As in OpenClaw, each token is quoted, so no operator of a user reaches the parser. Its first rule
for ranks gave every hit 1.0, because they are negative; this one is that of its later versions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from recollect.index.lexical.port import Floats

NO_RANK = 0.001
"""The score of a rank that is not finite."""


def build_query(tokens: Iterable[str], operator: Literal["AND", "OR"] = "AND") -> str | None:
    """Return the expression that finds all (AND) or any (OR) of ``tokens``; None without any.

    >>> build_query(["foo", "NEAR"])
    '"foo" AND "NEAR"'
    """
    # SQLite ends a text at a NUL, which would leave a quote open.
    quoted = ['"' + token.replace("\0", "").replace('"', '""') + '"' for token in tokens]
    return f" {operator} ".join(quoted) or None


def scores_of_ranks(ranks: Floats) -> Floats:
    """Return the scores in [0, 1] of ranks of FTS5, where less is better.

    >>> scores_of_ranks(np.array([-1.0, 3.0, np.nan]))
    array([0.5  , 0.25 , 0.001])
    """
    size = np.abs(ranks)
    with np.errstate(invalid="ignore"):  # infinity by infinity; its score is not used
        scores = np.where(ranks <= 0, size, 1) / (1 + size)
    found: Floats = np.where(np.isfinite(ranks), scores, NO_RANK).astype(ranks.dtype)
    return found
