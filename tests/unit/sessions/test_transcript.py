"""Transcripts: appending, reading in order, event ids, tool calls."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.core.errors import InvalidInput, StoreCorrupt
from recollect.core.events import MessagesAppended
from recollect.core.scope import Scope
from recollect.sessions.record.content import TextBlock, ToolUseBlock
from recollect.sessions.record.draft import MAX_CONTENT_BYTES
from recollect.sessions.record.message_rows import (
    SELECT_MESSAGES,
    damaged_messages,
    is_sound,
    message_of,
)
from recollect.sessions.record.session import _BY_KEY as BY_KEY
from recollect.sessions.sessions import Sessions
from recollect.store.columns import blob
from recollect.store.engine import Transaction
from recollect.store.journal import events_since
from recollect.store.row_hash import row_hash
from tests.unit.sessions.home import NOON, Home, WordRedactor


def test_a_text_becomes_a_message(sessions: Sessions) -> None:
    """DESIGN 7: id, seq, role, name, content, text, created_at, metadata."""
    session = sessions.create(key="telegram:42", project="/p")
    message = sessions.append(session.id, "user", "绿茶 please", name="Ana", metadata={"n": 1})
    assert (message.seq, message.role, message.name) == (1, "user", "Ana")
    assert message.blocks == (TextBlock(text="绿茶 please"),)
    assert (message.text, message.created_at, message.recorded_at) == ("绿茶 please", NOON, NOON)
    assert (message.metadata, message.user, message.project) == ({"n": 1}, "telegram:42", "/p")
    assert sessions.message(message.id) == message
    assert sessions.messages(session.id) == [message]


def test_blocks_read_back_as_they_were(sessions: Sessions) -> None:
    """Tool input and unknown blocks included."""
    session = sessions.create()
    message = sessions.append(
        session.id,
        "assistant",
        [
            "Looking.",
            ToolUseBlock(id="t1", name="Bash", input={"command": "ls"}),
            {"type": "document", "title": "Lease", "pages": [1, 2]},
        ],
    )
    assert message.text == "Looking.\nBash: command=ls\nLease"
    assert sessions.message(message.id) == message


def test_counters_and_time_of_the_session_follow(home: Home) -> None:
    """A time in the future does not make a session the latest for ever."""
    session = home.sessions.create()
    home.sessions.append(session.id, "user", "later", at=NOON + 10**9)
    now = home.sessions.get(session.id)
    assert (now.message_count, now.last_seq, now.updated_at) == (1, 1, NOON)
    home.clock.now += 5
    home.sessions.append_many(session.id, [("user", "a"), ("user", "b")])
    home.sessions.append(session.id, "user", "older", at=datetime(2020, 1, 1, tzinfo=UTC))
    now = home.sessions.get(session.id)
    assert (now.message_count, now.last_seq, now.updated_at) == (4, 4, NOON + 5)


def test_time_may_go_backwards_and_the_order_stays(sessions: Sessions) -> None:
    """The order of a transcript is the order of storing."""
    session = sessions.create()
    for at in (3_000, 1_000, 2_000):
        sessions.append(session.id, "user", str(at), at=at)
    assert [m.created_at for m in sessions.messages(session.id)] == [3_000, 1_000, 2_000]


def test_windows_of_a_transcript(sessions: Sessions) -> None:
    """A limit takes the newest; behind a seq it takes the first."""
    session = sessions.create()
    sessions.append_many(session.id, [("user", str(n)) for n in range(1, 11)])

    def seqs(limit: int | None = None, **more: Any) -> list[int]:
        return [message.seq for message in sessions.messages(session.id, limit, **more)]

    assert seqs() == list(range(1, 11))
    assert seqs(3) == [8, 9, 10]
    assert seqs(0) == []
    assert seqs(3, before_seq=6) == [3, 4, 5]
    assert seqs(3, after_seq=4) == [5, 6, 7]
    assert seqs(after_seq=4, before_seq=7) == [5, 6]
    with pytest.raises(InvalidInput):
        seqs(-1)


def test_many_messages_are_one_transaction(home: Home) -> None:
    """All of them or none; the error tells which one it was."""
    session = home.sessions.create()
    good = {"role": "assistant", "content": "ok", "name": "Bo", "at": 5, "event_id": "e"}
    stored = home.sessions.append_many(session.id, [("user", "hi"), good])
    assert [(m.seq, m.role, m.name, m.created_at) for m in stored] == [
        (1, "user", None, NOON),
        (2, "assistant", "Bo", 5),
    ]
    with pytest.raises(InvalidInput) as caught:
        home.sessions.append_many(session.id, [("user", "kept?"), ("wizard", "x")])
    assert caught.value.facts["item"] == 1
    assert home.sessions.messages(session.id) == stored
    assert home.sessions.append_many(session.id, iter(())) == []


@pytest.mark.parametrize(
    ("item", "hint"),
    [
        ({"role": "user", "content": "x", "nmae": "y"}, "name"),
        ({"role": "user"}, "content"),
        (("user", "x", "y"), "Pass"),
        ("user", "Pass"),
        (("asistant", "x"), "Did you mean assistant"),
        (("user", 42), "block"),
    ],
)
def test_an_unusable_item_is_refused_with_a_hint(
    sessions: Sessions,
    item: Any,
    hint: str,
) -> None:
    """Misspelt names are shown with the nearest one."""
    session = sessions.create()
    with pytest.raises(InvalidInput) as caught:
        sessions.append_many(session.id, [item])
    assert hint in caught.value.hint
    assert caught.value.facts["item"] == 0


def test_the_same_event_id_is_stored_once(sessions: Sessions) -> None:
    """Whoever does not know whether it was stored asks again."""
    session = sessions.create()
    first = sessions.append(session.id, "user", "hello", event_id="e1")
    assert sessions.append(session.id, "user", "another text", event_id="e1") == first
    again = sessions.append_many(
        session.id,
        [
            {"role": "user", "content": "x", "event_id": "e1"},
            {"role": "user", "content": "new", "event_id": "e2"},
            {"role": "user", "content": "twice in a batch", "event_id": "e2"},
        ],
    )
    assert [m.seq for m in again] == [1, 2, 2]
    assert [m.text for m in sessions.messages(session.id)] == ["hello", "new"]


@pytest.mark.parametrize("event_id", ["", "a\nb", "x" * 600, 7, "\ud800"])
def test_an_event_id_is_a_printable_text(sessions: Sessions, event_id: Any) -> None:
    """It is an id, not a payload."""
    session = sessions.create()
    with pytest.raises(InvalidInput):
        sessions.append(session.id, "user", "x", event_id=event_id)


@pytest.mark.parametrize("at", ["now", 1.5, True, -1, 10**15])
def test_a_time_is_ms_or_datetime(sessions: Sessions, at: Any) -> None:
    """Between 1970 and 9999."""
    session = sessions.create()
    with pytest.raises(InvalidInput):
        sessions.append(session.id, "user", "x", at=at)


def test_ten_megabytes_are_a_message_and_seventeen_are_not(sessions: Sessions) -> None:
    """A clear error above the limit, whatever the shape."""
    session = sessions.create()
    long = "x" * (10 * 1024 * 1024)
    assert sessions.append(session.id, "tool", long).text == long
    for content in ("x" * (MAX_CONTENT_BYTES + 1), [{"type": "x", "v": "é" * MAX_CONTENT_BYTES}]):
        with pytest.raises(InvalidInput):
            sessions.append(session.id, "tool", content)
    assert len(sessions.messages(session.id)) == 1


def test_content_that_is_nested_without_end_is_refused(sessions: Sessions) -> None:
    """Not with an overflow of the stack: thousands of levels are nobody's message."""
    content: Any = []
    for _ in range(50_000):
        content = [content]
    with pytest.raises(InvalidInput, match="nested deeper"):
        sessions.append(sessions.create().id, "user", content)


