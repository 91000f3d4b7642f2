"""Indexes in temporary folders, and sizes so small that a few messages make segments and merges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect.core.settings import Settings
from recollect.index.embedding import queue
from recollect.index.indexing import retired
from recollect.index.lexical import segments
from recollect.index.model import chunk_arrays
from recollect.index.vectors import codes
from recollect.models.embedding.embedder import Embedder
from tests.unit.index.corpus import OpenIndex, ScriptedFeed

Open = Callable[..., OpenIndex]


@pytest.fixture
def open_index(tmp_path: Path) -> Iterator[Open]:
    """Open indexes that are closed at the end."""
    opened: list[OpenIndex] = []

    def open_it(
        feed: ScriptedFeed,
        embedder: Embedder | None = None,
        settings: Settings | None = None,
        folder: str = "home",
    ) -> OpenIndex:
        opened.append(OpenIndex(tmp_path / folder, feed, embedder, settings))
        return opened[-1]

    yield open_it
    for index in opened:
        index.close()


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seal, merge, link, fold and drop after a handful of rows."""
    shrink(monkeypatch)


def shrink(patch: pytest.MonkeyPatch) -> None:
    """Make every size tiny until the patch is undone."""
    patch.setattr(segments, "SEAL_CHUNKS", 4)
    patch.setattr(segments, "SEAL_ENTRIES", 60)
    patch.setattr(segments, "SMALL", 12)
    patch.setattr(segments, "FAN", 3)
    patch.setattr(segments, "FEW", 2)
    patch.setattr(segments, "LARGE", 40)
    patch.setattr(segments, "MERGE_TERMS", 5)
    patch.setattr(chunk_arrays, "BULK_LINKS", 6)
    patch.setattr(queue, "CHUNKS_AT_ONCE", 5)
    patch.setattr(codes, "FOLD_ROWS", 9)
    patch.setattr(retired, "DROP_ROWS", 7)
