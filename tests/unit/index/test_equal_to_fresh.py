"""The law of the index: whatever happened to it, it answers as a fresh one would."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    rule,
    run_state_machine_as_test,
)

from recollect.core.scope import Scope
from recollect.core.settings import ChunkingSettings, Settings
from recollect.index.lexical.segments import Merge
from recollect.index.model.document import Document
from recollect.index.query.hit import Hit
from recollect.store.engine import Transaction
from tests.unit.index.conftest import shrink
from tests.unit.index.corpus import (
    NOON,
    OpenIndex,
    ScriptedFeed,
    WordEmbedder,
    gone,
    key_of,
    note,
    said,
)

MEMORY = Path("/dev/shm")  # a folder of our own is made in it
WORDS = "tea sencha cold rain Tokyo user_id getUserById 绿茶 migration delivery Tuesday".split()
SPEAKERS = (None, "Zoe", "Anna Berg")
QUERIES = (
    "cold tea in the rain",
    "what did Zoe say about sencha?",
    "getUserById 绿茶",
    "MEMORY.md before a deploy",
)
COMMENTS = (
    "",
    "",
    " <!-- importance: 9 -->",
    " <!-- trigger: before a deploy --> <!-- project: p -->",
)
SMALL_CHUNKS = Settings(chunking=ChunkingSettings(tokens=8, overlap=2))
TOLERANCE = 1e-5

words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
numbers = st.integers(0, 1_000)
messages = st.tuples(
    st.just("message"), st.integers(0, 2), st.integers(0, 11), words, st.sampled_from(SPEAKERS)
)
entries = st.tuples(st.sampled_from(("", "- ", "# ")), words, st.sampled_from(COMMENTS)).map(
    "".join
)
files = st.tuples(st.just("file"), st.integers(0, 2), st.lists(entries, max_size=9))
removals = st.tuples(st.just("removal"), numbers, st.integers(1, 6))
moves = st.tuples(st.just("move"), numbers, st.integers(0, 2), st.integers(0, 11))
events = st.lists(st.one_of(messages, removals, messages, files, moves), min_size=1, max_size=12)


class Killed(BaseException):
    """What a kill looks like to the code that it hits."""


class AnyHistory(RuleBasedStateMachine):
    """Changes documents in any order and kills what runs; compares with a fresh index."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        shrink(self.patch)
        self.folder = Path(tempfile.mkdtemp(dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
        self.feed = ScriptedFeed()
        self.embedder = WordEmbedder()
        self.live = self.opened(self.folder / "live", self.feed)
        self.versions = 0

    def teardown(self) -> None:
        """Compare a last time, also after everything was written that waits."""
        try:
            self.compare()
            self.live.index.sync()
            self.compare()
        finally:
            self.live.close()
            self.patch.undo()
            shutil.rmtree(self.folder)

    def opened(self, folder: Path, feed: ScriptedFeed) -> OpenIndex:
        """Return an index with our embedder and small chunks."""
        return OpenIndex(folder, feed, self.embedder, SMALL_CHUNKS)

    def message(self, session: int, order: int, text: str, speaker: str | None) -> Document:
        """Return a new version of a message; its time is its own, so that nothing ties."""
        self.versions += 1
        return said(
            f"m{session}-{order}",
            text,
            group=f"s{session}",
            order=order,
            at=NOON + self.versions,
            scope=Scope(user="ann" if order % 2 else "bob", agent="main", project=f"p{session}"),
            role="user" if order % 2 else "assistant",
            name=speaker,
        )

    @rule(events=events)
    def write(self, events: list[tuple[Any, ...]]) -> None:
        """Put messages and files, again or anew and in any order; remove some; move some."""
        for kind, *facts in events:
            living = self.feed.living()
            if kind == "message":
                self.feed.add(self.message(*facts))
            elif kind == "file":
                self.put_file(*facts)
            elif living and kind == "removal":
                first, count = facts[0] % len(living), facts[1]
                self.feed.add(*[gone(document) for document in living[first : first + count]])
            elif living:
                self.move(living[facts[0] % len(living)], *facts[1:])

    @rule(session=st.integers(0, 2), text=words)
    def write_many(self, session: int, text: str) -> None:
        """Put a whole session."""
        self.feed.add(*[self.message(session, n, f"{text} {n}", None) for n in range(12, 26)])

    def put_file(self, name: int, lines: list[str]) -> None:
        """Write a file of some lines, or of none."""
        self.versions += 1
        text = "\n".join(lines)
        path = f"memory/{name}.md" if name else "MEMORY.md"
        self.feed.add(note(path, text, at=NOON + self.versions))

    def move(self, document: Document, session: int, order: int) -> None:
        """Put what one document says into another session."""
        self.feed.add(gone(document), self.message(session, order, document.text, document.name))

    @rule(batch=st.sampled_from((1, 3, 1_000)))
    def sync(self, batch: int) -> None:
        """Write everything, a batch at a time."""
        self.feed.batch = batch
        self.live.index.sync()

    @rule(batch=st.sampled_from((1, 3, 1_000)))
    def sync_and_compare(self, batch: int) -> None:
        """Write everything and look at it at once."""
        self.sync(batch)
        self.compare()

    @rule(pieces=st.integers(0, 12))
    def sync_killed_in_a_merge(self, pieces: int) -> None:
        """Die after so many pieces."""
        move = Merge._move  # noqa: SLF001  # where a kill can hit
        remaining = pieces

        def move_or_die(self: Merge, tx: Transaction, terms: list[int]) -> None:
            nonlocal remaining
            remaining -= 1
            if remaining < 0:
                raise Killed
            move(self, tx, terms)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Merge, "_move", move_or_die)
            with contextlib.suppress(Killed):
                self.live.index.sync()

    @rule()
    def search(self) -> None:
        """Take in by a search what is new, so that the reader moves in small steps."""
        self.live.ask(QUERIES[0])

    @rule()
    def reopen(self) -> None:
        """Let go of the file and open it again."""
        self.live.close()
        self.live = self.opened(self.folder / "live", self.feed)

    @rule()
    def rebuild(self) -> None:
        """Build it anew beside the old one."""
        self.live.index.rebuild()

    @rule()
    def compare(self) -> None:
        """Ask everything of the index, of a second reader, and of a fresh index."""
        fresh = self.opened(self.folder / "fresh", ScriptedFeed(*self.feed.living()))
        second = self.opened(self.folder / "live", self.feed)
        try:
            for query in QUERIES:
                expected = fresh.hits(query)
                assert_same(self.live.hits(query), expected)
                assert_same(second.hits(query), expected)
        finally:
            fresh.close()
            second.close()
            shutil.rmtree(self.folder / "fresh")


def assert_same(found: list[Hit], expected: list[Hit]) -> None:
    """The same documents and lines with the same scores, all parts, in the same order."""
    by_key = {key_of(hit): hit for hit in found}
    assert by_key.keys() == {key_of(hit) for hit in expected}
    for hit in expected:
        other = by_key[key_of(hit)]
        assert other.score == pytest.approx(hit.score, abs=TOLERANCE)
        assert other.why == pytest.approx(hit.why, abs=TOLERANCE)
        assert (other.snippet, other.at, other.name) == (hit.snippet, hit.at, hit.name)
        annotation = (hit.importance, hit.projects, hit.triggers)
        assert (other.importance, other.projects, other.triggers) == annotation
    for position, hit in enumerate(expected):
        assert found[position].score == pytest.approx(hit.score, abs=TOLERANCE)


@pytest.mark.slow
def test_any_history_leaves_what_a_fresh_index_holds() -> None:
    """Design: scores after any order of changes, merges and kills equal those of a fresh index."""
    run_state_machine_as_test(
        AnyHistory,
        settings=settings(
            max_examples=40,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
