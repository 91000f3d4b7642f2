"""Streams of events: read, waited for, handed to callbacks."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.core.clock import SystemClock
from recollect.core.errors import Conflict, InvalidInput, StoreClosed, StoreCorrupt
from recollect.core.events import EVENT_TYPES, Event, MessagesAppended, SessionCreated
from recollect.core.scope import Scope
from recollect.core.settings import StoreSettings
from recollect.store.engine import Transaction
from recollect.store.journal import RecordedEvent, record_event
from recollect.store.sqlite.database import SqliteDatabase, open_records
from recollect.store.streams import EventStream, renew_journal

DEADLINE_S = 20.0


@pytest.fixture
def records(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """Empty records."""
    database = open_records(tmp_path / "home", StoreSettings(), SystemClock())
    yield database
    database.close()


@pytest.fixture
def stream(records: SqliteDatabase) -> Iterator[EventStream]:
    """Everybody's events."""
    opened = EventStream(records, Scope())
    yield opened
    opened.close()


def created(name: str, **owner: str) -> SessionCreated:
    """Return an event of a session."""
    return SessionCreated(scope=Scope(session=name, **owner), at=1, key=name)


def tell(records: SqliteDatabase, *names: str) -> None:
    """Store an event for each name, each in a transaction of its own."""
    for name in names:
        event = created(name)
        records.write(lambda tx, event=event: record_event(tx, event))  # type: ignore[misc]


def keys(found: list[RecordedEvent]) -> list[object]:
    """Return what `created` was given."""
    return [getattr(recorded.event, "key", None) for recorded in found]


def test_events_are_read_from_any_place(records: SqliteDatabase, stream: EventStream) -> None:
    """After a number, of a type, of a session; the newest come in their order too."""
    tell(records, "a", "b", "c")
    appended = MessagesAppended(scope=Scope(session="a"), at=2, first_seq=1, count=1)
    records.write(lambda tx: record_event(tx, appended))
    assert keys(list(stream.since(1))) == ["b", "c", None]
    assert keys(list(stream.since(types=["session.created"]))) == ["a", "b", "c"]
    assert [r.seq for r in stream.since(session_id="a")] == [1, 4]
    assert [r.seq for r in stream.latest(2)] == [3, 4]
    assert stream.latest(1, session_id="b")[0].seq == 2
    assert stream.last_seq() == 4


def test_a_long_journal_is_read_page_by_page(records: SqliteDatabase, stream: EventStream) -> None:
    """All of it, and only what is wanted of it."""
    records.write(lambda tx: [record_event(tx, created(str(n))) for n in range(1_200)])  # type: ignore[func-returns-value]
    assert [r.seq for r in stream.since()] == list(range(1, 1_201))
    tell(records, "last")
    assert keys(list(stream.since(session_id="last"))) == ["last"]


def test_a_scope_sees_only_its_own_events(records: SqliteDatabase) -> None:
    """Also when it asks for a session of somebody else."""
    owners = ({"user": "ann"}, {"user": "bob"}, {"tenant": "other"}, {"agent": "x", "project": "p"})
    for number, owner in enumerate(owners):
        event = created(f"s{number}", **owner)
        records.write(lambda tx, event=event: record_event(tx, event))  # type: ignore[misc]
    ann = EventStream(records, Scope(user="ann"))
    assert keys(list(ann.since())) == ["s0"]
    assert list(ann.since(session_id="s1")) == []
    assert keys(list(EventStream(records, Scope(agent="x", project="p")).since())) == ["s3"]
    one = EventStream(records, Scope(session="s0"))
    assert keys(list(one.since())) == ["s0"]
    assert list(one.since(session_id="s1")) == []
    assert one.latest(3, session_id="s1") == []
    assert list(one.follow(0, session_id="s1")) == []


def test_a_wrong_question_is_refused(stream: EventStream) -> None:
    """With the name that may be meant."""
    with pytest.raises(InvalidInput) as refusal:
        stream.since(types=["session.create"])
    assert "session.created" in refusal.value.hint
    with pytest.raises(InvalidInput):
        stream.subscribe(print, types=["odd"])
    with pytest.raises(InvalidInput):
        stream.latest(-1)
    assert "unknown" not in EVENT_TYPES


