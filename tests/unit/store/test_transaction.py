"""What a unit of work sees."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.core.errors import Conflict, StoreClosed, StoreCorrupt, StoreError
from recollect.store.engine import Row, Transaction
from recollect.store.sqlite.database import SqliteDatabase
from tests.unit.store.notes import add, words


def test_rows_come_as_they_are_read(database: SqliteDatabase) -> None:
    """In order; `row` is the first or None."""

    def unit(tx: Transaction) -> tuple[Row | None, Row | None, list[Row]]:
        tx.executemany("INSERT INTO notes VALUES (?, ?)", ((n, f"w{n}") for n in range(3)))
        rows = tx.rows("SELECT id, words FROM notes WHERE id > ?", (0,))
        return tx.row("SELECT id FROM notes"), tx.row("SELECT 1 WHERE 0"), list(rows)

    assert database.write(unit) == ((0,), None, [(1, "w1"), (2, "w2")])


def test_rows_that_were_not_asked_for_are_dropped(database: SqliteDatabase) -> None:
    """A statement runs to its end, whatever it returns."""

    def unit(tx: Transaction) -> None:
        tx.execute("INSERT INTO notes VALUES (1, 'a'), (2, 'b') RETURNING id")
        tx.executemany("INSERT INTO notes VALUES (?, 'c') RETURNING id", [(3,), (4,)])

    database.write(unit)
    assert database.read(words) == ["a", "b", "c", "c"]


def test_rows_that_nobody_took_die_with_the_transaction(database: SqliteDatabase) -> None:
    """Otherwise they would hold the snapshot, and with it the log, for ever."""
    database.write(add("a"))
    database.write(add("b"))
    iterators: list[Iterator[Row]] = []
    began: list[Iterator[Row]] = []

    def unit(tx: Transaction) -> None:
        iterators.append(tx.rows("SELECT words FROM notes"))
        began.append(tx.rows("SELECT words FROM notes"))
        next(began[0])

    database.read(unit)
    for rows in (iterators[0], began[0]):
        with pytest.raises(StoreClosed, match="the transaction is over"):
            next(rows)
    assert database.cut_log()


def test_a_transaction_is_dead_when_its_unit_returns(database: SqliteDatabase) -> None:
    """Every verb of it says so."""
    transactions = [database.write(lambda tx: tx), database.read(lambda tx: tx)]
    for tx in transactions:
        with pytest.raises(StoreClosed):
            tx.execute("SELECT 1")
        with pytest.raises(StoreClosed):
            tx.executemany("SELECT ?", [(1,)])
        with pytest.raises(StoreClosed):
            tx.row("SELECT 1")
        with pytest.raises(StoreClosed):
            tx.rows("SELECT 1")


def test_statements_that_fail_raise_errors_of_ours(database: SqliteDatabase) -> None:
    """And the transaction goes on: the unit may handle them."""

    def unit(tx: Transaction) -> None:
        add("a", 1)(tx)
        with pytest.raises(Conflict):
            tx.execute("INSERT INTO notes VALUES (1, 'b')")
        with pytest.raises(Conflict):
            tx.executemany("INSERT INTO notes VALUES (?, ?)", [(1, "b")])
        with pytest.raises(StoreError):
            tx.row("SELECT nothing FROM nowhere")
        with pytest.raises(StoreError):
            tx.rows("SELECT nothing FROM nowhere")
        with pytest.raises(StoreError):
            list(tx.rows("SELECT json('{') FROM notes"))
        add("c", 2)(tx)

    database.write(unit)
    assert database.read(words) == ["a", "c"]


def test_an_error_in_the_middle_of_rows_is_one_of_ours(database: SqliteDatabase) -> None:
    """The first row was good, the second is not."""
    database.write(add("{}"))
    database.write(add("{"))
    with pytest.raises(StoreError):
        database.read(lambda tx: list(tx.rows("SELECT json(words) FROM notes ORDER BY id")))
    assert database.read(words) == ["{}", "{"]


def test_a_text_with_damaged_bytes_is_told_as_damage(database: SqliteDatabase) -> None:
    """SQLite hands out the bytes of a text as they are, and its checks do not look at them."""
    sql = "SELECT CAST(x'61ff' AS TEXT)"
    with pytest.raises(StoreCorrupt):
        database.read(lambda tx: tx.row(sql))
    with pytest.raises(StoreCorrupt):
        database.read(lambda tx: list(tx.rows(sql)))
    database.write(add("a"))
    assert database.read(words) == ["a"]


def test_a_unit_that_ends_its_transaction_fails_as_a_whole(database: SqliteDatabase) -> None:
    """It would go on outside of any transaction, and be half kept."""

    def unit(tx: Transaction) -> None:
        add("a")(tx)
        tx.execute("ROLLBACK")
        with pytest.raises(StoreError):
            tx.execute("INSERT INTO nowhere VALUES (1)")
        with pytest.raises(StoreError):
            add("b")(tx)

    with pytest.raises(StoreError):
        database.write(unit)
    assert database.read(words) == []
