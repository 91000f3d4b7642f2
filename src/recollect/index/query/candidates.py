"""The candidates of a large scope: what words, sessions, codes, the speaker and names propose.

All of them are scored exactly afterwards; what no way of finding proposes is never looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

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

BEST_GROUPS = 5
"""Sessions whose every message is a candidate; wins back what a cut of messages without any query
word loses (docs/experiments.md, candidates)."""
GROUP_READ = 400
"""Messages of such a session that are read at most, the newest ones."""
PRESELECTED = 8
"""So many times the candidates get their priors, from the best by words alone."""
SPEAKER_ARM = 200
"""Nearest codes among the messages of the speaker that the question names."""
FILE_ARM = 50
"""The best chunks of memory files by words and by codes that are candidates beside the best of all,
and of them so many get exact vectors: what the share of memory files is filled from."""
FILE = SOURCES.index(FILES)


class Candidates:
    """Chooses candidates for one question.

    Args:
        arrays: The chunks of the partition.
        request: What is asked for.
        settings: The section ``search``.
        found: The scores of the words and the scan of the codes, each None where it has no part.
        weights: Of the parts of a score.
    """

    def __init__(
        self,
        arrays: ChunkArrays,
        request: RankingRequest,
        settings: SearchSettings,
        found: tuple[Scores | None, NearScan | None],
        weights: Mapping[str, float],
    ) -> None:
        self._arrays = arrays
        self._request = request
        self._settings = settings
        self._lexical, self._scan = found
        self._weights = weights
        self._mask: Mask = (
            arrays.alive[: arrays.count] if request.visible is None else request.visible
        )

    def chosen(self) -> Ints:
        """Return the candidates, ascending."""
        arms: list[Callable[[], Ints]] = [self._by_words, self._by_codes, self._by_demand]
        if not self._settings.hybrid.enabled:
            arms += [self._by_groups, self._by_speaker]
        if self._request.with_files:
            arms.append(self._by_files)
        found: Ints = np.unique(np.concatenate([arm() for arm in arms]))
        return found[self._mask[found]]

    def _by_demand(self) -> Ints:
        named = [file.chunks for file in self._request.named]
        return np.concatenate([np.array(sorted(self._request.triggered), np.int64), *named])

    def _by_files(self) -> Ints:
        arrays = self._arrays
        if not arrays.totals.chunks[FILE]:
            return np.zeros(0, np.int64)
        files = (arrays.columns["source"][: arrays.count] == FILE) & self._mask
        found = [np.zeros(0, np.int64)]
        if self._lexical is not None:
            worded = np.flatnonzero(files & (self._lexical.chunks > 0))
            found.append(worded[_highest(self._lexical.chunks[worded], FILE_ARM)])
        if self._scan is not None:
            found.append(self._scan.nearest(FILE_ARM, files))
        return np.concatenate(found)

    def _by_words(self) -> Ints:
        if self._lexical is None:
            return np.zeros(0, np.int64)
        lexical, weights, most = self._lexical, self._weights, self._settings.candidates
        found = np.flatnonzero((lexical.chunks > 0) & self._mask)
        rough = weights["context"] * lexical.chunks[found]
        rough += weights.get("group", 0.0) * lexical.groups[self._arrays.columns["group"][found]]
        best = _highest(rough, PRESELECTED * most)
        found, rough = found[best], rough[best]
        for name, value in priors(self._arrays, found, self._request.question).items():
            rough += weights.get(name, 0.0) * value
        return found[_highest(rough, most)]

    def _by_groups(self) -> Ints:
        if self._lexical is None:
            return np.zeros(0, np.int64)
        groups, arrays = self._lexical.groups, self._arrays
        best = _highest(groups, BEST_GROUPS)
        newest = [int(arrays.groups.last[g]) for g in best.tolist() if groups[g] > 0]
        return np.array([n for last in newest for n in self._back_from(last)], np.int64)

    def _back_from(self, number: int) -> Iterator[int]:
        """Yield a chunk and those before it in its group, up to `GROUP_READ`."""
        for _ in range(GROUP_READ):
            if number < 0:
                return
            yield number
            number = int(self._arrays.before[number])

    def _by_codes(self) -> Ints:
        if self._scan is None:
            return np.zeros(0, np.int64)
        near = self._scan.nearest(self._settings.candidates, self._request.visible)
        return np.unique(self._arrays.around(near)[:3].clip(0))

    def _by_speaker(self) -> Ints:
        speakers = self._request.question.speakers
        if self._scan is None or not speakers:
            return np.zeros(0, np.int64)
        count = self._arrays.count
        said = np.isin(self._arrays.columns["speaker"][:count], np.fromiter(speakers, np.int64))
        return self._scan.nearest(SPEAKER_ARM, said & self._mask)


def _highest(values: NDArray[np.float32], most: int) -> Ints:
    """Return the places of the ``most`` highest values, in no order."""
    if len(values) <= most:
        return np.arange(len(values))
    return np.argpartition(-values, most)[:most]
