"""The engine as its users see it."""

from __future__ import annotations

import errno
import gc
import os
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from recollect.core.errors import (
    Denied,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreReadOnly,
)
from recollect.core.settings import StoreSettings
from recollect.store.engine import SqlValue, Transaction
from recollect.store.sqlite.connection import ConnectionOpener, Tuning, check_version
from recollect.store.sqlite.database import SqliteDatabase, open_database, open_index, open_records
from tests.unit.store.conftest import CALM, CLOCK, SCHEMA, Open
from tests.unit.store.notes import add, one, words

ROOT = Path(__file__).resolve().parents[3]


def test_what_was_written_is_there_after_opening_again(open_notes: Open) -> None:
    """The simplest promise."""
    first = open_notes()
    assert first.write(add("a")) == 1
    first.close()
    second = open_notes()
    assert second.write(add("b")) == 2
    assert second.read(words) == ["a", "b"]


def test_a_read_sees_one_moment(database: SqliteDatabase) -> None:
    """A row that is committed meanwhile does not appear in it, but in the next one."""
    database.write(add("a"))

    def unit(tx: Transaction) -> list[list[SqlValue]]:
        seen = words(tx)
        database.write(add("b"))
        return [seen, words(tx)]

    assert database.read(unit) == [["a"], ["a"]]
    assert database.read(words) == ["a", "b"]


def test_a_read_cannot_write(database: SqliteDatabase) -> None:
    """Its connection refuses; nothing is kept."""
    with pytest.raises(StoreError):
        database.read(add("a"))
    assert database.read(words) == []


def test_submitted_units_are_committed_by_close(open_notes: Open) -> None:
    """Nothing queued is dropped."""
    database = open_notes()
    futures = [database.submit(add(f"w{number}")) for number in range(500)]
    database.close()
    assert [future.result() for future in futures] == list(range(1, 501))
    assert len(open_notes().read(words)) == 500


def test_after_close_everything_says_closed(database: SqliteDatabase) -> None:
    """And a second close does nothing."""
    database.close()
    database.close()
    for use in (database.write, database.submit, database.read):
        with pytest.raises(StoreClosed):
            use(one)


def test_a_database_that_nobody_closed_is_closed_when_it_is_forgotten(path: Path) -> None:
    """Its threads do not keep it alive."""
    database = open_database(path, SCHEMA, CALM, CLOCK)
    queued = database.submit(add("a"))
    del database
    gc.collect()
    assert queued.done()


def test_the_end_of_a_process_commits_what_was_submitted(path: Path, open_notes: Open) -> None:
    """Without close and without waiting."""
    open_notes().close()
    program = (
        "import sys; from pathlib import Path; from tests.unit.store.conftest import *\n"
        "from tests.unit.store.notes import add\n"
        "database = open_database(Path(sys.argv[1]), SCHEMA, CALM, CLOCK)\n"
        "for number in range(50): database.submit(add(f'w{number}'))\n"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, cwd=ROOT)
    assert len(open_notes().read(words)) == 50


def test_files_and_folders_are_private(path: Path, open_notes: Open) -> None:
    """Whatever the umask: 0600 in 0700, the log and the shared memory too."""
    before = os.umask(0)
    try:
        open_notes().write(add("a"))
    finally:
        os.umask(before)
    modes = {item.name: item.stat().st_mode & 0o777 for item in path.parent.iterdir()}
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert set(modes) == {"notes.db", "notes.db-wal", "notes.db-shm", "notes.db.lock"}
    assert set(modes.values()) == {0o600}


def test_every_connection_keeps_the_rules(path: Path, open_notes: Open) -> None:
    """The pragmas of the house, read back from each kind of connection.

    The writer syncs the log by itself: SQLite would do so within its turn, while all others wait.
    """
    open_notes()
    expected = {
        "journal_mode": "wal",
        "synchronous": 1,
        "foreign_keys": 1,
        "trusted_schema": 0,
        "cell_size_check": 1,
        "secure_delete": 1,
        "temp_store": 2,
        "fullfsync": 1,
        "checkpoint_fullfsync": 1,
        "mmap_size": 0,
        "wal_autocheckpoint": 0,
        "busy_timeout": CALM.busy_timeout_ms,
        "cache_size": -CALM.cache_kib,
        "query_only": 0,
    }
    opener = ConnectionOpener(path, CALM)
    for connection, query_only in ((opener.open("writer"), 0), (opener.open("reader"), 1)):
        pragmas = {name: connection.pragma(name) for name in expected}
        assert pragmas == {**expected, "query_only": query_only}
        with pytest.raises(apsw.SQLError):
            connection.execute("ATTACH ':memory:' AS other")
        connection.close()


@pytest.mark.parametrize(("durability", "expected"), [("full", "full"), ("fast", "fast")])
def test_durability_is_a_setting_of_the_records(
    tmp_path: Path, durability: str, expected: str
) -> None:
    """The index can be derived again, so it is always fast."""
    settings = StoreSettings(durability="fast" if durability == "fast" else "full")
    records = open_records(tmp_path / "home", settings, CLOCK)
    index = open_index(tmp_path / "home", settings, CLOCK)
    assert (records.health().durability, index.health().durability) == (expected, "fast")
    records.close()
    index.close()


