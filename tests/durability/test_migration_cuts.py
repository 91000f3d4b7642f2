"""Power cuts while a database gets its next schema."""

from __future__ import annotations

from pathlib import Path

import msgspec

from recollect.store.engine import Row
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import open_database
from recollect.store.sqlite.schema import Migration, Schema
from recollect.testing.vfs_disk import DiskLog, RecordingVfs
from recollect.testing.vfs_power import cut_power
from tests.durability.ledger import CALM, CLOCK
from tests.durability.scale import SCALE, chance, report

VFS = "recording-migration"
NAME = "some.db"
OLD = Schema(
    name="some",
    application_id=77,
    steps=(
        Migration(
            version=1, name="0001_notes", sql="CREATE TABLE notes (id INTEGER PRIMARY KEY) STRICT;"
        ),
    ),
    golden="",
    keep_backup=False,
)
STEP = Migration(
    version=2,
    name="0002_words",
    sql="ALTER TABLE notes ADD COLUMN words TEXT; UPDATE notes SET words = 'w' || id;"
    " CREATE INDEX notes_by_words ON notes (words);",
)
NEW = msgspec.structs.replace(OLD, steps=(*OLD.steps, STEP))


def _rows(path: Path, schema: Schema, tuning: Tuning = CALM) -> list[Row]:
    database = open_database(path, schema, tuning, CLOCK)
    try:
        return database.read(lambda tx: list(tx.rows("SELECT id, words FROM notes ORDER BY id")))
    finally:
        database.close()


def test_a_power_cut_leaves_the_old_schema_or_the_new_one(scratch: Path) -> None:
    """Promise D14: the next opening finishes the step, and every row is there."""
    log = DiskLog()
    vfs = RecordingVfs(VFS, log)
    path = scratch / "home" / NAME
    database = open_database(path, OLD, CALM, CLOCK, vfs=VFS)
    database.write(lambda tx: tx.executemany("INSERT INTO notes VALUES (?)", zip(range(900))))
    database.close()
    began = len(log.calls)
    open_database(path, NEW, CALM, CLOCK, vfs=VFS).close()
    vfs.unregister()
    expected = [(number, f"w{number}") for number in range(900)]
    cuts = SCALE.cuts // 10
    for number, cut in enumerate(cut_power(log.calls, cuts, chance("migration"))):
        folder = scratch / str(number)
        folder.mkdir()
        cut.write_to(folder)
        there = _rows(folder / NAME, NEW)
        assert there == expected or (cut.at < began and there == [])
    report("power cuts in a migration", cuts=cuts, disk_calls=len(log.calls), mixed=0)
