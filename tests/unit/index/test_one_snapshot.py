"""A warm search looks at the index once before it answers, and answers from one snapshot."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

import recollect
from recollect.memory import Memory
from recollect.store.sqlite.reader import Readers
from tests.unit.index.scripted import ScriptedEmbedder

MOST_READS = 3
"""The state of the index, the newest message of the records, the answer: DESIGN section 10."""


@contextmanager
def counted_reads() -> Iterator[list[str]]:
    """Give the block the read transactions that this thread begins in it, by their function."""
    reads: list[str] = []

    def see(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is Readers.read.__code__:
            reads.append(frame.f_code.co_qualname)

    sys.setprofile(see)
    try:
        yield reads
    finally:
        sys.setprofile(None)


def _opened(folder: Path, *, embeds: bool) -> Memory:
    memory = recollect.open(
        folder,
        embedder=ScriptedEmbedder() if embeds else None,
        overrides={"embedding.provider": "none"},
        live=False,
    )
    session = memory.sessions.create(key="k")
    texts = (f"the tea of day {day} was green" for day in range(30))
    memory.sessions.append_many(session.id, [("user", text) for text in texts])
    memory.sync()
    return memory


@pytest.mark.parametrize("embeds", [False, True])
def test_a_warm_search_begins_three_read_transactions(tmp_path: Path, *, embeds: bool) -> None:
    """Words only and with vectors; docs/search.md: it was 8 to 12."""
    with _opened(tmp_path, embeds=embeds) as memory:
        memory.search("what was green?")  # loads the partition
        with counted_reads() as reads:
            result = memory.search("green tea")
    assert len(result.hits) == 6
    assert result.mode == ("hybrid" if embeds else "lexical")
    assert 0 < len(reads) <= MOST_READS


def test_a_search_after_a_new_message_still_finds_it(tmp_path: Path) -> None:
    """What was looked at before it was indexed is looked at again."""
    with _opened(tmp_path, embeds=True) as memory:
        (session,) = memory.sessions.list()
        memory.sessions.append(session.id, "user", "a zebra in the tea house")
        with counted_reads() as reads:
            (hit,) = memory.search("zebra", limit=1).hits
    assert "zebra" in hit.snippet
    assert len(reads) > MOST_READS
