"""The candidates of a large scope, as proposed by words, sessions, codes, the speaker and names.

All of them are scored exactly afterwards; chunks that none of these proposes are never read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.settings import SearchSettings
from recollect.index.lexical.port import Scores
from recollect.index.model.chunk_arrays import ChunkArrays
from recollect.index.model.chunk_record import Ints, Mask
from recollect.index.model.document import FILES, SOURCES
from recollect.index.query.question import RankingRequest
from recollect.index.query.ranking import priors
from recollect.index.vectors.port import NearScan
from recollect.index.vectors.vector_rows import distinct

BEST_GROUPS = 5
"""Sessions whose every message is a candidate; recovers answers that a cut of messages without any
query word loses (docs/experiments.md, candidates)."""
GROUP_READ = 400
"""Messages of such a session that are read at most, the newest ones."""
PRESELECTED = 8
"""Candidates get their priors in this multiple, from the best by words alone."""
SPEAKER_ARM = 200
"""Nearest codes among the messages of the speaker that the question names."""
TIME_ARM = 200
"""Chunks of a relative time (last week): the best by words, then the newest."""
FILE_ARM = 50
"""The best chunks of memory files by words and by codes that are candidates beside the best of all,
and the number of them that get exact vectors: the pool for the share of memory files."""
FILE = SOURCES.index(FILES)


class Candidates(msgspec.Struct, frozen=True, kw_only=True):
    """Chooses candidates for one question.

    Attributes:
        arrays: The chunks that the caller hears.
        mask: Which of them are searched.
        request: The request.
        settings: The section ``search``.
        lexical: The scores of the words; None where they have no part.
        scan: The scan of the codes; None likewise.
        weights: Of the parts of a score.
    """

    arrays: ChunkArrays
    mask: Mask
    request: RankingRequest
    settings: SearchSettings
    lexical: Scores | None
    scan: NearScan | None
    weights: Mapping[str, float]

    def numbers(self) -> Ints:
        """Return the candidates, ascending."""
        arms: list[Callable[[], Ints]] = [self._by_words, self._by_codes, self._by_demand]
        if not self.settings.hybrid.enabled:
            arms += [self._by_groups, self._by_speaker, self._by_time]
        if self.request.with_files:
            arms.append(self._by_files)
        numbers = distinct(np.concatenate([arm() for arm in arms]))
        return numbers[self.mask.take(numbers)]

    def _by_demand(self) -> Ints:
        file_chunks = [file.chunks for file in self.request.named]
        return np.concatenate([np.array(sorted(self.request.triggered), np.int64), *file_chunks])

    def _by_files(self) -> Ints:
        arrays = self.arrays
        if not arrays.totals.chunks[FILE]:
            return np.zeros(0, np.int64)
        files = (arrays.columns["source"][: arrays.count] == FILE) & self.mask
        arms = [np.zeros(0, np.int64)]
        if self.lexical is not None:
            worded = np.flatnonzero(files & (self.lexical.chunks > 0))
            arms.append(worded[_highest(self.lexical.chunks[worded], FILE_ARM)])
        if self.scan is not None:
            arms.append(self.scan.nearest(FILE_ARM, files))
        return np.concatenate(arms)

    def _by_words(self) -> Ints:
        if self.lexical is None:
            return np.zeros(0, np.int64)
        lexical, weights, most = self.lexical, self.weights, self.settings.candidates
        numbers = np.flatnonzero((lexical.chunks > 0) & self.mask)
        group_of = self.arrays.columns["group"].take(numbers)
        rough = weights["context"] * lexical.chunks.take(numbers)
        rough += weights.get("group", 0.0) * lexical.groups.take(group_of)
        best = _highest(rough, PRESELECTED * most)
        numbers, rough = numbers.take(best), rough.take(best)
        for name, value in priors(self.arrays, numbers, self.request.question, weights).items():
            rough += weights[name] * value
        return numbers[_highest(rough, most)]

    def _by_groups(self) -> Ints:
        if self.lexical is None:
            return np.zeros(0, np.int64)
        groups, arrays = self.lexical.groups, self.arrays
        scored = np.flatnonzero(groups > 0)
        best = scored[_highest(groups[scored], BEST_GROUPS)]
        newest: NDArray[np.integer[Any]] = arrays.groups.last[best]
        members: list[NDArray[np.integer[Any]]] = [np.zeros(0, np.int64)]
        for _ in range(GROUP_READ):
            newest = newest[newest >= 0]
            if not len(newest):
                break
            members.append(newest)
            newest = arrays.before[newest]
        return np.concatenate(members)

    def _by_codes(self) -> Ints:
        if self.scan is None:
            return np.zeros(0, np.int64)
        near = self.scan.nearest(self.settings.candidates, self.request.visible)
        around = self.arrays.around(near)[:3].ravel()
        return around[around >= 0]

    def _by_time(self) -> Ints:
        """Return the chunks of the relative times named, the best by words first."""
        times = [each for each in self.request.question.times if each.is_relative]
        if not times:
            return np.zeros(0, np.int64)
        at = self.arrays.columns["at"][: self.arrays.count]
        within = [(at >= each.since) & (at < each.until) for each in times]
        numbers = np.flatnonzero(np.logical_or.reduce(within) & self.mask)
        if self.lexical is None:
            return numbers[_highest(at[numbers], TIME_ARM)]
        order = np.lexsort((-at[numbers], -self.lexical.chunks[numbers]))
        return numbers[order[:TIME_ARM]]

    def _by_speaker(self) -> Ints:
        speakers = self.request.question.speakers
        if self.scan is None or not speakers:
            return np.zeros(0, np.int64)
        count = self.arrays.count
        by_speaker = np.isin(
            self.arrays.columns["speaker"][:count], np.fromiter(speakers, np.int64)
        )
        return self.scan.nearest(SPEAKER_ARM, by_speaker & self.mask)


def _highest(values: NDArray[Any], most: int) -> Ints:
    """Return the positions of the ``most`` highest values, in no order."""
    if len(values) <= most:
        return np.arange(len(values))
    return np.argpartition(-values, most)[:most]