def test_a_callback_gets_what_comes_in_commit_order(
    records: SqliteDatabase, stream: EventStream
) -> None:
    """From now on, on a thread of its own, until it is closed."""
    tell(records, "before")
    got: queue.SimpleQueue[tuple[object, str]] = queue.SimpleQueue()
    subscription = stream.subscribe(
        lambda r: got.put((getattr(r.event, "key", None), threading.current_thread().name))
    )
    tell(records, "a", "b", "c")
    events = [got.get(timeout=DEADLINE_S) for _ in range(3)]
    assert [key for key, _ in events] == ["a", "b", "c"]
    assert {name for _, name in events} == {"recollect-events"}
    subscription.close()
    subscription.close()
    tell(records, "after")
    assert got.empty()
    assert stream.state().subscribers == 0


def test_a_callback_that_raises_stops_no_other_and_loses_nothing(
    records: SqliteDatabase, stream: EventStream
) -> None:
    """The state counts what failed, also after its end."""
    got: queue.SimpleQueue[object] = queue.SimpleQueue()

    def odd(recorded: RecordedEvent) -> None:
        got.put(recorded.seq)
        if recorded.seq % 2:
            raise LookupError

    stream.subscribe(odd)
    tell(records, "a", "b", "c", "d")
    assert [got.get(timeout=DEADLINE_S) for _ in range(4)] == [1, 2, 3, 4]
    stream.close()
    state = stream.state()
    assert (state.subscribers, state.failures, state.last_error) == (0, 2, "LookupError")


def test_closing_hands_over_what_was_committed_before(
    records: SqliteDatabase, stream: EventStream
) -> None:
    """However slow the callback is; then nobody can subscribe."""
    got: list[int] = []
    gate = threading.Event()

    def slow(recorded: RecordedEvent) -> None:
        gate.wait(DEADLINE_S)
        got.append(recorded.seq)

    stream.subscribe(slow)
    tell(records, *"abcdefgh")
    threading.Timer(0.05, gate.set).start()
    stream.close()
    assert got == [1, 2, 3, 4, 5, 6, 7, 8]
    with pytest.raises(StoreClosed):
        stream.subscribe(slow)


def test_closing_hands_over_more_than_is_read_at_once(
    records: SqliteDatabase, stream: EventStream
) -> None:
    """Page by page, without a pause between them."""
    got: list[int] = []
    gate = threading.Event()

    def slow(recorded: RecordedEvent) -> None:
        gate.wait(DEADLINE_S)
        got.append(recorded.seq)

    subscription = stream.subscribe(slow)
    records.write(lambda tx: [record_event(tx, created(str(n))) for n in range(1_200)])  # type: ignore[func-returns-value]
    threading.Timer(0.05, gate.set).start()
    subscription.finish()
    assert got == list(range(1, 1_201))


def test_a_slow_callback_does_not_keep_writers(
    records: SqliteDatabase, stream: EventStream
) -> None:
    """They commit while it hangs, and the state says how far it is behind."""
    gate = threading.Event()
    with stream.subscribe(lambda _: gate.wait(DEADLINE_S)):
        tell(records, *"abc")
        assert stream.state().behind == 3
        gate.set()


def test_a_callback_may_end_itself(records: SqliteDatabase, stream: EventStream) -> None:
    """From within."""
    got: list[int] = []
    ended = threading.Event()
    handle = stream.subscribe(lambda recorded: once(recorded), types=["session.created"])

    def once(recorded: RecordedEvent) -> None:
        got.append(recorded.seq)
        handle.close()
        ended.set()

    tell(records, "a", "b", "c")
    assert ended.wait(DEADLINE_S)
    handle.close()
    assert got == [1]


def test_a_callback_begins_where_it_is_told(records: SqliteDatabase, stream: EventStream) -> None:
    """So that a program can go on where it was."""
    tell(records, "a", "b", "c")
    got: queue.SimpleQueue[int] = queue.SimpleQueue()
    with stream.subscribe(lambda r: got.put(r.seq), after=1):
        assert [got.get(timeout=DEADLINE_S) for _ in range(2)] == [2, 3]


