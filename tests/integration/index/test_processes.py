"""Several processes on one home: one writes, one asks, one rebuilds, and no answer is wrong."""

from __future__ import annotations

from pathlib import Path

from recollect.core.clock import SystemClock
from recollect.core.settings import StoreSettings
from recollect.index.lexical.segments import SEAL_CHUNKS
from recollect.store.columns import integer
from recollect.store.sqlite.database import open_index
from tests.integration.index.processes import running
from tests.integration.index.worker import BATCH, marker, open_lexical, said

MESSAGES = 4_500
"""Enough for eight sealed segments and the merge of them into one."""
REBUILT_MESSAGES = 1_620


def new_session(home: Path) -> str:
    """Make a home with one session and return the session's id."""
    with open_lexical(home) as memory:
        return memory.sessions.create().id


def segment_sizes(home: Path) -> list[int]:
    """Return how many chunks each segment of a closed home spans, in order."""
    database = open_index(home, StoreSettings(), SystemClock())
    try:
        sql = "SELECT end_chunk - first_chunk FROM segments ORDER BY first_chunk"
        return database.read(lambda tx: [integer(size) for (size,) in tx.rows(sql)])
    finally:
        database.close()


def test_a_reader_finds_everything_acknowledged_while_segments_are_sealed_and_merged(
    tmp_path: Path,
) -> None:
    """No wrong or empty answer beside a live writer."""
    session = new_session(tmp_path / "home")
    with (
        running("write", tmp_path / "home", session, MESSAGES) as writer,
        running("read", tmp_path / "home", orders=writer.lines) as reader,
    ):
        assert reader.finish() == [f"asked {3 * MESSAGES // BATCH}"]
    sizes = segment_sizes(tmp_path / "home")
    assert max(sizes) > 6 * SEAL_CHUNKS, "the segments were merged"
    assert len(sizes) <= 2


def test_a_reader_finds_everything_acknowledged_while_the_index_is_rebuilt(
    tmp_path: Path,
) -> None:
    """`reindex` beside a live writer and reader: no wrong or empty answer."""
    session = new_session(tmp_path / "home")
    with (
        running("rebuild_again", tmp_path / "home") as rebuilder,
        running("write", tmp_path / "home", session, REBUILT_MESSAGES) as writer,
        running("read", tmp_path / "home", orders=writer.lines) as reader,
    ):
        assert rebuilder.answer() == "ready"
        rebuilt = 0
        while not reader.has_ended_within(0):
            rebuilder.order("again")
            assert rebuilder.answer() == "rebuilt"
            rebuilt += 1
        rebuilder.order("stop")
        assert rebuilder.finish() == [f"rebuilt {rebuilt}"]
        assert reader.finish() == [f"asked {3 * REBUILT_MESSAGES // BATCH}"]
    print(f"{rebuilt} rebuilds beside {REBUILT_MESSAGES} messages")  # noqa: T201  # shown on failure
    assert rebuilt >= 2
    with open_lexical(tmp_path / "home") as memory:
        assert memory.status().index.documents == {"sessions": REBUILT_MESSAGES}


def test_what_one_process_appends_the_next_search_of_another_finds(tmp_path: Path) -> None:
    """Search catches up by itself, in both directions and without `sync`."""
    session = new_session(tmp_path / "home")
    with (
        open_lexical(tmp_path / "home") as memory,
        running("append", tmp_path / "home", session) as other,
    ):
        for number in range(8):
            other.order(said(number))
            assert other.answer() == "appended"
            assert memory.search(marker(number)).hits[0].seq == 2 * number + 1
            memory.sessions.append(session, "user", said(100 + number))
            assert memory.search(marker(100 + number)).hits[0].seq == 2 * number + 2
        assert memory.status().index.documents == {"sessions": 16}