def test_what_cannot_be_stored_is_replaced_and_told(sessions: Sessions) -> None:
    """Half a surrogate pair, NUL and bytes that are no UTF-8 never crash it."""
    session = sessions.create()
    message = sessions.append(session.id, "user", "a\x00b\ud83d", name="\ud800n", metadata={"k": 1})
    assert (message.text, message.name) == ("a\ufffdb\ufffd", "\ufffdn")
    assert message.metadata == {"k": 1, "replaced_characters": 3}
    assert sessions.append(session.id, "user", b"caf\xe9").text == "caf\ufffd"
    assert sessions.messages(session.id)[0] == message


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["user", "assistant", "system", "tool"]),
            st.text(st.characters(codec=None)) | st.binary(),
        ),
        max_size=5,
    )
)
def test_any_text_reads_back_as_it_was_returned(
    sessions: Sessions, items: list[tuple[str, str]]
) -> None:
    """What append_many returned is what messages returns."""
    session = sessions.create()
    assert sessions.append_many(session.id, items) == sessions.messages(session.id)


def test_secrets_are_taken_out_before_anything_is_stored(tmp_path: Path) -> None:
    """Texts, blocks, tool input and output, names, titles and metadata."""
    home = Home(tmp_path / "home", WordRedactor())
    session = home.sessions.create(title="my hunter2", metadata={"x": ["hunter2"]})
    home.sessions.append(session.id, "user", "it is hunter2", name="hunter2")
    home.sessions.append(
        session.id,
        "assistant",
        [
            {"type": "text", "text": "hunter2"},
            {"type": "thinking", "thinking": "hunter2"},
            {"type": "image", "alt": "hunter2", "url": "https://x/?k=hunter2"},
            {"type": "tool_use", "id": "t", "name": "f", "input": {"password": "s3", "q": "a"}},
            {"type": "other-kind", "deep": {"er": "hunter2"}},
        ],
        metadata={"password": "s3"},
    )
    home.sessions.append(
        session.id, "tool", [{"type": "tool_result", "tool_use_id": "t", "content": "hunter2"}]
    )
    assert home.sessions.tool_calls(session.id)[0].input == {"password": "[redacted]", "q": "a"}
    home.mirror.notify()
    home.close()
    stored = b"".join(path.read_bytes() for path in home.path.rglob("*") if path.is_file())
    assert b"it is [redacted]" in stored
    assert b"hunter2" not in stored
    assert b'"s3"' not in stored


