"""Which of the ranked hits are shown: by threshold, and with a share kept for memory files.

Pure rules over hits in their order, best first; what they are made of is not known here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

LEAST_LIMIT = 3
"""Who asks for fewer hits wants the best ones, whatever they are of."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules know of a hit.

    Attributes:
        score: In [0, 1].
        words: Share of the question's words that stand in the text itself, in [0, 1].
        is_file: Whether it is of a memory file.
    """

    score: float
    words: float = 0.0
    is_file: bool = False


def above_threshold(hits: Sequence[Standing], min_score: float, limit: int) -> list[int]:
    """Return the places of at most ``limit`` hits to show, in their order.

    All that reach ``min_score``; then, in places that are left, hits with all the question's words,
    which no threshold for meaning may cut. If nothing reaches it, hits with any of the words stay:
    a mode in which no score can be that high still answers. What is near in meaning only and below
    it goes.
    """
    reaching = [place for place, hit in enumerate(hits) if hit.score >= min_score]
    least = 1.0 if reaching else 0.0
    backed = [
        place
        for place, hit in enumerate(hits)
        if hit.score < min_score and hit.words > 0 and hit.words >= least
    ]
    return sorted([*reaching[:limit], *backed[: max(0, limit - len(reaching))]])


def quota(limit: int, share: float) -> int:
    """Return how many of ``limit`` hits are kept for memory files: rounded down, at least 1.

    None of fewer than three hits, and none for a share of 0.

    >>> quota(6, 0.34), quota(3, 0.1), quota(2, 0.9)
    (2, 1, 0)
    """
    if share <= 0 or limit < LEAST_LIMIT:
        return 0
    return max(1, math.floor(limit * share))


def with_files(
    hits: Sequence[Standing], shown: Sequence[int], kept: int, least: float
) -> list[int]:
    """Return ``shown`` with so many memory files that ``kept`` of them are there, if they qualify.

    Args:
        hits: All, in their order.
        shown: Places of those to show, ascending.
        kept: How many memory files there should be.
        least: The score from which a memory file answers as well as the others.

    The worst of the other hits make room. The order stays.
    """
    files = [place for place in shown if hits[place].is_file]
    taken = set(shown)
    spare = [
        place
        for place, hit in enumerate(hits)
        if place not in taken and hit.is_file and hit.score >= least
    ]
    others = [place for place in shown if not hits[place].is_file]
    moved = min(max(0, kept - len(files)), len(spare), len(others))
    return sorted([*files, *others[: len(others) - moved], *spare[:moved]])
