"""The stored links: what is updated equals what is derived from nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.core.clock import SystemClock
from recollect.core.errors import InvalidInput
from recollect.knowledge.replacement import MessageSpan, ReplacementLink, Said, derive
from recollect.knowledge.replacements import chain_of, link, links_at, unlink, update_stated
from recollect.knowledge.stated import StatedRow, of_messages
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import SqliteDatabase, open_database
from recollect.store.sqlite.home import RECORDS_ID
from recollect.store.sqlite.schema import load_schema

TENANT = "t"
ROLES = ("user", "user", "assistant")


def said(number: int, slot: int = 1, value: int = 0, **changes: object) -> Said:
    """Return a statement of the message with a number, which is its time too."""
    fields: dict[str, object] = {
        "message": f"m{number:03}", "start": 0, "end": 9, "at": number, "session": "s",
        "seq": number, "audience": 1, "slot": slot, "value": value,
    }  # fmt: skip
    return Said(**(fields | changes))  # type: ignore[arg-type]


@pytest.fixture
def records() -> Iterator[SqliteDatabase]:
    """An empty records.db."""
    with TemporaryDirectory() as folder:
        schema = load_schema("records", RECORDS_ID, keep_backup=False)
        database = open_database(Path(folder) / "records.db", schema, Tuning(), SystemClock())
        yield database
        database.close()


def empty(tx: Transaction) -> None:
    """Remove all rows."""
    tx.execute("DELETE FROM stated")
    tx.execute("DELETE FROM replacements")


def say(tx: Transaction, statements: Sequence[Said] = (), gone: tuple[str, ...] = ()) -> None:
    """Store statements; messages that are gone state nothing."""
    changed: dict[str, list[StatedRow]] = {name: [] for name in gone}
    for each in statements:
        row = StatedRow(tenant=TENANT, said=each)
        changed.setdefault(each.message, []).append(row)
    update_stated(tx, changed, TENANT, 1)


def everything(tx: Transaction) -> tuple[list[Said], list[ReplacementLink]]:
    """Return all that is stated, and all links."""
    names = typed_rows(tx.all("SELECT DISTINCT message_id FROM stated"), tuple[str])
    stated = of_messages(tx, (name for (name,) in names))
    times = typed_rows(tx.all("SELECT DISTINCT older_at FROM replacements"), tuple[int])
    links = links_at(tx, TENANT, (at for (at,) in times))
    return stated, sorted(links)


MESSAGES = st.lists(
    st.builds(
        said,
        st.just(0),
        st.sampled_from([0, 1, 2, 3]),
        st.sampled_from([0, 20, 21, 22]),
        start=st.integers(0, 2),
        audience=st.integers(1, 2),
        arity=st.sampled_from(["one", "many", "open"]),
        value_type=st.sampled_from(["name", "text"]),
        loses=st.lists(st.integers(20, 22), max_size=1).map(tuple),
        is_change=st.booleans(),
    ),
    max_size=2,
    unique_by=lambda each: each.start,
)
STEPS = st.lists(st.tuples(st.integers(1, 7), MESSAGES), max_size=14)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(STEPS)
def test_any_order_of_changes_equals_deriving_from_nothing(
    records: SqliteDatabase, steps: list[tuple[int, list[Said]]]
) -> None:
    """Any order of changes equals deriving from nothing."""
    records.write(empty)
    for number, message in steps:
        where = {"message": f"m{number:03}", "at": number, "seq": number, "role": ROLES[number % 3]}
        placed = [msgspec.structs.replace(each, **where) for each in message]
        records.write(partial(say, statements=placed, gone=(f"m{number:03}",)))
    stated, links = records.read(everything)
    assert links == [each for each in derive(stated) if not each.is_flagged]


def test_erasing_the_middle_of_a_chain_reopens_it(records: SqliteDatabase) -> None:
    """Erasing the middle of a chain reopens it."""
    a, b, c = (said(n, value=20 + n) for n in (1, 2, 3))
    records.write(lambda tx: say(tx, [c, a]))
    records.write(lambda tx: say(tx, [b]))
    newest = records.read(lambda tx: [e.newer for e in chain_of(tx, MessageSpan.of(a))])
    assert newest == [MessageSpan.of(b), MessageSpan.of(c)]
    records.write(lambda tx: say(tx, gone=("m002",)))
    assert records.read(lambda tx: [e.newer for e in chain_of(tx, MessageSpan.of(a))]) == [
        MessageSpan.of(c)
    ]
    records.write(lambda tx: say(tx, gone=("m003",)))
    assert records.read(lambda tx: chain_of(tx, MessageSpan.of(a))) == []


def test_what_is_undone_by_hand_stays_undone(records: SqliteDatabase) -> None:
    """What is undone by hand stays undone."""
    a, b, c = (said(n, value=20 + n) for n in (1, 2, 3))
    records.write(lambda tx: say(tx, [a, b]))
    records.write(lambda tx: unlink(tx, TENANT, a, b))
    records.write(lambda tx: say(tx, [c]))
    assert records.read(lambda tx: chain_of(tx, MessageSpan.of(a))) == []
    records.write(lambda tx: link(tx, TENANT, a, b))
    assert records.read(lambda tx: [e.newer for e in chain_of(tx, MessageSpan.of(a))]) == [
        MessageSpan.of(b), MessageSpan.of(c),
    ]  # fmt: skip


def test_cycles_are_refused(records: SqliteDatabase) -> None:
    """Cycles are refused."""
    a, b = (said(n, value=20 + n) for n in (1, 2))
    records.write(lambda tx: say(tx, [a, b]))
    with pytest.raises(InvalidInput):
        records.write(lambda tx: link(tx, TENANT, b, a))
    with pytest.raises(InvalidInput):
        records.write(lambda tx: link(tx, TENANT, a, a))
    assert len(records.read(everything)[1]) == 1
