"""A round trip: what was exported, imported and exported again is the same."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.core.clock import DAY_MS
from recollect.memory import Memory
from tests.unit.exchange.documents import exported, opened, records, written

KEYS = (None, "agent:main:main", "agent:main:telegram:acc:direct:42", "agent:main:slack:group:g1")
TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(["token = sk-ant-api03-" + "q7XzR2mK" * 6, "tea\n\nand milk", "é\u2028\x00"]),
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("new"), st.sampled_from(KEYS), st.sampled_from([None, "/p/tea"])),
        st.tuples(st.just("say"), st.integers(0, 9), TEXTS),
        st.tuples(st.just("tool"), st.integers(0, 9), st.integers(0, 3)),
        st.tuples(st.just("fork"), st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.just("observe"), st.integers(0, 9), st.integers(0, 40_000)),
        st.tuples(st.just("forget"), st.integers(0, 9)),
        st.tuples(st.just("end"), st.integers(0, 9)),
        st.tuples(st.just("compact"), st.integers(0, 9)),
        st.tuples(st.just("status"), st.integers(0, 9), st.sampled_from(["archived", "deleted"])),
        st.tuples(st.just("prune"), st.integers(1, 3)),
        st.tuples(st.just("merge"), st.integers(0, 9)),
    ),
    min_size=3,
    max_size=25,
)


class History:
    """Lets things happen in a memory."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.count = 0

    def take(self, step: tuple[Any, ...]) -> None:
        """Let one thing happen, where it can."""
        sessions = self.memory.sessions
        known = sorted(sessions.list(), key=lambda each: each.id)
        self.count += 1
        if step[0] == "new":
            sessions.create(key=step[1], project=step[2], title=f"talk {self.count}")
        elif step[0] == "prune":
            self.memory.prune()
        elif step[0] == "merge":
            self.memory.projects.alias(f"/p/other{step[1] % 3}", "tea")
        elif known:
            getattr(self, step[0])(known[step[1] % len(known)], *step[2:])

    def say(self, session: Any, words: str) -> None:
        """Say something, with what programs add."""
        facts = {"usage": {"input": 3, "output": 1}, "model": "m"} if self.count % 2 else {}
        self.memory.sessions.append(
            session.id, "user", words, event_id=f"e{self.count}", metadata=facts, name="Ann"
        )

    def tool(self, session: Any, call: int) -> None:
        """Use a tool."""
        blocks = [{"type": "tool_use", "id": f"c{call}", "name": "Bash", "input": {"x": call}}]
        result = [{"type": "tool_result", "tool_use_id": f"c{call}", "content": "done"}]
        self.memory.sessions.append_many(session.id, [("assistant", blocks), ("tool", result)])

    def fork(self, session: Any, back: int) -> None:
        """Fork a session somewhere."""
        seq = max(session.pruned_seq, session.last_seq - back)
        self.memory.sessions.fork(session.id, seq)

    def observe(self, session: Any, size: int) -> None:
        """Record what an agent did."""
        self.memory.observations.record(
            session.id, "Read", input={"path": f"/a{size % 5}"}, output="é" * size, event="tool"
        )

    def forget(self, session: Any) -> None:
        """Take an observation out."""
        for each in self.memory.observations.list(session_id=session.id, limit=1):
            self.memory.observations.forget(f"#{each.number}")

    def end(self, session: Any) -> None:
        """End a session."""
        self.memory.sessions.end(session.id)

    def compact(self, session: Any) -> None:
        """Compact a session."""
        if session.last_seq > 2:
            self.memory.sessions.compact(session.id)

    def status(self, session: Any, status: str) -> None:
        """Give a session another status."""
        self.memory.sessions.set_status(session.id, status)


