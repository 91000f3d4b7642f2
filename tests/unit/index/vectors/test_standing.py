"""When a back end is opened, and when it is left alone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.backends.sqlite_vec import SqliteVec
from recollect.core.settings import StoreSettings
from recollect.index.vectors.maintenance import RETRY_MS, BackendHealth
from recollect.store.sqlite.database import SqliteDatabase, open_index
from recollect.testing.vector_suite import SteppedClock
from tests.unit.index.vectors.test_unavailable import library


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """An empty index."""
    opened = open_index(tmp_path / "home", StoreSettings(), SteppedClock())
    yield opened
    opened.close()


def test_a_back_end_is_opened_once_when_it_is_first_needed(database: SqliteDatabase) -> None:
    """A memory that never searches by vectors loads no extension."""
    pytest.importorskip("sqlite_vec", reason="the package sqlite-vec is not installed")
    standing = BackendHealth(SqliteVec(database, None), SteppedClock())
    assert (standing.is_open, standing.openings) == (False, 0)
    assert standing.prepare()
    assert standing.prepare()
    assert (standing.openings, standing.error) == (1, None)
    standing.close()
    assert not standing.is_open


def test_one_that_failed_is_left_alone_for_a_while(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    """No search waits for it twice; then it is tried again."""
    pytest.importorskip("sqlite_vec", reason="the package sqlite-vec is not installed")
    path, clock = tmp_path / f"vec0{library().suffix}", SteppedClock()
    standing = BackendHealth(SqliteVec(database, str(path)), clock)
    assert not standing.prepare()
    assert "cannot be loaded" in (standing.error or "")
    shutil.copy(library(), path)
    clock.at += RETRY_MS - 1
    assert not standing.prepare()
    clock.at += 1
    assert standing.prepare()
    assert standing.error is None
    standing.close()