def test_health_tells_what_happened(database: SqliteDatabase) -> None:
    """The figures of an operator."""
    assert database.health().last_commit_at is None
    database.write(add("a"))
    health = database.health()
    assert (health.commits, health.queued, health.reopened, health.last_error) == (1, 0, 0, None)
    assert health.path == str(database.path)
    assert health.schema_version == 1
    assert health.last_commit_at is not None
    assert health.checkpoint.wal_bytes > 0
    assert health.sqlite_version == apsw.sqlite_lib_version()


def test_an_old_sqlite_is_refused() -> None:
    """Before 3.51.3 a log can corrupt its database."""
    check_version()
    with pytest.raises(StoreError, match="too old"):
        check_version(3_051_002)


def test_a_link_in_place_of_the_file_is_refused(path: Path, open_notes: Open) -> None:
    """SQLite would put its log beside the target."""
    path.parent.mkdir(mode=0o700)
    path.symlink_to(path.parent / "other.db")
    with pytest.raises(Denied):
        open_notes()


def test_a_file_that_is_no_database_is_told_as_damage(path: Path, open_notes: Open) -> None:
    """Never an empty success."""
    path.parent.mkdir(mode=0o700)
    path.write_bytes(b"hello, I am a text file " * 100)
    with pytest.raises(StoreCorrupt) as caught:
        open_notes()
    assert caught.value.hint


def test_a_database_held_by_somebody_else_is_busy(path: Path, open_notes: Open) -> None:
    """After the busy timeout, and it works again when the other lets go."""
    database = open_notes(Tuning(busy_timeout_ms=20))
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy):
        database.write(add("a"))
    other.execute("ROLLBACK")
    other.close()
    assert database.write(add("b")) == 1
    assert database.health().reopened == 0


def test_switching_to_the_log_waits_for_others(path: Path, open_notes: Open) -> None:
    """SQLite does not, so we do, within the busy timeout."""
    path.parent.mkdir(mode=0o700)
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE x (y); BEGIN IMMEDIATE").fetchall()
    with pytest.raises(StoreBusy):
        open_notes(Tuning(busy_timeout_ms=30))
    other.execute("ROLLBACK; DROP TABLE x; VACUUM").fetchall()
    timer = threading.Timer(0.05, other.close)
    other.execute("BEGIN IMMEDIATE")
    timer.start()
    assert open_notes().read(words) == []
    timer.join()


def test_a_file_whose_permissions_cannot_be_set_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as on a file system that has none."""

    def refuse(_path: object, _mode: int) -> None:
        raise PermissionError(errno.EPERM, "no")

    monkeypatch.setattr(os, "chmod", refuse)
    with pytest.raises(StoreReadOnly):
        ConnectionOpener(tmp_path / "x.db", CALM).create()


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="needs /proc/locks")
def test_nothing_we_do_drops_the_locks_of_sqlite(database: SqliteDatabase, tmp_path: Path) -> None:
    """Promise D10: closing a second descriptor would, and other processes would lose rows."""

    def locked() -> list[bool]:
        mine = [line.split() for line in Path("/proc/locks").read_text("utf-8").splitlines()]
        inodes = {line[5].split(":")[2] for line in mine if line[4] == str(os.getpid())}
        files = (database.path, Path(f"{database.path}-shm"))
        return [str(file.stat().st_ino) in inodes for file in files]

    database.write(add("a"))
    assert locked() == [True, True]
    for use in (
        lambda: database.read(words),
        database.health,
        database.cut_log,
        lambda: database.back_up(tmp_path / "copy.db"),
        lambda: database.write(add("b")),
    ):
        use()
        assert locked() == [True, True]


def test_a_database_that_another_connection_keeps_is_not_rewritten(path: Path) -> None:
    """The error says so, and nothing is changed; the file it is."""
    with closing(open_database(path, SCHEMA, Tuning(busy_timeout_ms=50), CLOCK)) as database:
        database.write(add("a"))
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy):
            database.rewrite()
        other.execute("COMMIT")
        assert database.rewrite()
        assert database.read(words) == ["a"]
        other.close()


def test_a_child_process_must_open_its_own(path: Path) -> None:
    """The threads and the locks stay with the parent; using them would hang or corrupt."""
    program = (
        "import os, sys; from pathlib import Path; from tests.unit.store.conftest import *\n"
        "from tests.unit.store.notes import add, words\n"
        "from recollect.core.errors import StoreClosed\n"
        "database = open_database(Path(sys.argv[1]), SCHEMA, CALM, CLOCK)\n"
        "database.write(add('a')); database.read(words)\n"
        "if os.fork() == 0:\n"
        "    for use in (database.write, database.read):\n"
        "        try: use(words)\n"
        "        except StoreClosed as error: os.write(1, b'refused ')\n"
        "    os._exit(0)\n"
        "os.wait(); print(database.read(words))\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", program, str(path)]
    ran = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    assert ran.stdout == "refused refused ['a']\n"
