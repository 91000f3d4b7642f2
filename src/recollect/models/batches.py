"""Which texts go to a provider together: within its limits, in order, each once.

Pure functions. How a batch is sent, and what happens when it is refused, is `remote`'s business.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def plan_batches(tokens: Sequence[int], *, max_tokens: int, max_texts: int) -> list[range]:
    """Return consecutive ranges that cover all places once, in order.

    A range has at most ``max_texts`` places and ``max_tokens`` tokens; a text of more tokens than
    that goes alone.

    Args:
        tokens: Estimated tokens of each text.
        max_tokens: At least 1.
        max_texts: At least 1.

    >>> plan_batches([3, 3, 9, 1], max_tokens=6, max_texts=10)
    [range(0, 2), range(2, 3), range(3, 4)]
    """
    batches: list[range] = []
    start = total = 0
    for place, cost in enumerate(tokens):
        if place > start and (total + cost > max_tokens or place - start == max_texts):
            batches.append(range(start, place))
            start, total = place, 0
        total += cost
    if start < len(tokens):
        batches.append(range(start, len(tokens)))
    return batches


def halves(items: Sequence[T]) -> tuple[Sequence[T], Sequence[T]]:
    """Return the two halves of ``items``; the left one is the larger.

    >>> halves([1, 2, 3])
    ([1, 2], [3])
    """
    middle = math.ceil(len(items) / 2)
    return items[:middle], items[middle:]
