"""The recording disk: every call is passed on and noted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw  # noqa: TID251  # the disk is tried with the driver
import pytest

from recollect.testing.vfs_disk import DiskLog, RecordingVfs
from recollect.testing.vfs_fault import Fault, FaultVfs, Operation
from recollect.testing.vfs_power import Disk

VFS = "recording-unit"


@pytest.fixture
def log() -> Iterator[DiskLog]:
    """The calls of what opens the VFS."""
    calls = DiskLog()
    vfs = RecordingVfs(VFS, calls)
    yield calls
    vfs.unregister()


@pytest.mark.parametrize("journal", ["wal", "delete", "truncate"])
def test_playing_the_log_back_gives_the_file(tmp_path: Path, log: DiskLog, journal: str) -> None:
    """Byte for byte, with the names of journals made and deleted in between."""
    path = tmp_path / "some.db"
    connection = apsw.Connection(str(path), vfs=VFS)
    connection.pragma("journal_mode", journal)
    connection.pragma("synchronous", "extra")
    connection.execute("CREATE TABLE t (x)")
    for number in range(20):
        connection.execute("INSERT INTO t VALUES (?)", ("x" * number * 100,))
    connection.execute("DELETE FROM t; VACUUM").fetchall()
    connection.close()
    disk = Disk()
    for call in log.calls:
        disk.play(call)
    assert disk.now() == {item.name: item.read_bytes() for item in tmp_path.iterdir()}
    kinds = {call.kind for call in log.calls}
    assert {"create", "write", "sync", "sync_folder"} <= kinds


def test_temporary_files_are_not_noted(log: DiskLog) -> None:
    """Nobody needs them after a cut."""
    connection = apsw.Connection("", vfs=VFS)
    connection.pragma("cache_size", 1)
    connection.execute("CREATE TABLE t (x)")
    connection.executemany("INSERT INTO t VALUES (?)", [("x" * 4_000,) for _ in range(50)])
    connection.close()
    assert log.calls == []


@pytest.mark.parametrize(
    ("operation", "nth", "error"),
    [
        ("write", 3, apsw.IOError),
        ("short_write", 3, apsw.IOError),
        ("full", 3, apsw.FullError),
        ("sync", 1, apsw.IOError),
        ("read", 2, apsw.IOError),
        ("truncate", 1, apsw.IOError),
    ],
)
@pytest.mark.parametrize("waits", [True, False])
def test_a_failing_disk_fails_once_and_then_works(
    tmp_path: Path, operation: Operation, nth: int, error: type[apsw.Error], waits: bool
) -> None:
    """With the error of that kind of call."""
    fault = Fault(operation=operation, nth=nth)
    vfs = FaultVfs("faulty-unit", fault, waits_for_disk=waits, is_armed=False)
    connection = apsw.Connection(str(tmp_path / "some.db"), vfs="faulty-unit")
    connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(50000))").fetchall()
    connection.pragma("cache_size", 2)
    vfs.arm()
    with pytest.raises(error):
        connection.execute("UPDATE t SET x = 1; VACUUM").fetchall()
    assert vfs.hits == 1
    connection.execute("UPDATE t SET x = 2; VACUUM").fetchall()
    connection.close()
    vfs.unregister()
