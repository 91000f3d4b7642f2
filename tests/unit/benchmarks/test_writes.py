"""Single writes beside an index that is busy."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.datasets.synthetic import SyntheticCorpus
from benchmarks.load.writes import measure_writes
from benchmarks.quality.homes import Progress

if TYPE_CHECKING:
    from tests.unit.benchmarks.conftest import ScriptedOpener


def test_every_write_is_measured_while_the_backlog_is_indexed(
    tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> None:
    """A quarter alone, then all of them beside the indexing thread."""
    corpus = SyntheticCorpus(1, vocabulary=1_000)
    with opener(tmp_path) as memory:
        cost = measure_writes(
            memory,
            sessions=map(corpus.session, count()),
            writes=40,
            backlog=60,
            progress=progress,
        )
        stored = len(memory.search("the", limit=1_000).hits)

    assert (cost.alone.n, cost.merging.n, cost.backlog) == (10, 40, 60)
    assert 0 <= cost.slow <= 40
    assert stored > 90


def test_an_error_of_the_index_is_not_lost(
    tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> None:
    """It happened in another thread, and is raised here."""
    corpus = SyntheticCorpus(1, vocabulary=1_000)
    opener.fail_on_sync = True
    with opener(tmp_path) as memory, pytest.raises(KeyboardInterrupt):
        measure_writes(
            memory,
            sessions=map(corpus.session, count()),
            writes=4,
            backlog=1,
            progress=progress,
        )
