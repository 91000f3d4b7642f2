"""Events and changes, in the transaction of what they tell about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from recollect.core.clock import SystemClock
from recollect.core.errors import StoreCorrupt
from recollect.core.events import MessagesAppended, SessionCreated, UnknownEvent
from recollect.core.scope import Scope
from recollect.core.settings import StoreSettings
from recollect.store.engine import Row, Transaction
from recollect.store.journal import (
    EventFilter,
    events_since,
    last_change,
    last_event,
    latest_events,
    record_change,
    record_changes,
    record_event,
)
from recollect.store.sqlite.database import SqliteDatabase, open_records

OWNER = Scope(tenant="t", agent="a", user="u", project="p", session="s")
CREATED = SessionCreated(scope=OWNER, at=1, key="telegram:42")
APPENDED = MessagesAppended(scope=Scope(session="s"), at=2, first_seq=1, count=3)


@pytest.fixture
def records(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """Empty records."""
    database = open_records(tmp_path / "home", StoreSettings(), SystemClock())
    yield database
    database.close()


def test_events_come_back_as_the_values_they_were(records: SqliteDatabase) -> None:
    """In commit order, after a number, up to a limit."""
    for seq, event in enumerate((CREATED, APPENDED), start=1):
        records.write(lambda tx, event=event: record_event(tx, event))  # type: ignore[misc]
        assert records.read(last_event) == seq
    events = records.read(lambda tx: events_since(tx, 0))
    assert [(item.seq, item.event) for item in events] == [(1, CREATED), (2, APPENDED)]
    assert [item.seq for item in records.read(lambda tx: events_since(tx, 1))] == [2]
    assert [item.seq for item in records.read(lambda tx: events_since(tx, 0, 1))] == [1]


def test_an_event_of_a_newer_version_is_unknown_but_not_lost(records: SqliteDatabase) -> None:
    """By its name, or by its fields."""

    def unit(tx: Transaction) -> None:
        for kind in ("dream.dreamt", "messages.appended"):
            tx.execute(
                "INSERT INTO events (tenant, type, payload, at) VALUES ('local', ?, ?, 5)",
                (kind, '{"depth":3}'),
            )

    records.write(unit)
    events = [item.event for item in records.read(lambda tx: events_since(tx, 0))]
    assert events == [
        UnknownEvent(scope=Scope(), at=5, name=name, fields={"depth": 3})
        for name in ("dream.dreamt", "messages.appended")
    ]


def changes(tx: Transaction) -> list[Row]:
    """Return the rows that the index reads."""
    return list(tx.rows("SELECT seq, tenant, kind, ref, op, at FROM changes ORDER BY seq"))


def test_changes_are_numbered_in_commit_order(records: SqliteDatabase) -> None:
    """What is rolled back leaves no number behind that a reader could wait for."""

    def unit(tx: Transaction) -> None:
        record_change(tx, tenant="local", kind="message", ref="m1", op="put", at=7)
        record_change(tx, tenant="local", kind="message", ref="m1", op="delete", at=8)

    def fails(tx: Transaction) -> None:
        unit(tx)
        raise LookupError

    assert records.read(last_change) == 0
    with pytest.raises(LookupError):
        records.write(fails)
    records.write(unit)
    assert records.read(changes) == [
        (1, "local", "message", "m1", "put", 7),
        (2, "local", "message", "m1", "delete", 8),
    ]
    assert records.read(last_change) == 2


def test_changes_of_a_batch_are_numbered_in_its_order(records: SqliteDatabase) -> None:
    """One statement for all of them."""

    def unit(tx: Transaction) -> None:
        record_changes(tx, tenant="t", kind="message", refs=["b", "a"], op="put", at=7)

    records.write(unit)
    assert [(row[0], row[3]) for row in records.read(changes)] == [(1, "b"), (2, "a")]


@pytest.mark.parametrize(
    "word", ["a-tenant", "an-agent", "a-user", "a-project", "a-session", ".created", "telegram:42"]
)
def test_a_flipped_bit_of_an_event_is_never_another_answer(tmp_path: Path, word: str) -> None:
    """Neither in its row nor in the twin of it, whatever is asked for: the truth, or an error."""
    path = tmp_path / "home" / "records.db"
    owner = Scope(
        tenant="a-tenant", agent="an-agent", user="a-user", project="a-project", session="a-session"
    )
    wishes = [EventFilter(), EventFilter(scope=owner), EventFilter(types=("session.created",))]
    records = open_records(path.parent, StoreSettings(), SystemClock())
    for event in (CREATED, SessionCreated(scope=owner, at=1, key="telegram:42"), APPENDED):
        records.write(lambda tx, event=event: record_event(tx, event))  # type: ignore[misc]
    truth = [records.read(lambda tx, wish=wish: events_since(tx, 0, 9, wish)) for wish in wishes]  # type: ignore[misc]
    records.close()
    sound = path.read_bytes()
    offsets = [match.start() for match in re.finditer(re.escape(word).encode(), sound)]
    assert len(offsets) >= 2
    for offset in offsets:
        path.write_bytes(sound[:offset] + bytes([sound[offset] ^ 1]) + sound[offset + 1 :])
        records = open_records(path.parent, StoreSettings(), SystemClock())
        for wish, answer in zip(wishes, truth, strict=True):
            with suppress(StoreCorrupt):
                assert records.read(lambda tx, wish=wish: events_since(tx, 0, 9, wish)) == answer  # type: ignore[misc]
        with pytest.raises(StoreCorrupt):
            records.read(lambda tx: events_since(tx, 0))
        records.close()


def test_events_whose_table_is_empty_are_damaged(tmp_path: Path) -> None:
    """Its root page has changed places with that of an empty table."""
    path = tmp_path / "home" / "records.db"
    records = open_records(path.parent, StoreSettings(), SystemClock())
    records.write(lambda tx: record_event(tx, CREATED))
    sql = "SELECT rootpage FROM sqlite_schema WHERE name IN ('events', 'audit')"
    offsets = [4096 * (int(str(page)) - 1) for (page,) in records.read(lambda tx: tx.all(sql))]
    records.close()
    sound, now = path.read_bytes(), bytearray(path.read_bytes())
    for offset, other in zip(offsets, reversed(offsets), strict=True):
        now[offset : offset + 4096] = sound[other : other + 4096]
    path.write_bytes(now)
    records = open_records(path.parent, StoreSettings(), SystemClock())
    for look in (lambda tx: events_since(tx, 0), lambda tx: latest_events(tx, 5)):
        with pytest.raises(StoreCorrupt):
            records.read(look)
    records.close()


def test_events_that_a_page_no_longer_leads_to_are_damaged(tmp_path: Path) -> None:
    """The root of the table has changed places with a leaf: what is left of it is in order."""
    path = tmp_path / "home" / "records.db"
    records = open_records(path.parent, StoreSettings(), SystemClock())
    for _ in range(200):
        records.write(lambda tx: record_event(tx, CREATED))
    newest = records.read(lambda tx: latest_events(tx, 5))
    sql = "SELECT pageno FROM dbstat WHERE name = 'events' ORDER BY path"
    pages = [4096 * (int(str(page)) - 1) for (page,) in records.read(lambda tx: tx.all(sql))]
    records.close()
    sound, (root, *leaves) = path.read_bytes(), pages
    assert len(leaves) > 2
    looks = [
        partial(events_since, seq=0),
        partial(events_since, seq=0, limit=199),
        partial(events_since, seq=0, event_filter=EventFilter(types=("messages.appended",))),
    ]
    for leaf in leaves:
        now = bytearray(sound)
        now[root : root + 4096] = sound[leaf : leaf + 4096]
        now[leaf : leaf + 4096] = sound[root : root + 4096]
        path.write_bytes(now)
        records = open_records(path.parent, StoreSettings(), SystemClock())
        for look in looks:
            with pytest.raises(StoreCorrupt):
                records.read(look)
        with suppress(StoreCorrupt):
            assert records.read(lambda tx: latest_events(tx, 5)) == newest
        records.close()
