"""Extensions of SQLite: loaded into every connection, and harmless when they cannot be."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import apsw  # the driver's own error
import pytest

from recollect.core.clock import SystemClock
from recollect.core.errors import StoreError
from recollect.core.settings import StoreSettings
from recollect.store.engine import Transaction
from recollect.store.sqlite import connection
from recollect.store.sqlite.connection import Extensions
from recollect.store.sqlite.database import SqliteDatabase, open_index


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """Open an index.db."""
    opened = open_index(tmp_path / "home", StoreSettings(), SystemClock())
    yield opened
    opened.close()


@pytest.fixture
def library() -> str:
    """Return the file of an extension."""
    package = pytest.importorskip("sqlite_vec", reason="the package sqlite-vec is not installed")
    return str(package.loadable_path())


def version(tx: Transaction) -> str:
    """Return what only the extension knows."""
    row = tx.row("SELECT vec_version()")
    return str(row and row[0])


def test_open_connections_get_it_too(database: SqliteDatabase, library: str) -> None:
    """A reader and a writer that worked before load it at their next use, and others at once."""
    database.read(lambda tx: tx.row("SELECT 1"))
    database.write(lambda tx: tx.execute("DELETE FROM tail"))
    database.load_extension(library)
    database.load_extension(library)
    assert database.read(version) == database.write(version)
    inner = database.read(lambda _: database.read(version))
    assert inner.startswith("v")


def test_one_that_cannot_be_loaded_changes_nothing(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    """The error names the file; reading and writing go on."""
    path = tmp_path / "other.so"
    path.write_bytes(b"\x7fELF and then nothing")
    with pytest.raises(StoreError, match="cannot be loaded") as caught:
        database.load_extension(str(path))
    assert caught.value.facts["path"] == str(path)
    database.write(lambda tx: tx.execute("DELETE FROM tail"))


def test_the_function_of_sql_stays_off(database: SqliteDatabase, library: str) -> None:
    """A statement cannot load anything."""
    database.load_extension(library)
    with pytest.raises(StoreError):
        database.read(lambda tx: tx.row("SELECT load_extension(?)", (library,)))


def test_one_that_never_comes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library on a drive that hangs does not hang us."""
    monkeypatch.setattr(connection, "LOAD_TIMEOUT_S", 0.01)
    let_go, gave_up = threading.Event(), threading.Event()

    def hanging() -> apsw.Connection:
        let_go.wait()
        gave_up.set()
        raise apsw.CantOpenError

    with pytest.raises(StoreError, match="took too long"):
        Extensions().add("slow", hanging)
    let_go.set()
    assert gave_up.wait(10)
