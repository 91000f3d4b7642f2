"""No gap but the recorded ones: a session with a message missing is an error, never shorter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.core.errors import StoreCorrupt
from recollect.core.scope import Scope
from recollect.sessions.mirror.mirror_lines import mirror_lines
from recollect.sessions.mirror.soundness import damage_of
from recollect.sessions.record.message_rows import (
    SELECT_MESSAGES,
    change_message,
    damaged_sessions,
    hash_of,
    remove_messages,
    sum_of,
)
from recollect.store.engine import Transaction
from tests.unit.sessions.home import Home
from tests.unit.store.old_records import fill_old_records

Read = Callable[[Home, str], object]

READS: dict[str, Read] = {
    "all": lambda home, id_: home.sessions.messages(id_),
    "newest": lambda home, id_: home.sessions.messages(id_, 40),
    "page": lambda home, id_: home.sessions.messages(id_, 40, after_seq=10),
    "before": lambda home, id_: home.sessions.messages(id_, 40, before_seq=51),
    "view": lambda home, id_: home.sessions.view(id_, budget_tokens=100_000),
    "fork": lambda home, id_: home.sessions.messages(home.sessions.fork(id_).id),
    "lines": lambda home, id_: list(mirror_lines(home.database, id_)),
}


def _talk(home: Home, messages: int = 50) -> str:
    session = home.sessions.create()
    home.sessions.append_many(session.id, [("user", f"word{n}") for n in range(messages)])
    return session.id


def _damage(home: Home, sql: Any, *params: Any) -> None:
    home.database.write(lambda tx: tx.execute(sql, params))


@pytest.mark.parametrize("read", READS)
def test_a_message_that_is_missing_is_an_error(home: Home, read: str) -> None:
    """In every way to read a session that passes over it."""
    session = _talk(home)
    assert READS[read](home, session)
    _damage(home, "DELETE FROM messages WHERE seq = 31")
    with pytest.raises(StoreCorrupt, match="missing"):
        READS[read](home, session)
    assert "1 sessions lack messages" in str(damage_of(home.database))


@pytest.mark.parametrize("read", ["all", "newest", "view", "fork", "lines"])
@pytest.mark.parametrize("seq", [1, 50])
def test_the_first_and_the_last_message_are_missed_too(home: Home, read: str, seq: int) -> None:
    """Nothing comes before or after them."""
    session = _talk(home, 50 if read != "newest" else 40)
    seq = min(seq, 40) if read == "newest" else seq
    _damage(home, "DELETE FROM messages WHERE seq = ?", seq)
    with pytest.raises(StoreCorrupt, match="missing"):
        READS[read](home, session)


@pytest.mark.parametrize("read", ["all", "newest", "view"])
def test_a_session_that_is_an_older_copy_of_itself_is_noticed(home: Home, read: str) -> None:
    """It has messages that it does not know of."""
    session = _talk(home)
    _damage(home, "UPDATE sessions SET last_seq = 45, message_count = 45")
    with pytest.raises(StoreCorrupt, match="missing"):
        READS[read](home, session)


def test_a_message_that_is_an_older_copy_of_itself_is_noticed(home: Home) -> None:
    """The row of a stream as it was before its end is sound; the digest of the session is not."""
    session = _talk(home, 3)
    stream = home.sessions.stream(session)
    with stream as reply:
        reply.add("one\n")
        reply.flush()
        (before,) = home.database.read(lambda tx: tx.all(SELECT_MESSAGES + "seq = 4"))
        reply.add("two\n")
    told = "UPDATE messages SET content = ?, text = ?, token_estimate = ?, metadata = ?,"
    cells = [before[column] for column in (9, 10, 11, 14, 20)]
    assert len(home.sessions.messages(session)) == 4
    _damage(home, f"{told} row_hash = ? WHERE seq = 4", *cells)
    with pytest.raises(StoreCorrupt, match="not what was stored"):
        home.sessions.messages(session)
    assert damage_of(home.database) is not None


@pytest.mark.parametrize("column", ["text", "role", "tenant", "created_at", "content", "name"])
def test_a_changed_cell_is_an_error_in_every_read(home: Home, column: str) -> None:
    """A row that seems to be another tenant's too."""
    session = _talk(home)
    value = 7 if column == "created_at" else '"x"' if column == "content" else "system"
    _damage(home, f"UPDATE messages SET {column} = ? WHERE seq = 31", value)  # noqa: S608
    for name, read in READS.items():
        if column != "tenant" or name != "lines":
            with pytest.raises(StoreCorrupt):
                read(home, session)


