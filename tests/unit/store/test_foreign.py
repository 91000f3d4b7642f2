"""Databases of other programs: read beside their writers, never written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from recollect.core.errors import ForeignStoreError, StoreError
from recollect.store.sqlite.foreign import ForeignDatabase


@pytest.fixture
def other(tmp_path: Path) -> Iterator[apsw.Connection]:
    """A program that writes in WAL mode."""
    connection = apsw.Connection(str(tmp_path / "o th#er?.sqlite"))
    connection.pragma("journal_mode", "wal")
    connection.execute("CREATE TABLE t (n); INSERT INTO t VALUES (1)")
    yield connection
    connection.close()


def test_it_reads_one_snapshot_while_the_other_program_writes(
    tmp_path: Path, other: apsw.Connection
) -> None:
    """What is still in the log is read too; names of files may hold anything."""
    with ForeignDatabase(tmp_path / "o th#er?.sqlite") as database:

        def unit(query: object) -> tuple[int, int]:
            assert callable(query)
            before = query("SELECT count(*) FROM t", ())[0][0]
            other.execute("INSERT INTO t VALUES (2)")
            return before, query("SELECT count(*) FROM t WHERE n > ?", (0,))[0][0]

        assert database.read(unit) == (1, 1)
        assert database.read(lambda query: query("SELECT count(*) FROM t", ())) == [(2,)]


def test_it_cannot_write(tmp_path: Path, other: apsw.Connection) -> None:
    """Whatever a unit tries; the next one reads as before."""
    with ForeignDatabase(tmp_path / "o th#er?.sqlite") as database:
        with pytest.raises(StoreError):
            database.read(lambda query: query("INSERT INTO t VALUES (3)", ()))
        assert database.read(lambda query: query("SELECT n FROM t", ())) == [(1,)]


def test_what_is_not_there_or_no_database_is_a_store_error(tmp_path: Path) -> None:
    """With the name of the file; nothing is made."""
    with pytest.raises(StoreError, match=r"none\.sqlite"):
        ForeignDatabase(tmp_path / "none.sqlite")
    assert not list(tmp_path.iterdir())
    (tmp_path / "text.sqlite").write_bytes(b"plain text " * 100)
    with (
        ForeignDatabase(tmp_path / "text.sqlite") as database,
        pytest.raises(ForeignStoreError, match="damaged"),
    ):
        database.read(lambda query: query("SELECT 1 FROM t", ()))
