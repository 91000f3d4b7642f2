"""What changes a score after its parts: age, annotations, a trigger, the name of a file.

Each is bounded and keeps the score in [0, 1]; what it added or took is a part of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.settings import RecencySettings
from recollect.index.model.annotations import Annotations
from recollect.index.model.chunk_arrays import ChunkArrays
from recollect.index.model.chunk_record import EVERGREEN, Floats, Ints
from recollect.index.query.question import RankingRequest

IMPORTANCE_AT_0, IMPORTANCE_STEP = 0.75, 0.05
"""Importance 1 multiplies by .8, 5 by 1, 10 by 1.25. Source: OpenClaw 2026.9."""
ACTIVE, INACTIVE = 1.15, 0.9
"""An entry for the projects at hand, and one for other projects. Source: OpenClaw 2026.9."""
TRIGGER_LIFT = 0.5
"""So much of what is missing to 1 a trigger adds: an entry without a word in common comes to .5,
where the first hits of a good answer are."""


class Adjusted(msgspec.Struct, frozen=True):
    """Scores, and what was added to them or taken off, by reason."""

    total: Floats
    reasons: Mapping[str, Floats]


class Adjustments(msgspec.Struct, frozen=True):
    """What is known for one question.

    Attributes:
        recency: The settings; not enabled, age does not count.
        request: When it is asked, for which projects, and the chunks with a trigger in it.
        pinned: Chunks that the question calls by the name of their file.
    """

    recency: RecencySettings
    request: RankingRequest
    pinned: Collection[int]

    def apply(
        self, arrays: ChunkArrays, annotations: Annotations, numbers: Ints, total: Floats
    ) -> Adjusted:
        """Return the scores ``total`` of the chunks ``numbers`` adjusted."""
        reasons: dict[str, Floats] = {}
        for name, factor in self._factors(arrays, annotations, numbers):
            changed = np.clip(total * factor, 0.0, 1.0).astype(np.float32)
            reasons[name] = changed - total
            total = changed
        for name, share in self._lifts(numbers):
            reasons[name] = (share * (1.0 - total)).astype(np.float32)
            total = total + reasons[name]
        return Adjusted(total, reasons)

    def _factors(
        self, arrays: ChunkArrays, annotations: Annotations, numbers: Ints
    ) -> Iterator[tuple[str, NDArray[np.floating]]]:
        if self.recency.enabled:
            ages = ages_in_days(arrays.columns["at"][numbers], self.request.now_ms)
            ages[(arrays.columns["flags"][numbers] & EVERGREEN) > 0] = 0.0
            yield "recency", recency_factors(ages, self.recency)
        annotated = list(annotations.among(numbers))
        if annotated:
            importance, project = np.ones((2, len(numbers)), np.float32)
            for place, annotation in annotated:
                importance[place] = importance_factor(annotation.importance)
                project[place] = project_factor(annotation.projects, self.request.projects)
            yield "importance", importance
            yield "project", project

    def _lifts(self, numbers: Ints) -> Iterator[tuple[str, Floats]]:
        lifts = (("trigger", self.request.triggered, TRIGGER_LIFT), ("path", self.pinned, 1.0))
        for name, lifted, share in lifts:
            if lifted:
                found = np.isin(numbers, np.fromiter(lifted, np.int64))
                yield name, share * found.astype(np.float32)


def importance_factor(importance: int | None) -> float:
    """Return what an importance of 1 to 10 multiplies a score by; 1 for none.

    >>> importance_factor(10)
    1.25
    """
    return 1.0 if importance is None else IMPORTANCE_AT_0 + IMPORTANCE_STEP * importance


def project_factor(projects: Collection[str], active: Collection[str]) -> float:
    """Return what the projects of an entry multiply its score by.

    Args:
        projects: Keys as they are written; none changes nothing.
        active: Keys of the projects at hand, folded; when none is known nothing changes.
    """
    if not (projects and active):
        return 1.0
    return ACTIVE if all(project_key(key) in active for key in projects) else INACTIVE


def project_key(name: str) -> str:
    """Return the key of a project as keys are compared: without case and outer blanks."""
    return name.strip().casefold()


Doubles = NDArray[np.float64]

DAY_MS = 86_400_000


def recency_factors(ages_days: Doubles, settings: RecencySettings) -> Doubles:
    """Return the factor for each age, in [floor, 1]: 1 for what is from today or from the future.

    ``floor + (1 - floor) * 2 ** (-age / half_life_days)``
    """
    ages = np.maximum(ages_days, 0.0)
    left = np.exp2(-ages / settings.half_life_days)
    factors: Doubles = settings.floor + (1.0 - settings.floor) * left
    return factors


def ages_in_days(at: Ints, now_ms: int) -> Doubles:
    """Return how many days before ``now_ms`` each time (ms UTC) was; negative in the future."""
    ages: Doubles = (now_ms - at) / DAY_MS
    return ages
