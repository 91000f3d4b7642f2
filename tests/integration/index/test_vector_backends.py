"""A whole memory over each vector back end: the same hits with the same scores."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from benchmarks.datasets.synthetic import SyntheticCorpus
from benchmarks.load.clustered import ClusteredEmbedder
from benchmarks.load.writes import store_session

MESSAGES = 900
QUESTIONS = SyntheticCorpus(3).queries(MESSAGES, 12)
NEAR = {question.text: question.target for question in QUESTIONS}


def hits(home: Path, backend: str, mode: str) -> list[list[tuple[str | None, int | None, float]]]:
    """Return the hits of every question, where candidates are chosen by the back end."""
    overrides = {
        "search.vector.backend": backend,
        "search.exact_below": 0,
        # Most made-up vectors are as far from a question as any other: look at more than 400.
        "search.candidates": 600,
    }
    found = []
    with recollect.open(home, overrides=overrides, embedder=ClusteredEmbedder(3, NEAR)) as memory:
        if not memory.sessions.list():
            for session in SyntheticCorpus(3).sessions(MESSAGES):
                store_session(memory, session)
        memory.sync()
        for question in QUESTIONS:
            result = memory.search(question.text, limit=10, mode=mode)
            assert (result.warnings, result.mode) == ([], mode)
            found.append([(hit.session_id, hit.seq, round(hit.score, 5)) for hit in result.hits])
    return found


@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_every_back_end_gives_the_same_ten_hits(tmp_path: Path, mode: str) -> None:
    """One home is opened with one back end after the other."""
    expected = hits(tmp_path / "home", "memory", mode)
    assert all(len(found) == 10 for found in expected)
    for backend, package in (("sqlite-vec", "sqlite_vec"), ("chroma", "chromadb")):
        pytest.importorskip(package, reason=f"the package {package} is not installed")
        assert hits(tmp_path / "home", backend, mode) == expected
    assert hits(tmp_path / "home", "memory", mode) == expected
