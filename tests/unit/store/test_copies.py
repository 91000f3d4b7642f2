"""Copies of databases: sessions are removed from any version of them."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from recollect.core.errors import StoreBusy, StoreCorrupt
from recollect.store.sqlite.copies import (
    database_copies,
    is_damaged,
    is_of_index,
    remove_copy,
    remove_from_copy,
)


def database(path: Path, *statements: str) -> Path:
    """Write a database, in the log mode that copies have."""
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    for sql in statements:
        connection.execute(sql)
    connection.close()
    return path


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    """Return the rows of a statement."""
    connection = apsw.Connection(str(path))
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def test_what_belongs_to_a_session_goes_from_the_first_version(tmp_path: Path) -> None:
    """It had neither groups nor resets; nothing else goes."""
    copy = database(
        tmp_path / "records.db.before-0002",
        "CREATE TABLE sessions (id TEXT PRIMARY KEY)",
        "CREATE TABLE messages (id TEXT, session_id TEXT, text TEXT)",
        "INSERT INTO sessions VALUES ('a'), ('b')",
        "INSERT INTO messages VALUES ('1', 'a', 'plumword'), ('2', 'b', 'kept')",
    )
    remove_from_copy(copy, ["a"])
    assert rows(copy, "SELECT id FROM sessions") == [("b",)]
    assert rows(copy, "SELECT text FROM messages") == [("kept",)]
    assert b"plumword" not in copy.read_bytes()
    assert list(tmp_path.iterdir()) == [copy]


def test_kin_and_what_waits_go_with_it_from_later_versions(tmp_path: Path) -> None:
    """A fork that stays stands alone."""
    copy = database(
        tmp_path / "records.db.before-0009",
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, key TEXT, previous_id TEXT, parent_id TEXT,"
        " forked_at_seq INTEGER)",
        "CREATE TABLE pending_messages (key TEXT, text TEXT)",
        "INSERT INTO sessions VALUES ('a', 'k', NULL, NULL, NULL), ('b', NULL, 'a', 'a', 3)",
        "INSERT INTO pending_messages VALUES ('k', 'plumword'), ('other', 'kept')",
    )
    remove_from_copy(copy, ["a"])
    assert rows(copy, "SELECT * FROM sessions") == [("b", None, None, None, None)]
    assert rows(copy, "SELECT text FROM pending_messages") == [("kept",)]


def test_a_copy_without_tables_is_left(tmp_path: Path) -> None:
    """There is nothing to remove."""
    copy = database(tmp_path / "records.db.before-0001")
    remove_from_copy(copy, ["a"])
    assert not is_damaged(copy)


def test_a_damaged_copy_is_recognised(tmp_path: Path) -> None:
    """No database at all, one with a page of nothing, and a log without its database."""
    filled = ["CREATE TABLE t (a)", "INSERT INTO t VALUES (zeroblob(100000))"]
    torn = database(tmp_path / "records.db.torn", *filled)
    torn.write_bytes(torn.read_bytes()[:8192] + b"\xff" * 90_000)
    text, lost_log = tmp_path / "records.db.text", tmp_path / "records.db.lost-wal"
    text.write_bytes(b"no database " * 1000)
    lost_log.write_bytes(b"frames")
    assert [is_damaged(path) for path in (torn, text, lost_log)] == [True, True, True]
    with pytest.raises(StoreCorrupt):
        remove_from_copy(text, ["a"])
    for path in (torn, text, lost_log):
        remove_copy(path)
    assert list(tmp_path.iterdir()) == []


def test_a_copy_in_use_is_not_taken_for_damaged(tmp_path: Path) -> None:
    """Somebody looks at it."""
    copy = tmp_path / "records.db.before-0009"
    holder = apsw.Connection(str(copy))
    holder.execute("CREATE TABLE sessions (id TEXT)")
    holder.execute("BEGIN EXCLUSIVE")
    for attempt in (is_damaged, lambda path: remove_from_copy(path, ["a"])):
        with pytest.raises(StoreBusy):
            attempt(copy)
    holder.close(force=True)


def test_copies_are_found_wherever_they_lie(tmp_path: Path) -> None:
    """What is in use is not among them, nor its logs, nor what is no database of ours."""
    for name in (
        *("records.db", "records.db-wal", "records.db.lock", "index.db", "agents/ops/index.db"),
        *("config.yaml", "chroma/chroma.sqlite3", "records.db.lock.d/x"),
        *("aside/1/records.db", "aside/1/records.db-wal", "aside/1/agents/ops/index.db"),
        *("records.db.before-0009", ".records.db.before-0010.part", "aside/2/index.db-shm"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    names = [path.relative_to(tmp_path).as_posix() for path in database_copies(tmp_path)]
    assert sorted(names) == [
        ".records.db.before-0010.part",
        "aside/1/agents/ops/index.db",
        "aside/1/records.db",
        "aside/2/index.db-shm",
        "records.db.before-0009",
    ]
    assert [name for name in names if is_of_index(Path(name))] == [
        "aside/1/agents/ops/index.db",
        "aside/2/index.db-shm",
    ]
