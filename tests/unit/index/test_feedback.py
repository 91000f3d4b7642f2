"""Feedback: a second round for files, and none for messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recollect.core.settings import RankingSettings, SearchSettings
from recollect.index.query.hit import Hit
from recollect.index.query.ranking_pipeline import moved_query
from tests.unit.index.scripted import ScriptedEmbedder, ScriptedFeed, ScriptedIndex, note, said

BIRDS = (
    "The heron fishes in shallow wetland water at dawn",
    "A heron nests above the wetland with other wading birds",
    "Wading birds such as the heron need shallow wetland",
)
UNSAID = "Wading birds of shallow wetland fish at dawn"
OTHERS = tuple(f"The {word} of the town hall is open" for word in ("office", "library", "museum"))


def _ask(folder: Path, kind: str, search: SearchSettings | None = None) -> dict[str, Hit]:
    texts = [*BIRDS, UNSAID, *OTHERS]
    make = note if kind == "files" else said
    feed = ScriptedFeed(*(make(f"{n}.md", text) for n, text in enumerate(texts)))
    with ScriptedIndex(folder, feed, ScriptedEmbedder(), search) as home:
        return {hit.ref: hit for hit in home.ask("heron").hits}


def test_a_file_that_says_it_in_other_words_gains(tmp_path: Path) -> None:
    """It shares the words of the best ones, not those of the question."""
    hits = _ask(tmp_path, "files")
    unrelated = [
        hit.why["feedback"] for ref, hit in hits.items() if ref in {"4.md", "5.md", "6.md"}
    ]
    assert hits["3.md"].why["feedback"] > max(unrelated, default=0)
    assert all(sum(hit.why.values()) == pytest.approx(hit.score, abs=1e-5) for hit in hits.values())


def test_messages_get_no_feedback(tmp_path: Path) -> None:
    """What they have in common is small talk."""
    assert all("feedback" not in hit.why for hit in _ask(tmp_path, "messages").values())


def test_feedback_of_no_weight_is_none(tmp_path: Path) -> None:
    """It can be switched off."""
    search = SearchSettings(ranking=RankingSettings(feedback=0.0))
    assert all("feedback" not in hit.why for hit in _ask(tmp_path, "files", search).values())


def test_meaning_alone_moves_without_words(tmp_path: Path) -> None:
    """In vector mode no terms are asked for."""
    feed = ScriptedFeed(*(note(f"{n}.md", text) for n, text in enumerate(BIRDS)))
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder()) as home:
        hits = home.ask("heron", mode="vector").hits
    assert [set(hit.why) for hit in hits] == [{"vector"}] * 3


def test_the_question_moves_towards_the_best() -> None:
    """And stays a unit vector; opposites that cancel out do not divide by zero."""
    question = np.array([1, 0], np.float32)
    moved = moved_query(question, np.array([[0, 1]], np.float32))
    assert moved @ np.array([0, 1], np.float32) > 0
    assert np.linalg.norm(moved) == pytest.approx(1)
    nowhere = moved_query(question, np.array([[-2, 0]], np.float32))
    assert bool(np.all(np.isfinite(nowhere)))