def test_events_of_another_connection_come_too(
    records: SqliteDatabase, stream: EventStream
) -> None:
    """As those of another process do: nobody rings, so they are looked for."""
    got: queue.SimpleQueue[Event] = queue.SimpleQueue()
    other = open_records(records.path.parent, StoreSettings(), SystemClock())
    with stream.subscribe(lambda r: got.put(r.event)):
        tell(other, "elsewhere")
        assert got.get(timeout=DEADLINE_S) == created("elsewhere")
    other.close()


def test_following_waits_for_what_comes(records: SqliteDatabase, stream: EventStream) -> None:
    """And ends when the stream is closed."""
    tell(records, "a")
    got: queue.SimpleQueue[object] = queue.SimpleQueue()

    def follow() -> None:
        for recorded in stream.follow(0):
            got.put(recorded.seq)
        got.put("end")

    thread = threading.Thread(target=follow)
    thread.start()
    assert got.get(timeout=DEADLINE_S) == 1
    tell(records, "b")
    assert got.get(timeout=DEADLINE_S) == 2
    stream.close()
    assert got.get(timeout=DEADLINE_S) == "end"
    thread.join()


def test_a_damaged_event_is_an_error_of_the_subscription_and_of_the_status(
    records: SqliteDatabase, stream: EventStream
) -> None:
    """It says which, not what was in it; the callback is not called with half of one."""

    def damaged(tx: Transaction) -> None:
        record_event(tx, created("a"))
        tx.execute("UPDATE events SET payload = '[]'")

    with stream.subscribe(print) as subscription:
        records.write(damaged)
        subscription.wake()
        for _ in range(int(DEADLINE_S * 200)):
            if subscription.last_error:
                break
            threading.Event().wait(0.005)
        assert subscription.last_error == StoreCorrupt.code
    assert stream.state().last_error == StoreCorrupt.code


def test_a_database_that_closes_ends_the_callbacks(
    records: SqliteDatabase, stream: EventStream
) -> None:
    """Without a sound: the memory is gone."""
    subscription = stream.subscribe(print)
    records.close()
    stream.close()
    assert stream.state().subscribers == 0
    assert subscription.failures == 0


def test_a_cursor_ahead_of_the_journal_is_an_error(
    records: SqliteDatabase, stream: EventStream
) -> None:
    """An older backup was restored: what comes now would be passed over silently."""
    tell(records, "a", "b")
    assert list(stream.since(2)) == []
    for ask in (
        lambda: stream.since(3),
        lambda: stream.follow(3),
        lambda: stream.subscribe(print, after=3),
        lambda: stream.reader(3, bell=lambda: None),
    ):
        with pytest.raises(Conflict, match="the newest event is 2, and 3 was asked for") as raised:
            ask()
        assert "restored" in raised.value.hint


def test_a_cursor_at_a_removed_event_is_none_ahead(
    records: SqliteDatabase, stream: EventStream
) -> None:
    """Events go with their session; their numbers are not given again."""
    tell(records, "a", "b")
    records.write(lambda tx: tx.execute("DELETE FROM events"))
    assert list(stream.since(2)) == []
    tell(records, "c")
    assert [recorded.seq for recorded in stream.since(2)] == [3]


def test_a_cursor_of_a_journal_that_was_replaced_is_an_error(
    records: SqliteDatabase, stream: EventStream
) -> None:
    """However far the new one has come; a bare number is not known to be of the old one."""
    tell(records, "a", "b")
    first, newest = stream.cursor(1), stream.cursor()
    assert keys(list(stream.since(first))) == ["b"]
    assert list(stream.since(newest)) == []
    assert keys(list(stream.since("1"))) == ["b"]
    records.write(lambda tx: renew_journal(tx, created("c")))
    for ask in (
        lambda: stream.since(first),
        lambda: stream.follow(first),
        lambda: stream.subscribe(print, after=first),
        lambda: stream.reader(first, bell=lambda: None),
    ):
        with pytest.raises(Conflict, match="event 1 was of a journal that was replaced") as raised:
            ask()
        assert "restored" in raised.value.hint
    assert keys(list(stream.since(1))) == ["b", "c"]
    assert stream.cursor(1) != first


@pytest.mark.parametrize("place", ["", "x", "-1", "1-", "1-xyz", "1 ", "1-12345678-"])
def test_what_is_no_place_is_refused(stream: EventStream, place: str) -> None:
    """Also what only looks like a cursor."""
    with pytest.raises(InvalidInput):
        stream.since(place)
