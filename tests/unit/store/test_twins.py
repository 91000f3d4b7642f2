"""A table and its twins answer alike, or a page of one of them is damaged."""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, LiteralString

import apsw
import pytest

import recollect
from recollect.core.clock import SystemClock
from recollect.core.errors import NotFound, StoreCorrupt
from recollect.core.settings import StoreSettings
from recollect.store.sqlite.database import SqliteDatabase, open_records
from recollect.store.twins import TWINS, compared_rows

OPTIONS: dict[str, Any] = {"live": False, "overrides": {"embedding.provider": "none"}}
PAGE = 4096
PAUSES: LiteralString = "FROM pauses INDEXED BY pauses_twin WHERE tenant = ? ORDER BY id"
ADD: LiteralString = "INSERT INTO pauses (tenant, since, until) VALUES ('local', ?, 9)"


@pytest.fixture
def records(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """Empty records."""
    database = open_records(tmp_path / "home", StoreSettings(), SystemClock())
    yield database
    database.close()


def test_rows_that_agree_are_returned(records: SqliteDatabase) -> None:
    """In the order of the statement; with a key only that is asked of the twin."""
    for since in (1, 2):
        records.write(lambda tx, since=since: tx.execute(ADD, (since,)))  # type: ignore[misc]
    for key in ("", "id"):
        rows = records.read(
            lambda tx, key=key: compared_rows(tx, "id, since", PAUSES, ("local",), key=key)  # type: ignore[misc]
        )
        assert rows == [(1, 1), (2, 2)]


def test_every_twin_of_the_schema_has_a_way_that_does_not_use_it(records: SqliteDatabase) -> None:
    """A WITHOUT ROWID table would be read from it in spite of NOT INDEXED."""
    schema = (files("recollect.store") / "migrations/records/schema.sql").read_text("utf-8")
    twins = [line.split() for line in schema.splitlines() if "_twin" in line]
    assert {words[2] for words in twins} - {"events_twin"} == TWINS.keys()
    for name, table in ((words[2], words[4]) for words in twins if words[2] in TWINS):
        plan = f"EXPLAIN QUERY PLAN SELECT * FROM {table} {TWINS[name]}"  # noqa: S608
        steps = records.read(lambda tx, plan=plan: tx.all(plan))  # type: ignore[misc]
        assert not any(name in str(step[3]) for step in steps)


def _pages_of(path: Path, name: str) -> list[int]:
    connection = apsw.Connection(str(path))
    rows = connection.execute("SELECT pageno FROM dbstat WHERE name = ?", (name,)).fetchall()
    connection.close()
    return [int(str(number)) - 1 for (number,) in rows]


QUESTIONS: dict[str, Any] = {
    "observations": lambda memory, _: memory.observations.list(limit=9),
    "by number": lambda memory, _: memory.observations.get(["#1", "#2"]),
    "numbers": lambda memory, _: memory.observations.numbers(),
    "timeline": lambda memory, _: memory.observations.timeline("#2"),
    "sessions": lambda memory, _: memory.sessions.list(limit=2),
    "session": lambda memory, session: memory.sessions.get(session),
    "projects": lambda memory, _: memory.projects.list(),
    "counts": lambda memory, _: memory.counts(),
}


def _tables_of(path: Path) -> list[str]:
    connection = apsw.Connection(str(path))
    rows = connection.execute(
        "SELECT name FROM sqlite_schema WHERE tbl_name IN ('observations', 'sessions', 'messages')"
    ).fetchall()
    connection.close()
    return [str(name) for (name,) in rows]


def test_an_older_or_changed_page_is_never_another_answer(tmp_path: Path) -> None:
    """Each page of three tables and of their indexes, as it was before, and with a bit flipped."""
    by = random.Random(5)
    path = tmp_path / "records.db"
    with recollect.open(tmp_path, **OPTIONS) as memory:
        session = memory.sessions.create(project="/srv/kiln", title="kilns").id
        memory.observations.record(session, summary="we fire the kiln at dawn")
    old = path.read_bytes()
    with recollect.open(tmp_path, **OPTIONS) as memory:
        memory.observations.record(session, summary="we open the gate at noon")
        memory.sessions.append(session, "user", "is the gate open?")
        memory.sessions.create(project="/srv/loom", title="looms")
        truth = {name: ask(memory, session) for name, ask in QUESTIONS.items()}
    now = path.read_bytes()
    refused = 0
    for page in {page for name in _tables_of(path) for page in _pages_of(path, name)}:
        span = slice(page * PAGE, (page + 1) * PAGE)
        older = old[span] if len(old) >= span.stop else bytes(PAGE)
        flipped = bytearray(now[span])
        flipped[by.randrange(PAGE // 2, PAGE)] ^= 1 << by.randrange(8)
        for changed in (older, bytes(flipped)):
            path.write_bytes(now[: span.start] + changed + now[span.stop :])
            refused += _refused(tmp_path, session, truth)
    assert refused > len(QUESTIONS)


def _refused(home: Path, session: str, truth: dict[str, object]) -> int:
    """Return how many questions were refused; each of the others has its true answer."""
    refused = 0
    try:
        with recollect.open(home, **OPTIONS) as memory:
            for name, ask in QUESTIONS.items():
                try:
                    assert ask(memory, session) == truth[name]
                except (StoreCorrupt, NotFound):
                    refused += 1
    except StoreCorrupt:
        return 1
    return refused


@pytest.mark.parametrize("index", [1, 2])
def test_an_observation_that_an_index_lost_is_not_taken_for_missing(
    tmp_path: Path, index: int
) -> None:
    """It is asked for by its id, and by its number."""
    path = tmp_path / "records.db"
    with recollect.open(tmp_path, **OPTIONS) as memory:
        session = memory.sessions.create().id
    (page,) = _pages_of(path, f"sqlite_autoindex_observations_{index}")
    empty = path.read_bytes()[page * PAGE : (page + 1) * PAGE]
    with recollect.open(tmp_path, **OPTIONS) as memory:
        observation = memory.observations.record(session, summary="we fire the kiln at dawn")
    now = path.read_bytes()
    path.write_bytes(now[: page * PAGE] + empty + now[(page + 1) * PAGE :])
    with recollect.open(tmp_path, **OPTIONS) as memory:
        for name in (observation.id, "#1"):
            try:
                assert memory.observations.get(name).found[0].id == observation.id
            except StoreCorrupt:
                continue
        with pytest.raises(StoreCorrupt):
            memory.observations.get(observation.id if index == 1 else "#1")
        assert memory.observations.get("#9").missing == ("#9",)


@pytest.mark.parametrize("index", ["sqlite_autoindex_messages_1", "sqlite_autoindex_sessions_1"])
def test_what_an_index_lost_is_no_shorter_answer(tmp_path: Path, index: str) -> None:
    """Of lines of messages, and of a session by its id."""
    path = tmp_path / "records.db"
    with recollect.open(tmp_path, **OPTIONS) as memory:
        memory.sync()
    (page,) = _pages_of(path, index)
    empty = path.read_bytes()[page * PAGE : (page + 1) * PAGE]
    with recollect.open(tmp_path, **OPTIONS) as memory:
        session = memory.sessions.create().id
        memory.sessions.append(session, "user", "we fire the kiln at dawn")
        memory.sync()
        result = memory.search("kiln")
    now = path.read_bytes()
    path.write_bytes(now[: page * PAGE] + empty + now[(page + 1) * PAGE :])
    with recollect.open(tmp_path, **OPTIONS) as memory:
        with pytest.raises(StoreCorrupt):
            memory.lines(result)
        if index.endswith("sessions_1"):
            with pytest.raises(StoreCorrupt):
                memory.sessions.get(session)
