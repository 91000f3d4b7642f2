"""A writer whose thread dies: nobody waits for it; a unit is stored or fails, never both."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future

import pytest

from recollect.core.errors import StoreError
from recollect.store.engine import Transaction
from recollect.store.sqlite.database import SqliteDatabase
from recollect.store.sqlite.writer import GroupCommit, Writer
from tests.support.dying import Death, die_at_birth, refuse_threads
from tests.unit.store.notes import add, words

pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnhandledThreadExceptionWarning"  # the deaths
)


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch) -> Callable[[type, str, bool], list[int]]:
    """Let the first call of a method kill its thread, before or after it ran."""

    def install(owner: type, name: str, is_after: bool) -> list[int]:
        real, calls = getattr(owner, name), [0]

        def method(*args: object, **kwargs: object) -> object:
            calls[0] += 1
            if calls[0] > 1:
                return real(*args, **kwargs)
            if is_after:
                real(*args, **kwargs)
            raise Death

        monkeypatch.setattr(owner, name, method)
        return calls

    return install


def _both(database: SqliteDatabase) -> list[Future[int]]:
    return [database.submit(add("a")), database.submit(add("b"))]


def test_one_that_dies_before_its_first_line_is_replaced(
    database: SqliteDatabase, dying: Callable[[type, str, bool], list[int]]
) -> None:
    """What was queued is stored by the next."""
    calls = dying(threading.Thread, "run", False)
    assert database.write(add("a")) == 1
    assert calls[0] >= 2
    assert database.read(words) == ["a"]


def test_one_that_dies_between_units_is_replaced(
    database: SqliteDatabase, dying: Callable[[type, str, bool], list[int]]
) -> None:
    """The unit that it had just taken fails, and nothing of it is there; the next is stored."""
    dying(Writer, "_settle", False)
    with pytest.raises(StoreError, match="thread that worked on it died") as raised:
        database.write(add("a"))
    assert raised.value.facts["outcome"] == "none"
    assert database.write(add("b")) == 1
    assert database.read(words) == ["b"]


def test_one_that_dies_in_a_unit_leaves_nothing_of_it(
    database: SqliteDatabase, dying: Callable[[type, str, bool], list[int]]
) -> None:
    """Its transaction is rolled back, and its caller is told."""
    dying(GroupCommit, "_leave_token", False)
    dying(Writer, "_explain", False)
    with pytest.raises(StoreError, match="thread that worked on it died") as raised:
        database.write(add("a"))
    assert raised.value.facts["outcome"] == "none"
    assert database.write(add("b")) == 1
    assert database.read(words) == ["b"]


def test_one_that_dies_after_the_commit_has_stored_it(
    database: SqliteDatabase, dying: Callable[[type, str, bool], list[int]]
) -> None:
    """The token says so: the caller gets what the unit returned, once."""
    dying(GroupCommit, "run", True)
    dying(Writer, "_explain", False)
    assert database.write(add("a")) == 1
    assert database.write(add("b")) == 2
    assert database.read(words) == ["a", "b"]


def test_units_that_waited_go_to_the_next_thread(
    database: SqliteDatabase, dying: Callable[[type, str, bool], list[int]]
) -> None:
    """Only what the dead one had taken fails."""
    began, release = threading.Event(), threading.Event()

    def hold(_tx: Transaction) -> None:
        began.set()
        release.wait(60)

    dying(Writer, "_answer", False)
    first = database.submit(hold)
    began.wait(60)
    waiting = _both(database)
    release.set()
    assert first.result() is None  # it was stored before its thread died
    assert [future.result() for future in waiting] == [1, 2]
    assert database.read(words) == ["a", "b"]


def test_a_thread_that_cannot_be_started_is_an_error(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what to do; a later call may have more luck."""
    refuse_threads(monkeypatch)
    with pytest.raises(StoreError, match="no thread can be started"):
        database.write(add("a"))
    assert database.read(words) == []


def test_nobody_waits_where_a_dead_one_cannot_be_replaced(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that waited get an error, and nothing of it is stored."""
    names = die_at_birth(monkeypatch)
    real = threading.Thread.start

    def start(thread: threading.Thread) -> None:
        if names:
            raise RuntimeError("can't start new thread")
        real(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    waiting = [database.submit(add("a"))]
    for future in waiting:
        with pytest.raises(StoreError, match="no thread can be started"):
            future.result()
    monkeypatch.undo()
    assert database.write(add("b")) == 1
    assert database.read(words) == ["b"]


def test_closing_stores_what_a_dead_thread_left(
    database: SqliteDatabase, dying: Callable[[type, str, bool], list[int]]
) -> None:
    """A close waits for what is queued, whoever does it."""
    dying(threading.Thread, "run", False)
    future = database.submit(add("a"))
    database.close()
    assert future.result() == 1
