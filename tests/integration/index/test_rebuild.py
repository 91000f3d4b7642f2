"""Rebuilds that are killed, repeated, and asked for by other settings or another embedder."""

from __future__ import annotations

from pathlib import Path
from typing import LiteralString

import recollect
from recollect.core.clock import SystemClock
from recollect.core.settings import StoreSettings
from recollect.memory import Memory
from recollect.store.columns import blob, first_integer, text
from recollect.store.engine import Database, Transaction
from recollect.store.sqlite.database import open_index
from recollect.store.sqlite.home import INDEX_FILE
from tests.integration.index.hashing import HashingEmbedder
from tests.integration.index.worker import marker, open_lexical, said

MESSAGES = 2_200
ASKED = range(0, MESSAGES, 400)
STRAYS: dict[str, LiteralString] = {
    "generations": "SELECT count(*) FROM generations WHERE status <> 'serving'",
    "cursors": "SELECT count(*) FROM cursors WHERE generation NOT IN (SELECT id FROM generations)",
    "partitions": "SELECT count(*) FROM partitions WHERE generation NOT IN"
    " (SELECT id FROM generations)",
    "postings": "SELECT count(*) FROM postings WHERE id >> 32 NOT IN (SELECT id FROM terms)",
    "chunks": "SELECT count(*) FROM chunks WHERE id >> 40 NOT IN (SELECT id FROM partitions)",
    "tail": "SELECT count(*) FROM tail WHERE id NOT IN (SELECT id FROM chunks)",
    "vectors": "SELECT count(*) FROM vectors WHERE id NOT IN (SELECT id FROM chunks)",
    "vector_queue": "SELECT count(*) FROM vector_queue WHERE id NOT IN (SELECT id FROM chunks)",
    "vector_refused": "SELECT count(*) FROM vector_refused WHERE id NOT IN (SELECT id FROM chunks)",
    "names": "SELECT count(*) FROM names WHERE partition_id NOT IN (SELECT id FROM partitions)",
    "chunk_groups": "SELECT count(*) FROM chunk_groups WHERE partition_id NOT IN"
    " (SELECT id FROM partitions)",
    "documents": "SELECT count(*) FROM documents WHERE partition_id NOT IN"
    " (SELECT id FROM partitions)",
    "terms": "SELECT count(*) FROM terms WHERE partition_id NOT IN (SELECT id FROM partitions)",
    "segments": "SELECT count(*) FROM segments WHERE partition_id NOT IN"
    " (SELECT id FROM partitions)",
    "removals": "SELECT count(*) FROM removals WHERE partition_id NOT IN"
    " (SELECT id FROM partitions)",
    "code_rows": "SELECT count(*) FROM code_rows WHERE partition_id NOT IN"
    " (SELECT id FROM partitions)",
    "code_blocks": "SELECT count(*) FROM code_blocks WHERE partition_id NOT IN"
    " (SELECT id FROM partitions)",
    "embedding_cache": "SELECT count(*) FROM embedding_cache WHERE hash NOT IN"
    " (SELECT hash FROM chunks)",
}
"""How many rows of a table belong to nothing that answers."""


def open_index_of(home: Path) -> Database:
    """Open the index of a home that nobody has open."""
    return open_index(home, StoreSettings(), SystemClock())


def strays(home: Path) -> dict[str, int]:
    """Return the tables that hold rows of no living generation, and how many."""
    index = open_index_of(home)
    try:
        counts = {
            table: index.read(lambda tx, sql=sql: first_integer(tx.row(sql)))  # type: ignore[misc]
            for table, sql in STRAYS.items()
        }
    finally:
        index.close()
    return {table: count for table, count in counts.items() if count}


def embedded(home: Path, version: str) -> set[str]:
    """Return the digests of the texts whose vector a closed home holds."""

    def find(tx: Transaction) -> set[str]:
        sql = (
            "SELECT c.hash FROM embedding_cache c JOIN embedding_spaces s ON s.id = c.space"
            " WHERE s.provider_key = ?1 UNION SELECT c.hash FROM chunks c JOIN vectors USING (id)"
            " JOIN partitions p ON p.id = c.id >> 40 JOIN generations g ON g.id = p.generation"
            " WHERE json_extract(g.identity, '$.embedder') = ?1"
        )
        rows = tx.rows(sql, (HashingEmbedder(version).fingerprint,))
        return {blob(digest).hex() for (digest,) in rows}

    index = open_index_of(home)
    try:
        return index.read(find)
    finally:
        index.close()


def statuses(home: Path) -> tuple[str, ...]:
    """Return the statuses of all generations of a closed home, oldest first."""
    index = open_index_of(home)
    try:
        sql = "SELECT status FROM generations ORDER BY id"
        return index.read(lambda tx: tuple(text(status) for (status,) in tx.rows(sql)))
    finally:
        index.close()


