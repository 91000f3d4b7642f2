"""The ten tests of the memory manager in the design of OpenClaudeCode, on the back end ``fts5``.

Their names are those of its test strategy; a docstring says what is different here, docs/chat.md
why. The ten of its session manager are in `tests/integration/sessions/test_openclaudecode.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import recollect
from recollect.backends.fts5.matches import build_query, scores_of_ranks
from recollect.core.scope import Scope
from recollect.memory import Memory
from recollect.text.tokens import estimate_tokens

KEY = "telegram:5054873275"
OTHER = "telegram:7"
SETTINGS = {
    "search.lexical.backend": "fts5",
    "embedding.provider": "none",
    "chunking.tokens": 500,  # its maxChunkSize
    "auto_responder.memory_search_max_results": 5,
    "auto_responder.memory_fts_enabled": True,
}
LANTERNS = [
    ("user", "The lantern festival is on Friday."),
    ("assistant", "Shall I remind you of the lantern festival?"),
    ("user", "Yes. And buy paper, wire and glue for the lantern."),
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory with the settings of its configuration."""
    with recollect.open(tmp_path / "home", overrides=SETTINGS, live=False) as opened:
        yield opened


def indexed(memory: Memory, messages: list[tuple[str, str]], key: str = KEY) -> str:
    """Store messages under a key, and return the id of their session when all is indexed."""
    session = memory.sessions.open(key)
    memory.sessions.append_many(session.id, messages)
    memory.sync()
    return session.id


def test_ensure_schema_creates_fts5_tables(memory: Memory) -> None:
    """They lie in index.db, one for each tenant and generation, and any SQLite tool reads them."""
    indexed(memory, LANTERNS)
    database = memory._rooms.opened.database  # noqa: SLF001  # to look at index.db as it is
    created = "SELECT name FROM sqlite_master WHERE name LIKE 'chunks_fts%' AND sql LIKE '%fts5%'"
    assert database.read(lambda tx: tx.all(created))


def test_index_session_chunks_and_indexes_transcript(memory: Memory) -> None:
    """By itself, as soon as it is stored; a message is its own document, with who said it when."""
    session = indexed(memory, LANTERNS)
    for words, seq, role in (
        ("Friday", 1, "user"),
        ("remind", 2, "assistant"),
        ("glue", 3, "user"),
    ):
        hit = memory.search(words).hits[0]
        assert (hit.session_id, hit.seq, hit.role) == (session, seq, role)
        assert hit.at == memory.sessions.messages(session)[seq - 1].created_at
    assert memory.status().index.source_chunks["sessions"] == 3


def test_search_returns_relevant_results_with_bm25_scoring(memory: Memory) -> None:
    """The best first, each in (0, 1]; a rare word counts for more than a frequent one."""
    indexed(memory, [*LANTERNS, ("user", "It rained."), ("user", "Lunch was late.")])
    hits = memory.search("glue for the lantern").hits
    assert hits[0].seq == 3
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
    assert scores[0] > scores[-1]


@pytest.mark.parametrize("query", ["", "   ", "?!"])
def test_search_handles_empty_query(memory: Memory, query: str) -> None:
    """Without a word there is nothing to find, and no error."""
    indexed(memory, LANTERNS)
    assert memory.search(query).hits == []


def test_search_filters_by_session_key(memory: Memory) -> None:
    """By who asks, and then nothing of another person is searched; or by session and channel."""
    own = indexed(memory, LANTERNS)
    other = indexed(memory, [("user", "My lantern is red.")], OTHER)
    assert {hit.session_id for hit in memory.search("lantern").hits} == {own, other}
    assert {h.session_id for h in memory.search("lantern", for_session=other).hits} == {other}
    narrowed = memory.search("lantern", scope=Scope(session=own))
    assert {hit.session_id for hit in narrowed.hits} == {own}
    assert {h.session_id for h in memory.search("lantern", channel="telegram").hits} == {own, other}


def test_search_respects_max_results(memory: Memory) -> None:
    """The best so many; the responder's number is a setting of its own."""
    indexed(memory, [("user", f"Lantern number {number}.") for number in range(12)])
    assert len(memory.search("lantern", 5).hits) == 5
    assert len(memory.search("lantern", 1).hits) == 1
    assert memory.settings.auto_responder.memory_search_max_results == 5


def test_index_chunk_stores_and_indexes_single_chunk(memory: Memory) -> None:
    """What is stored is a message, a fact or a file; each short one is a single chunk."""
    session = indexed(memory, [("user", "The wire is in the shed.")])
    assert memory.status().index.source_chunks["sessions"] == 1
    (hit,) = memory.search("wire").hits
    assert (hit.session_id, hit.seq, hit.source) == (session, 1, "sessions")
    fact = memory.facts.remember("telegram:5054873275", "I keep the wire in the shed").fact
    memory.sync()
    assert fact.id in {hit.ref for hit in memory.search("wire", sources=["facts"]).hits}


def test_chunking_splits_long_transcripts_correctly(memory: Memory) -> None:
    """A long message has several chunks of at most 500 tokens, none of whose words is lost."""
    words = [f"lantern{number}" for number in range(3_000)]
    session = indexed(memory, [("user", " ".join(words))])
    assert memory.status().index.source_chunks["sessions"] > 1
    for word in (words[0], words[1_500], words[-1]):
        (hit,) = memory.search(word).hits
        assert (hit.session_id, hit.seq) == (session, 1)
        assert word in hit.snippet
        assert estimate_tokens(hit.snippet) <= 500


def test_fts_query_building_joins_quoted_tokens_with_and() -> None:
    """So no operator of a text reaches the parser; any of them is searched where few have all."""
    assert build_query(["foo", "NEAR", 'say "hi"']) == '"foo" AND "NEAR" AND "say ""hi"""'
    assert build_query(["foo", "bar"], "OR") == '"foo" OR "bar"'
    assert build_query([]) is None


def test_score_normalization_is_a_share_of_the_rank() -> None:
    """Not ``1 / (1 + rank)``: ranks are negative. What it means holds: better is nearer to 1."""
    scores = scores_of_ranks(np.array([-9.0, -1.0, -0.1, 0.0], np.float32))
    assert scores.tolist() == pytest.approx([0.9, 0.5, 0.0909, 0.0], abs=1e-3)
    assert scores_of_ranks(np.array([3.0])).tolist() == [0.25], (
        "1 / (1 + rank) where it is positive"
    )
