"""Commits that are synced after their turn, and what is known of them across processes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from recollect.core.errors import StoreError
from recollect.store.sqlite.database import SqliteDatabase, open_database, write_queue
from recollect.store.sqlite.durable import CommitMark, LogSync
from recollect.testing.vfs_disk import FileName
from tests.unit.store.conftest import CALM, CLOCK, SCHEMA
from tests.unit.store.notes import add, words

VFS = "slow-sync"


class SlowSync(apsw.VFS):
    """The system's VFS; a sync of the log waits until the test lets it go on, or fails."""

    def __init__(self) -> None:
        super().__init__(VFS, "")
        self.begun = threading.Event()
        self.may_end = threading.Event()
        self.may_end.set()
        self.failures = 0

    def xOpen(self, name: FileName, flags: list[int]) -> apsw.VFSFile:  # noqa: N802  # SQLite's
        """Open a file."""
        return SlowFile(name, flags, self)


class SlowFile(apsw.VFSFile):
    """A file of it."""

    def __init__(self, name: FileName, flags: list[int], vfs: SlowSync) -> None:
        super().__init__("", name, flags)
        self._vfs = vfs
        self._is_log = bool(flags[0] & apsw.SQLITE_OPEN_SUPER_JOURNAL)

    def xSync(self, flags: int) -> None:  # noqa: N802  # SQLite's
        """Sync."""
        if self._is_log:
            self._vfs.begun.set()
            self._vfs.may_end.wait()
            if self._vfs.failures:
                self._vfs.failures -= 1
                raise apsw.exception_for(apsw.SQLITE_IOERR_FSYNC)
        super().xSync(flags)


@pytest.fixture
def disk() -> Iterator[SlowSync]:
    """The VFS."""
    vfs = SlowSync()
    yield vfs
    vfs.may_end.set()
    vfs.unregister()


@pytest.fixture
def opened(path: Path, disk: SlowSync) -> Iterator[list[SqliteDatabase]]:
    """Two databases on one file, as two processes have them; the first waits for the slow disk."""
    both = [open_database(path, SCHEMA, CALM, CLOCK, vfs=vfs) for vfs in (VFS, None)]
    for database in both:
        database.write(add("before"))
    disk.begun.clear()
    yield both
    disk.may_end.set()
    for database in both:
        database.close()


def test_others_commit_while_one_waits_for_the_disk(
    opened: list[SqliteDatabase], disk: SlowSync
) -> None:
    """The turn is over before the sync: one sync after the other would be all there is."""
    waiting, other = opened
    disk.may_end.clear()
    first = waiting.submit(add("slow"))
    disk.begun.wait()
    other.write(add("quick"))
    assert not first.done()
    disk.may_end.set()
    first.result()
    assert other.read(words) == ["before", "before", "slow", "quick"]


def test_a_reader_syncs_what_its_writer_has_not_synced_yet(
    opened: list[SqliteDatabase], disk: SlowSync
) -> None:
    """It can be seen as soon as it is in the log; whoever is told of it can rely on it."""
    waiting, other = opened
    disk.may_end.clear()
    first = waiting.submit(add("slow"))
    disk.begun.wait()
    disk.begun.clear()
    reading = threading.Thread(target=waiting.read, args=(words,))
    reading.start()
    assert disk.begun.wait(30)  # the reader syncs on its own
    disk.may_end.set()
    first.result()
    reading.join()
    assert other.read(words)[-1] == "slow"


def test_after_a_sync_that_failed_the_log_begins_again(
    path: Path, opened: list[SqliteDatabase], disk: SlowSync
) -> None:
    """What follows pages that may never reach the disk would be lost with them."""
    failing, other = opened
    disk.failures = 1
    failing.write(add("saved"))  # the database has it, so it is durable
    size = path.with_name(f"{path.name}-wal").stat().st_size
    other.write(add("after"))
    assert path.with_name(f"{path.name}-wal").stat().st_size == size
    assert other.read(words) == ["before", "before", "saved", "after"]


def test_a_log_in_doubt_is_written_back_before_anything_else(
    path: Path, opened: list[SqliteDatabase]
) -> None:
    """Also where another process has left it so, and a reader of the old pages is in the way."""
    mark = CommitMark(write_queue(path).path)
    _, other = opened
    mark.doubt()
    busy = apsw.Connection(str(path))
    busy.execute("BEGIN")
    busy.execute("SELECT count(*) FROM notes").fetchall()
    with pytest.raises(StoreError):
        other.write(add("refused"))
    busy.close()
    other.write(add("kept"))
    assert not mark.is_doubted
    assert other.read(words) == ["before", "before", "kept"]
    mark.close()


def test_a_lock_file_that_cannot_be_read_costs_syncs_and_no_answer(path: Path) -> None:
    """The numbers in it save work; nothing depends on them."""
    mark = CommitMark(path.with_name("missing") / "lock")
    assert not mark.is_doubted
    mark.reach(1)
    mark.doubt()
    mark.trust()
    mark.close()
    with pytest.raises(StoreError):
        mark.begin()


def test_a_log_that_cannot_be_synced_by_the_system_is_an_error_of_the_driver(
    tmp_path: Path,
) -> None:
    """So that the writer takes it as it takes one of another disk."""
    path = tmp_path / "notes.db"
    with pytest.raises(apsw.CantOpenError, match="cannot be opened"):
        LogSync(path, None)
    Path(f"{path}-wal").touch()
    log = LogSync(path, None)
    log.sync()
    log.close()
    with pytest.raises(apsw.IOError, match="cannot be synced"):
        log.sync()