def open_hashing(home: Path, version: str, log: Path | None = None) -> Memory:
    """Open a home with the deterministic embedder."""
    return recollect.open(home, embedder=HashingEmbedder(version, log))


def fill(memory: Memory, count: int = MESSAGES) -> None:
    """Store and index the messages of the markers 0 to ``count``."""
    session = memory.sessions.create().id
    memory.sessions.append_many(session, [("user", said(number)) for number in range(count)])
    memory.sync()


def check_answers(memory: Memory, mode: str = "hybrid") -> None:
    """Ask for texts by their words and by their vectors; each must be the first hit."""
    for number in ASKED:
        by_word = memory.search(marker(number), limit=1, mode="lexical")
        by_text = memory.search(said(number), limit=1)
        assert [hit.seq for hit in by_word.hits + by_text.hits] == [number + 1] * 2
        assert by_text.mode == mode


def test_repeated_rebuilds_need_no_more_room_and_embed_nothing(tmp_path: Path) -> None:
    """The first one makes the file larger, because two generations are in it at once."""
    home, log, sizes = tmp_path / "home", tmp_path / "log", []
    with open_hashing(home, "v0") as memory:
        fill(memory)
    for _ in range(5):
        with open_hashing(home, "v0", log) as memory:
            assert memory.reindex().rebuilt
            check_answers(memory)
        sizes.append((home / INDEX_FILE).stat().st_size)
    assert not log.exists()
    assert sizes[-1] <= 1.05 * sizes[0]
    assert (statuses(home), strays(home)) == (("serving",), {})


def test_another_embedder_is_told_and_words_answer_until_sync_rebuilds(tmp_path: Path) -> None:
    """DESIGN 6: vectors of different embedders never meet."""
    with open_hashing(tmp_path / "home", "v0") as memory:
        fill(memory, 40)
    with open_hashing(tmp_path / "home", "v1") as memory:
        before = memory.search(said(7))
        assert before.hits[0].seq == 8
        assert before.mode == "lexical"
        assert any("embedder was changed" in warning for warning in before.warnings)
        outdated = memory.status().index.outdated
        assert outdated == "the embedder was changed: model v0 before, v1 now"
        assert memory.sync().rebuilt
        after = memory.search(said(7))
        assert (after.hits[0].seq, after.mode, after.warnings) == (8, "hybrid", [])
        assert "vector" in after.hits[0].why
    assert (statuses(tmp_path / "home"), strays(tmp_path / "home")) == (("serving",), {})


def test_another_size_of_chunks_is_told_and_sync_cuts_the_files_anew(tmp_path: Path) -> None:
    """A setting that needs a rebuild never makes a search fail."""
    notes = tmp_path / "workspace" / "MEMORY.md"
    notes.parent.mkdir()
    notes.write_text("\n".join(said(number) for number in range(80)), encoding="utf-8")

    def opened(tokens: int) -> Memory:
        overrides = {"embedding.provider": "none", "chunking.tokens": tokens, "chunking.overlap": 0}
        return recollect.open(tmp_path / "home", notes.parent, overrides=overrides)

    with opened(400) as memory:
        memory.sync()
        chunks = memory.status().index.chunks
    with opened(50) as memory:
        before = memory.search(marker(40))
        assert marker(40) in before.hits[0].snippet
        assert any("size of chunks was changed" in warning for warning in before.warnings)
        assert memory.sync().rebuilt
        after = memory.search(marker(40))
        hit = after.hits[0]
        assert marker(40) in hit.snippet
        assert (hit.start_line or 0) <= 41 <= (hit.end_line or 0)
        assert not any("size of chunks" in warning for warning in after.warnings)
        assert memory.status().index.chunks >= 6 * chunks
        assert not memory.sync().rebuilt


def test_a_first_embedder_adds_its_vectors_in_place(tmp_path: Path) -> None:
    """No rebuild: the generation stays, and the search after it is hybrid."""
    home, log = tmp_path / "home", tmp_path / "log"
    with open_lexical(home) as memory:
        fill(memory, 300)
        generation = memory.status().index.generation
        words_only = memory.search(said(7))
        assert words_only.mode == "lexical"
    with open_hashing(home, "v0", log) as memory:
        assert not memory.sync().rebuilt
        status = memory.status().index
        assert (status.generation, status.vectors, status.waiting) == (generation, 300, 0)
        found = memory.search(said(7))
        assert (found.hits[0].seq, found.mode, found.warnings) == (8, "hybrid", [])
        assert found.hits[0].why["vector"] > 0
    with open_lexical(home) as memory:
        assert memory.search(said(7)).hits == words_only.hits
    with open_hashing(home, "v0", log) as memory:
        assert memory.sync().vectors == 0
    assert len(log.read_text(encoding="ascii").splitlines()) == 300
