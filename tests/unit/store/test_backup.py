"""Copies of a live database."""

from __future__ import annotations

import threading
from pathlib import Path

import apsw
import pytest

from recollect.core.errors import StoreError
from recollect.store.engine import Transaction
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import SqliteDatabase
from recollect.testing.vfs_fault import FOREVER, Fault, FaultVfs
from tests.unit.store.conftest import Open
from tests.unit.store.notes import add, words

VFS = "faulty-backup"


def _rows(path: Path) -> list[str]:
    connection = apsw.Connection(str(path))
    assert connection.pragma("integrity_check") == "ok"
    words = [row[0] for row in connection.execute("SELECT words FROM notes ORDER BY id")]
    connection.close()
    return words


def test_a_copy_holds_one_moment(open_notes: Open, tmp_path: Path) -> None:
    """While others write two notes at a time: never one of a pair."""
    database = open_notes(Tuning())
    stop = threading.Event()

    def pair(tx: Transaction) -> None:
        add("x" * 2_000)(tx)
        add("x" * 2_000)(tx)

    def write() -> None:
        while not stop.is_set():
            database.write(pair)

    writer = threading.Thread(target=write)
    writer.start()
    counts = []
    for number in range(10):
        target = tmp_path / f"{number}.db"
        database.back_up(target)
        counts.append(len(_rows(target)))
    stop.set()
    writer.join()
    assert [count % 2 for count in counts] == [0] * 10
    assert counts == sorted(counts)


def test_a_copy_is_private_and_replaces_an_older_one(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    """In one step; nothing else is left in the folder."""
    target = tmp_path / "copies" / "notes.db"
    target.parent.mkdir()
    database.write(add("a"))
    database.back_up(target)
    database.write(add("b"))
    steps: list[tuple[int, int]] = []
    database.back_up(target, lambda done, total: steps.append((done, total)))
    assert _rows(target) == ["a", "b"]
    assert target.stat().st_mode & 0o777 == 0o600
    assert [item.name for item in target.parent.iterdir()] == ["notes.db"]
    assert steps[-1][0] == steps[-1][1] > 0


def test_a_copy_that_fails_leaves_the_older_one(database: SqliteDatabase, tmp_path: Path) -> None:
    """Whatever stands in the way."""
    with pytest.raises(StoreError):
        database.back_up(tmp_path / "missing" / "notes.db")
    target = tmp_path / "notes.db"
    target.write_text("older", "utf-8")

    def stop(_done: int, _total: int) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError):
        database.back_up(target, stop)
    assert target.read_text("utf-8") == "older"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["home", "notes.db"]


def test_a_source_that_cannot_be_read_is_told(open_notes: Open, tmp_path: Path) -> None:
    """And no half copy is left."""
    first = open_notes()
    first.write(lambda tx: [add("x" * 4_000)(tx) for _ in range(100)])
    first.close()
    vfs = FaultVfs(VFS, Fault(operation="read", nth=20, times=FOREVER), is_armed=False)
    database = open_notes(vfs=VFS)
    vfs.arm()
    with pytest.raises(StoreError):
        database.back_up(tmp_path / "copy.db")
    vfs.repair()
    assert not (tmp_path / "copy.db").exists()
    assert len(database.read(words)) == 100
    database.close()
    vfs.unregister()
