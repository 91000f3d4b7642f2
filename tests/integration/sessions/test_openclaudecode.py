"""The ten tests of the session manager in the design of OpenClaudeCode, done with our sessions.

Their names are those of its test strategy; a docstring says what is different here.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.audience.session_key import parse_key
from recollect.core.errors import InvalidInput
from recollect.memory import Memory

KEY = "telegram:5054873275"
HOUR_MS = 3_600_000


class HandClock:
    """Stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 1_770_724_800_000

    def now_ms(self) -> int:
        """Return the time that the test set."""
        return self.now


@pytest.fixture
def clock() -> HandClock:
    """A clock that the test moves."""
    return HandClock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the memory lies."""
    return tmp_path / "home"


@pytest.fixture
def memory(home: Path, clock: HandClock) -> Iterator[Memory]:
    """An empty memory without an embedder."""
    with _opened(home, clock) as opened:
        yield opened


def _opened(home: Path, clock: HandClock) -> Memory:
    return recollect.open(home, overrides={"embedding.provider": "none"}, clock=clock)


def _mirror(home: Path, session_id: str) -> list[dict[str, object]]:
    lines = (home / "transcripts" / f"{session_id}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_get_or_create_creates_new_session_for_unknown_user(memory: Memory) -> None:
    """`open` is its `getOrCreate`."""
    session = memory.sessions.open(KEY)
    assert (session.channel, session.user, session.last_seq) == (
        "telegram",
        "telegram:5054873275",
        0,
    )
    assert memory.sessions.list() == [session]


def test_get_or_create_returns_existing_session_for_known_user(
    memory: Memory, clock: HandClock
) -> None:
    """Within four hours of the last message; another user has another one."""
    session = memory.sessions.open(KEY)
    clock.now += 4 * HOUR_MS
    assert memory.sessions.open(KEY).id == session.id
    assert memory.sessions.open("telegram:7").id != session.id


def test_get_or_create_creates_new_session_when_old_one_is_stale(
    memory: Memory, clock: HandClock
) -> None:
    """The old one is named by the new one, and keeps its messages."""
    old = memory.sessions.open(KEY)
    memory.sessions.append(old.id, "user", "hello")
    clock.now += 4 * HOUR_MS + 1
    new = memory.sessions.open(KEY)
    assert (new.id != old.id, new.previous_id) == (True, old.id)
    assert len(memory.sessions.messages(old.id)) == 1


def test_append_message_writes_to_jsonl_transcript(home: Path, clock: HandClock) -> None:
    """The rows are the truth, the file is a copy of them."""
    with _opened(home, clock) as memory:
        session = memory.sessions.open(KEY)
        memory.sessions.append(session.id, "user", "Hello world", metadata={"from": "Mira"})
    head, message = _mirror(home, session.id)
    assert (head["type"], message["type"]) == ("session", "message")
    assert "Hello world" in json.dumps(message)


def test_load_transcript_reads_back_messages_in_order(home: Path, clock: HandClock) -> None:
    """Also in the next process, and when clocks went backwards between two messages."""
    said = [("user", "one"), ("assistant", "two"), ("user", "three")]
    with _opened(home, clock) as memory:
        session = memory.sessions.open(KEY)
        for role, text in said:
            memory.sessions.append(session.id, role, text, at=clock.now)
            clock.now -= HOUR_MS
    with _opened(home, clock) as memory:
        messages = memory.sessions.messages(session.id)
    assert [(message.role, message.text) for message in messages] == said
    assert [message.seq for message in messages] == [1, 2, 3]


def test_load_transcript_respects_limit_parameter(memory: Memory) -> None:
    """The newest so many, oldest of them first."""
    session = memory.sessions.open(KEY)
    memory.sessions.append_many(session.id, [("user", str(number)) for number in range(5)])
    assert [m.text for m in memory.sessions.messages(session.id, 2)] == ["3", "4"]
    assert memory.sessions.messages(session.id, 0) == []


def test_reset_session_creates_new_session_preserves_history(memory: Memory) -> None:
    """The count of compactions goes on, as its freshness section wants."""
    old = memory.sessions.open(KEY)
    memory.sessions.append_many(old.id, [("user", str(number)) for number in range(9)])
    memory.sessions.compact(old.id, keep_messages=2)
    new = memory.sessions.reset(KEY)
    assert (new.last_seq, new.previous_id, new.compaction_count) == (0, old.id, 1)
    assert memory.sessions.open(KEY).id == new.id
    assert len(memory.sessions.messages(old.id)) == 9


def test_compact_session_writes_compaction_event_removes_old_messages(
    home: Path, clock: HandClock
) -> None:
    """They are removed from the view; the rows stay, and the file gets a line of its own."""
    with _opened(home, clock) as memory:
        session = memory.sessions.open(KEY)
        said = [("user", f"We decided on tin number {number}.") for number in range(9)]
        memory.sessions.append_many(session.id, said)
        memory.sessions.compact(session.id, keep_messages=2)
        view = memory.sessions.view(session.id)
        assert (view.through_seq, len(view.messages)) == (7, 2)
        assert "tin number" in (view.summary or "")
        assert len(memory.sessions.messages(session.id)) == 9
        told = [record.event for record in memory.events.since()]
    assert "SessionCompacted" in {type(event).__name__ for event in told}
    kinds = [line["type"] for line in _mirror(home, session.id)]
    assert (kinds.count("message"), kinds.count("compaction")) == (9, 1)


def test_session_key_format_is_channel_and_user(memory: Memory) -> None:
    """The long form of OpenClaw, and those between, are keys too."""
    assert parse_key("Telegram:5054873275").text == KEY
    assert memory.sessions.open("Telegram:5054873275").key == KEY
    for bad in ("telegram:", ":5054873275", "a\x00:b"):
        with pytest.raises(InvalidInput):
            memory.sessions.open(bad)


def test_concurrent_access_safety_in_wal_mode(home: Path, clock: HandClock) -> None:
    """Two open memories, four threads: one session, every message once, no gap."""
    with _opened(home, clock) as first, _opened(home, clock) as second:
        ids: set[str] = set()

        def chat(memory: Memory, name: str) -> None:
            session = memory.sessions.open(KEY)
            ids.add(session.id)
            for number in range(25):
                memory.sessions.append(session.id, "user", f"{name} {number}")

        each = [(first, "a"), (second, "b"), (first, "c"), (second, "d")]
        threads = [threading.Thread(target=chat, args=given) for given in each]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        (session_id,) = ids
        messages = first.sessions.messages(session_id)
    assert [message.seq for message in messages] == list(range(1, 101))
    assert len({message.text for message in messages}) == 100
