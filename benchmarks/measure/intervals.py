"""How sure a mean is: bootstrap intervals over questions and over conversations.

Questions of one conversation are not independent, so the interval over conversations is the honest
one; with a handful of conversations it is also a rough one. Everything is seeded.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2_000
"""Resamples of a bootstrap; the ends of the interval move by less than .1 point beyond that."""

SEED = 20_261_120

_ENDS = (2.5, 97.5)


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A mean over ``n`` questions with its 95 % intervals ``(low, high)``.

    ``over_clusters`` is None where every question is a cluster of its own.
    """

    mean: float
    n: int
    over_questions: tuple[float, float]
    over_clusters: tuple[float, float] | None = None


def estimate(
    values: Sequence[float], clusters: Sequence[str], *, resamples: int = RESAMPLES
) -> Estimate:
    """Return the mean of ``values`` and its percentile bootstrap intervals.

    Args:
        values: One number per question, at least one.
        clusters: The conversation of each; resampled whole for ``over_clusters``.
        resamples: How many resamples.
    """
    numbers = np.asarray(values, dtype=np.float64)
    random = np.random.default_rng(SEED)
    names, members = np.unique(np.asarray(clusters), return_inverse=True)
    return Estimate(
        mean=float(numbers.mean()),
        n=len(numbers),
        over_questions=_over_questions(numbers, random, resamples),
        over_clusters=(
            _over_clusters(numbers, members, random, resamples)
            if 1 < len(names) < len(numbers)
            else None
        ),
    )


def paired_difference(
    new: Sequence[float], old: Sequence[float], clusters: Sequence[str]
) -> Estimate:
    """Return the mean of ``new - old``, question by question, with its intervals.

    An interval that leaves zero out is a difference that this many questions can show.
    """
    return estimate([a - b for a, b in zip(new, old, strict=True)], clusters)


def _over_questions(
    numbers: NDArray[np.float64], random: np.random.Generator, resamples: int
) -> tuple[float, float]:
    picks = random.integers(0, len(numbers), size=(resamples, len(numbers)))
    return _ends(numbers[picks].mean(axis=1))


def _over_clusters(
    numbers: NDArray[np.float64],
    members: NDArray[np.intp],
    random: np.random.Generator,
    resamples: int,
) -> tuple[float, float]:
    sums = np.bincount(members, weights=numbers)
    counts = np.bincount(members)
    picks = random.integers(0, len(sums), size=(resamples, len(sums)))
    return _ends(sums[picks].sum(axis=1) / counts[picks].sum(axis=1))


def _ends(means: NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.percentile(means, _ENDS)
    return float(low), float(high)
