"""A small database for the tests of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.core.clock import SystemClock
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import SqliteDatabase, open_database
from recollect.store.sqlite.schema import Migration, Schema

CLOCK = SystemClock()
SCHEMA = Schema(
    name="notes",
    application_id=77,
    steps=(
        Migration(
            version=1,
            name="0001_notes",
            sql="CREATE TABLE notes (id INTEGER PRIMARY KEY, words TEXT NOT NULL) STRICT;",
        ),
    ),
    golden="",
    keep_backup=True,
)
CALM = Tuning(checkpoint_pages=1_000_000, idle_s=3_600, busy_timeout_ms=5_000)

Open = Callable[..., SqliteDatabase]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the database is."""
    return tmp_path / "home" / "notes.db"


@pytest.fixture
def open_notes(path: Path) -> Iterator[Open]:
    """Open databases that are closed at the end."""
    opened: list[SqliteDatabase] = []

    def open_it(tuning: Tuning = CALM, schema: Schema = SCHEMA, **more: Any) -> SqliteDatabase:
        opened.append(open_database(path, schema, tuning, CLOCK, **more))
        return opened[-1]

    yield open_it
    for database in opened:
        database.close()


@pytest.fixture
def database(open_notes: Open) -> SqliteDatabase:
    """An open database with an empty table ``notes``."""
    return open_notes()
