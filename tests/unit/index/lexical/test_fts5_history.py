"""FTS5 obeys the law of the index too: any history leaves what a fresh index holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from recollect.core.settings import ChunkingSettings, SearchSettings, Settings
from recollect.core.settings.search import LexicalSettings
from tests.unit.index.corpus import OpenIndex, ScriptedFeed
from tests.unit.index.test_equal_to_fresh import AnyHistory

FTS5 = Settings(
    chunking=ChunkingSettings(tokens=8, overlap=2),
    search=SearchSettings(lexical=LexicalSettings(backend="fts5")),
)


class AnyHistoryOfFts5(AnyHistory):
    """The same changes, kills and rebuilds."""

    def opened(self, folder: Path, feed: ScriptedFeed) -> OpenIndex:
        """Return an index on FTS5."""
        return OpenIndex(folder, feed, self.embedder, FTS5)


@pytest.mark.slow
def test_any_history_leaves_what_a_fresh_index_holds() -> None:
    """Ranks come from counts of all chunks, so one that is left behind would show."""
    run_state_machine_as_test(
        AnyHistoryOfFts5,
        settings=settings(
            max_examples=15,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