def test_tool_calls_join_what_was_asked_and_answered(home: Home) -> None:
    """Call and result come in different messages."""
    session = home.sessions.create(key="agent:main:telegram:acc:direct:42")
    asked = home.sessions.append(
        session.id,
        "assistant",
        [
            {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a"}},
            {"type": "tool_use", "id": "t2", "name": "Bash", "input": {}},
        ],
        at=1_000,
    )
    answered = home.sessions.append(
        session.id,
        "tool",
        [{"type": "tool_result", "tool_use_id": "t1", "content": "x" * 20_000, "is_error": True}],
        at=2_000,
    )
    first, second = home.sessions.tool_calls(session.id)
    assert (first.tool_name, first.input, first.call_id) == ("Read", {"path": "a"}, "t1")
    assert (first.message_id, first.result_id) == (asked.id, answered.id)
    assert (first.is_error, first.created_at, first.finished_at) == (True, 1_000, 2_000)
    assert first.result_text == "x" * 16_384
    assert (second.tool_name, second.result_id, second.finished_at) == ("Bash", None, None)


def test_results_without_calls_are_kept(sessions: Sessions) -> None:
    """In the wrong order, without id, or as plain text of a tool."""
    session = sessions.create()
    sessions.append_many(
        session.id,
        [
            ("tool", [{"type": "tool_result", "tool_use_id": "late", "content": "out"}]),
            ("assistant", [{"type": "tool_use", "id": "late", "name": "Glob"}]),
            ("tool", [{"type": "tool_result", "content": "nameless"}]),
            {"role": "tool", "content": "plain", "name": "weather"},
            ("tool", []),
        ],
    )
    calls = {(call.tool_name, call.result_text) for call in sessions.tool_calls(session.id)}
    assert calls == {("Glob", "out"), ("unknown", "nameless"), ("weather", "plain")}


def test_message_change_and_event_are_one_commit(home: Home) -> None:
    """The index learns of every message, the journal of every batch."""
    session = home.sessions.create()
    messages = home.sessions.append_many(session.id, [("user", "a"), ("user", "b")])
    sql = "SELECT kind, ref, op, at FROM changes ORDER BY seq"
    assert home.database.read(lambda tx: tx.all(sql)) == [
        ("message", message.id, "put", NOON) for message in messages
    ]
    events = home.database.read(lambda tx: events_since(tx, 0))
    assert events[-1].event == MessagesAppended(
        scope=Scope(session=session.id), at=NOON, first_seq=1, count=2
    )


def test_every_row_carries_its_hash(home: Home) -> None:
    """Of all its columns; one that is stored another way is noticed."""
    session = home.sessions.create()
    home.sessions.append(session.id, "user", "x", event_id="e", metadata={"a": 1})
    home.sessions.append(session.id, "user", "y", sender="telegram:42")

    for row in home.database.read(lambda tx: tx.all(SELECT_MESSAGES + "1 ORDER BY seq")):
        assert is_sound(row)
        for column, cell in enumerate(row[:20]):
            other = 7 if isinstance(cell, int) else "x9" if cell is None else f"{cell!r}z"
            assert not is_sound((*row[:column], other, *row[column + 1 :]))


def test_rows_of_before_keep_the_hash_that_they_have(home: Home) -> None:
    """They are 16 bytes long, and of a row without senders as they were first."""
    session = home.sessions.create()
    home.sessions.append(session.id, "user", "x")
    home.sessions.append(session.id, "user", "y", sender="telegram:42")

    def unit(tx: Transaction) -> None:
        for row, said in zip(tx.all(SELECT_MESSAGES + "1 ORDER BY seq"), (17, 19), strict=True):
            tx.execute(
                "UPDATE messages SET row_hash = ? WHERE id = ?", (row_hash(row[:said]), row[0])
            )

    home.database.write(unit)
    rows = home.database.read(lambda tx: tx.all(SELECT_MESSAGES + "1"))
    assert [len(blob(row[20])) for row in rows] == [16, 16]
    assert [message_of(row).text for row in rows] == ["x", "y"]
    assert not any(is_sound((*row[:10], "z", *row[11:])) for row in rows)


def test_a_damaged_row_is_noticed(home: Home) -> None:
    """Reading it by id fails loudly; the doctor finds all of them, page by page."""
    session = home.sessions.create()
    stored = home.sessions.append_many(session.id, [("user", str(n)) for n in range(5)])
    change = "UPDATE messages SET text = 'flipped' WHERE seq = 4"
    home.database.write(lambda tx: tx.execute(change))
    with pytest.raises(StoreCorrupt) as caught:
        home.sessions.message(stored[3].id)
    assert caught.value.facts["id"] == stored[3].id
    place, found = "", list[str]()
    for _ in range(3):
        place, damaged = home.database.read(
            lambda tx, after=place: damaged_messages(tx, after, 2)  # type: ignore[misc]  # bound
        )
        found += damaged
    assert (place, found) == ("", [stored[3].id])


def test_threads_hand_out_seqs_without_gaps(home: Home) -> None:
    """Single messages and batches from eight threads at once."""
    session = home.sessions.create()

    def work(number: int) -> None:
        for turn in range(5):
            home.sessions.append(session.id, "user", f"{number}.{turn}")
            home.sessions.append_many(session.id, [("assistant", f"{number}.{turn}")] * 3)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    messages = home.sessions.messages(session.id)
    assert [message.seq for message in messages] == list(range(1, 8 * 5 * 4 + 1))
    assert home.sessions.get(session.id).last_seq == len(messages)


def test_the_hot_queries_use_their_indexes(home: Home) -> None:
    """A scan of all sessions or messages would be slow at a million rows."""

    def plans(tx: Any) -> list[str]:
        queries = (
            "SELECT id FROM sessions WHERE tenant = ? AND source = ? AND foreign_id = ?"
            " ORDER BY updated_at DESC, id DESC LIMIT 1",
            BY_KEY + "tenant = ? AND key = ? AND status = ?"
            " ORDER BY updated_at DESC, id DESC LIMIT 1",
            "SELECT id FROM messages WHERE tenant = ? AND session_id = ? AND seq > ?"
            " ORDER BY seq LIMIT 5",
            "SELECT 1 FROM messages WHERE event_id IN (?, ?, ?) LIMIT 1",
        )
        return [
            "; ".join(str(row[3]) for row in tx.rows("EXPLAIN QUERY PLAN " + query, ["x"] * n))
            for query, n in zip(queries, (3, 3, 3, 3), strict=True)
        ]

    found = home.database.read(plans)
    assert "source=? AND foreign_id=?" in found[0]
    assert "key=?" in found[1]
    assert "session_id=? AND seq>?" in found[2]
    assert "messages_by_event (event_id=?)" in found[3]