SUMMARY_OF_SHARED: list[tuple[Any, ...]] = [
    ("new", None, None),
    ("say", 0, "0"),
    ("tool", 0, 0),
    ("fork", 0, 0),
    ("compact", 1),
]
"""A fork without messages of its own, whose summary covers messages of the session above."""


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(STEPS)
@example(SUMMARY_OF_SHARED)
def test_a_round_trip_gives_equal_records(steps: list[tuple[Any, ...]]) -> None:
    """Whatever happened: ids, numbers, seqs, times, links, payloads, projects."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        caps = {"sessions.retention.max_messages": 6, "sessions.context.keep_messages": 1}
        with opened(root / "one", caps) as memory:
            history = History(memory)
            for step in steps:
                history.take(step)
            before = exported(memory)
        document = written(root / "x.jsonl", before)
        with opened(root / "two") as memory:
            plan = memory.import_export(document, dry_run=True)
            assert exported(memory)[1:-1] == []
            report = memory.import_export(document)
            assert (plan.added, plan.known, plan.left_out) == (report.added, report.known, {})
            after = exported(memory)
            again = memory.import_export(document)
            assert again.added == {}
            assert exported(memory)[1:-1] == after[1:-1]
        assert records(after) == records(before)


def test_what_was_pruned_and_how_old_it_is_stay_as_they_were(tmp_path: Path) -> None:
    """A session whose beginning was removed begins there in the other home, too."""
    with opened(tmp_path / "one", {"sessions.retention.max_messages": 2}) as memory:
        session = memory.sessions.create(title="old")
        now = session.created_at
        for n in range(6):
            memory.sessions.append(session.id, "user", f"word{n}", at=now - (9 - n) * DAY_MS)
        memory.prune()
        document = written(tmp_path / "x.jsonl", exported(memory))
        seqs = [message.seq for message in memory.sessions.messages(session.id)]
        before = memory.sessions.get(session.id)
    with opened(tmp_path / "two") as memory:
        memory.import_export(document)
        assert [message.seq for message in memory.sessions.messages(session.id)] == seqs == [5, 6]
        assert memory.sessions.get(session.id) == before
        assert memory.sessions.append(session.id, "user", "more").seq == 7


def test_what_came_in_is_found_and_can_go_on(tmp_path: Path) -> None:
    """Search, tools, totals and numbers work as where it was said."""
    with opened(tmp_path / "one") as memory:
        session = memory.sessions.create(key="agent:main:main", project="/p/tea")
        memory.sessions.append(session.id, "user", "the gasket is MAG-4471")
        History(memory).tool(session, 1)
        memory.observations.record(session.id, "Read", input={"path": "/a"}, output="kettle")
        document = written(tmp_path / "x.jsonl", exported(memory))
        calls = memory.sessions.tool_calls(session.id)
    with opened(tmp_path / "two") as memory:
        memory.import_export(document)
        assert memory.search("MAG-4471").hits[0].session_id == session.id
        assert memory.observations.get("#1").found == tuple(memory.observations.list())
        assert memory.sessions.tool_calls(session.id) == calls
        assert memory.sessions.append(session.id, "user", "more").number == 4
        assert memory.observations.record(session.id, "Read", output="x").number == 2


def test_a_payload_that_is_gone_leaves_its_head_and_tail(tmp_path: Path) -> None:
    """Retention may have removed a blob; the record stays."""
    with opened(tmp_path / "one") as memory:
        session = memory.sessions.create()
        memory.observations.record(session.id, "Read", output="a" * 40_000 + "end")
        for blob in (tmp_path / "one" / "blobs").rglob("*"):
            if blob.is_file():
                blob.unlink()
        lines = exported(memory)
    assert b"characters left out" in lines[2]
    with opened(tmp_path / "two") as memory:
        memory.import_export(written(tmp_path / "x.jsonl", lines))
        assert exported(memory)[1:-1] == lines[1:-1]


@pytest.mark.parametrize("size", [16_000, 16_001, 3_000_000])
def test_long_payloads_come_whole(tmp_path: Path, size: int) -> None:
    """The blob is made again."""
    with opened(tmp_path / "one") as memory:
        session = memory.sessions.create()
        memory.observations.record(session.id, "Read", output="é" * size)
        document = written(tmp_path / "x.jsonl", exported(memory))
    with opened(tmp_path / "two") as memory:
        memory.import_export(document)
        (found,) = memory.observations.get(["#1"], max_tokens=None).found
        assert found.output == "é" * size
