"""Several databases at one moment, and one alone."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest

from recollect.core.errors import StoreBusy, StoreCorrupt, StoreError
from recollect.store.sqlite.database import open_database, write_queue
from recollect.store.sqlite.snapshot import Snapshot, alone, snapshots
from tests.unit.store.conftest import CALM, CLOCK, SCHEMA, Open
from tests.unit.store.notes import add, words


def _words(copy: bytes, path: Path) -> list[str]:
    path.write_bytes(copy)
    connection = apsw.Connection(str(path))
    words = [row[0] for row in connection.execute("SELECT words FROM notes ORDER BY id")]
    connection.close()
    return words


def _copied(snapshot: Snapshot, folder: Path) -> bytes:
    with snapshot.copy(folder) as stream:
        return stream.read()


def test_two_databases_are_taken_at_one_moment(open_notes: Open, tmp_path: Path) -> None:
    """While a writer writes the first and then the second: never the second alone."""
    first = open_notes()
    second = open_database(tmp_path / "second" / "notes.db", SCHEMA, CALM, CLOCK)
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            first.write(add("x"))
            second.write(add("x"))

    writer = threading.Thread(target=write)
    writer.start()
    sizes = []
    for number in range(10):
        with snapshots([first.path, second.path]) as frozen:
            copies = [_copied(each, tmp_path) for each in frozen]
            assert [each.check() for each in frozen] == [[], []]
        sizes.append([len(_words(copy, tmp_path / f"{number}.copy")) for copy in copies])
    stop.set()
    writer.join()
    second.close()
    assert all(one - two in {0, 1} for one, two in sizes)
    assert [name for name in os.listdir(tmp_path) if name.endswith(".part")] == []


def test_a_snapshot_does_not_see_what_is_written_later(open_notes: Open, tmp_path: Path) -> None:
    """And writers do not wait for it."""
    database = open_notes()
    database.write(add("before"))
    reports: list[tuple[int, int]] = []
    with snapshots([database.path]) as (snapshot,):
        database.write(add("after"))
        copy = snapshot.copy(tmp_path, lambda done, total: reports.append((done, total)))
    with copy:
        assert _words(copy.read(), tmp_path / "copy") == ["before"]
    assert reports[-1][0] == reports[-1][1] > 0
    assert database.read(words) == ["before", "after"]


def test_a_snapshot_waits_for_a_writer_so_long(open_notes: Open) -> None:
    """A stopped program must not stop a backup for ever."""
    database = open_notes()
    with (
        write_queue(database.path).turn(1),
        pytest.raises(StoreBusy),
        snapshots([database.path], wait_s=0.01),
    ):
        pass


def test_what_cannot_be_read_is_told(open_notes: Open, tmp_path: Path) -> None:
    """No file, no database, no room; and no half copy is left."""
    with pytest.raises(StoreError), snapshots([tmp_path / "missing.db"]):
        pass
    junk = tmp_path / "junk.db"
    junk.write_bytes(b"no database " * 1_000)
    with pytest.raises(StoreCorrupt), snapshots([junk]):
        pass
    database = open_notes()
    database.write(add("x"))

    def stop(_done: int, _total: int) -> None:
        raise LookupError("mine")

    with snapshots([database.path]) as (snapshot,):
        with pytest.raises(StoreError):
            snapshot.copy(tmp_path / "missing")
        with pytest.raises(LookupError):
            snapshot.copy(tmp_path, stop)
    assert not list(tmp_path.glob(".*"))


def test_a_database_that_got_damaged_is_noticed(open_notes: Open) -> None:
    """Before anything is copied."""
    first = open_notes()
    first.write(lambda tx: [add("x" * 4_000)(tx) for _ in range(100)])
    path = first.path
    first.close()
    sound = path.read_bytes()
    path.write_bytes(sound[:40_960] + bytes(40_960) + sound[81_920:])
    with snapshots([path]) as (snapshot,):
        assert snapshot.check()


def test_nobody_is_in_a_database_that_is_held_alone(open_notes: Open, tmp_path: Path) -> None:
    """Neither this program nor another one; its bytes stay as they are."""
    database = open_notes()
    database.write(add("x"))
    with pytest.raises(StoreBusy) as caught, alone(database.path):
        pass
    assert caught.value.hint
    database.close()
    script = (
        "import apsw, sys; c = apsw.Connection(sys.argv[1]);"
        " c.execute('SELECT * FROM notes').fetchall(); print('open', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, str(database.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(StoreBusy), alone(database.path):
            pass
        other.communicate()
    before = database.path.read_bytes()
    with alone(database.path):
        connection = apsw.Connection(str(database.path))
        with pytest.raises(apsw.BusyError):
            connection.execute("SELECT * FROM notes").fetchall()
        connection.close()
    assert database.path.read_bytes() == before


@pytest.mark.parametrize("content", [None, b"", b"no database " * 500])
def test_what_is_no_database_is_nobodys(tmp_path: Path, content: bytes | None) -> None:
    """A home that lost its records can be restored."""
    path = tmp_path / "records.db"
    if content is not None:
        path.write_bytes(content)
    with alone(path):
        pass
    assert content is None or path.read_bytes() == content