def test_what_was_removed_is_not_missing(home: Home) -> None:
    """Of neighbours one range is kept; a seq that is used again is none."""
    session = _talk(home)
    ids = [message.id for message in home.sessions.messages(session)]
    for part in (ids[9:12], ids[12:20], ids[30:31]):
        home.database.write(lambda tx, part=part: remove_messages(tx, "local", session, part))  # type: ignore[misc]  # bound
    rows = home.database.read(lambda tx: tx.all("SELECT first, last FROM removed_seqs"))
    assert rows == [(10, 20), (31, 31)]
    left = [*range(1, 10), *range(21, 31), *range(32, 51)]
    assert [message.seq for message in home.sessions.messages(session)] == left
    assert [message.seq for message in home.sessions.messages(session, 25)] == left[-25:]
    assert [m.seq for m in home.sessions.messages(session, 15, after_seq=5)] == left[5:20]
    assert len(list(mirror_lines(home.database, session))) == 1 + len(left)
    assert damage_of(home.database) is None
    _damage(home, "DELETE FROM messages WHERE seq = 9")
    with pytest.raises(StoreCorrupt, match="missing"):
        home.sessions.messages(session)


def test_a_row_outside_of_the_scope_is_not_missing(home: Home) -> None:
    """It is there, sound, and of another project than who asks may see."""
    session = home.sessions.create(project="/a")
    home.sessions.append_many(session.id, [("user", "x"), ("user", "y")])

    def unit(tx: Transaction) -> None:
        (row,) = tx.all(SELECT_MESSAGES + "seq = 1")
        moved = hash_of([*row[:4], "/b", *row[5:19]])
        change_message(tx, session.id, str(row[0]), "project = ?, row_hash = ?", ("/b", moved))

    home.database.write(unit)
    narrowed = home.sessions_of(Scope(project="/a")).messages(session.id)
    assert [message.text for message in narrowed] == ["y"]
    _damage(home, "UPDATE messages SET text = 'z' WHERE seq = 1")
    with pytest.raises(StoreCorrupt, match="missing"):
        home.sessions_of(Scope(project="/a")).messages(session.id)


Step = tuple[str, int, int]
STEPS = st.lists(
    st.tuples(st.sampled_from(["append", "many", "remove", "stream", "fork"]),
              st.integers(0, 6), st.integers(0, 40)),
    max_size=12,
)  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(STEPS)
def test_a_digest_is_the_sum_of_the_rows_whatever_happened(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    """Kept up step by step, it equals what the rows give in the end."""
    home = Home(tmp_path_factory.mktemp("home") / "home")
    try:
        sessions = [home.sessions.create().id]
        for what, number, place in steps:
            _step(home, sessions, what, number, place)
        for session in sessions:
            home.sessions.messages(session)
        rows = home.database.read(lambda tx: tx.all("SELECT id, digest FROM sessions"))
        for id_, digest in rows:
            kept = home.database.read(
                lambda tx, id_=id_: tx.all(  # type: ignore[misc]  # bound
                    "SELECT row_hash, number FROM messages WHERE session_id = ?", (id_,)
                )
            )
            assert digest == sum_of(kept)
        assert damage_of(home.database) is None
    finally:
        home.database.close()


def _step(home: Home, sessions: list[str], what: str, number: int, place: int) -> None:
    session = sessions[place % len(sessions)]
    if what == "append":
        home.sessions.append(session, "user", f"one {number}")
    elif what == "many":
        home.sessions.append_many(session, [("user", f"many {n}") for n in range(number)])
    elif what == "stream":
        with home.sessions.stream(session) as reply:
            for piece in range(number + 1):
                reply.add(f"line {piece}\n")
    elif what == "fork":
        sessions.append(home.sessions.fork(session).id)
    else:
        ids = [each.id for each in home.sessions.messages(session) if each.session_id == session]
        part = ids[place % 7 : place % 7 + number]
        home.database.write(lambda tx: remove_messages(tx, "local", session, part))


def test_gaps_of_an_older_recollect_stay_readable(tmp_path: Path) -> None:
    """The step takes the rows as they are; what goes after it is missed."""
    rows = fill_old_records(tmp_path / "home" / "records.db", 400, version=27)
    gone = [str(row[0]) for row in rows if row[5] == "s3" and row[6] in {1, 2, 7, 40}]
    _open_old(tmp_path / "home", gone)
    home = Home(tmp_path / "home")
    seqs = [message.seq for message in home.sessions.messages("s3")]
    assert seqs == [3, 4, 5, 6, *range(8, 40)]
    assert len(home.sessions.messages("s4")) == 40
    assert damage_of(home.database) is None
    _damage(home, "DELETE FROM messages WHERE session_id = 's3' AND seq = 9")
    with pytest.raises(StoreCorrupt, match="missing"):
        home.sessions.messages("s3")
    assert home.database.read(lambda tx: damaged_sessions(tx, "", 100)) == ("", ["s3"])
    home.database.close()


def _open_old(home: Path, gone: list[str]) -> None:
    import apsw  # noqa: TID251  # the older recollect that pruned these

    connection = apsw.Connection(str(home / "records.db"))
    connection.pragma("foreign_keys", 0)
    for id_ in gone:
        connection.execute("DELETE FROM tool_calls WHERE message_id = ?", (id_,))
        connection.execute("DELETE FROM messages WHERE id = ?", (id_,))
    connection.close()
