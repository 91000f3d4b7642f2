"""The feed of transcripts: messages along the outbox, each state once, nothing left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.scope import Scope
from recollect.core.settings import StoreSettings
from recollect.index.model.document import Removal, SourceState
from recollect.memory import Memory
from recollect.recall.outbox_source import BATCH, OutboxSource
from recollect.store.engine import Transaction
from recollect.store.journal import record_change
from recollect.store.sqlite.database import SqliteDatabase, open_records
from tests.unit.index.scripted import CLOCK

START = SourceState(0, {})


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory of somebody, for words only."""
    with recollect.open(
        tmp_path / "home",
        overrides={"embedding.provider": "none"},
        scope=Scope(agent="a", user="u"),
    ) as opened:
        yield opened


@pytest.fixture
def records(memory: Memory) -> Iterator[SqliteDatabase]:
    """A second look at its records."""
    database = open_records(memory.home, StoreSettings(), CLOCK)
    yield database
    database.close()


def test_a_message_becomes_a_document(memory: Memory, records: SqliteDatabase) -> None:
    """With its owner, speaker, time and place."""
    session = memory.sessions.create(key="k", project="p")
    message = memory.sessions.append(session.id, "user", "apple", name="Ann", at=123)
    ((document,),) = (batch.documents for batch in OutboxSource(records).batches(START))
    assert (document.source, document.ref, document.group) == ("sessions", message.id, session.id)
    assert (document.order, document.text, document.at) == (1, "apple", 123)
    assert (document.role, document.name, document.markdown) == ("user", "Ann", False)
    assert document.scope == Scope(agent="a", user="u", project="p", session=session.id)


def test_the_feed_goes_on_where_it_was(memory: Memory, records: SqliteDatabase) -> None:
    """And tells whether there is more."""
    feed = OutboxSource(records)
    assert not feed.is_behind(0)
    assert list(feed.batches(START)) == []
    session = memory.sessions.create(key="k")
    memory.sessions.append(session.id, "user", "apple")
    (first,) = feed.batches(START)
    assert feed.is_behind(0)
    assert not feed.is_behind(first.cursor)
    memory.sessions.append(session.id, "user", "bread")
    (second,) = feed.batches(SourceState(first.cursor, {}))
    assert [d.text for d in second.documents] == ["bread"]
    assert not feed.is_behind(second.cursor)


def test_many_messages_come_in_batches(memory: Memory, records: SqliteDatabase) -> None:
    """In order; each batch tells about how many are left."""
    session = memory.sessions.create(key="k")
    memory.sessions.append_many(session.id, [("user", f"m{n}") for n in range(BATCH + 5)])
    batches = list(OutboxSource(records).batches(START))
    assert [(len(batch.documents), batch.left) for batch in batches] == [(BATCH, 5), (5, 0)]
    texts = [document.text for batch in batches for document in batch.documents]
    assert texts == [f"m{n}" for n in range(BATCH + 5)]


def test_what_is_stored_while_the_feed_is_read_is_left_to_the_next_call(
    memory: Memory, records: SqliteDatabase
) -> None:
    """Otherwise a program that never stops writing is indexed message by message."""
    session = memory.sessions.create(key="k")
    memory.sessions.append(session.id, "user", "apple")
    feed, batches = OutboxSource(records), []
    for batch, _ in zip(feed.batches(START), range(3), strict=False):
        batches.append(batch)
        memory.sessions.append(session.id, "user", "bread")
    assert [(len(batch.documents), batch.left) for batch in batches] == [(1, 0)]
    assert feed.is_behind(batches[-1].cursor)


def test_a_message_that_changed_twice_comes_once(memory: Memory, records: SqliteDatabase) -> None:
    """In its last state; one that is not there any more is a removal."""
    session = memory.sessions.create(key="k")
    kept = memory.sessions.append(session.id, "user", "apple")

    def again(tx: Transaction) -> None:
        record_change(tx, tenant="local", kind="message", ref=kept.id, op="put", at=1)
        record_change(tx, tenant="local", kind="message", ref="gone", op="delete", at=1)
        record_change(tx, tenant="local", kind="session", ref="other", op="put", at=1)

    records.write(again)
    (batch,) = OutboxSource(records).batches(START)
    assert [document.ref for document in batch.documents] == [kept.id]
    assert batch.removals == (Removal(source="sessions", ref="gone", tenant="local"),)
