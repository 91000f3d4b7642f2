"""The options of the search: OpenClaw's sum, thresholds, shares, diversity, recency, citations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect.core.errors import InvalidInput
from recollect.core.settings import HybridSettings, RecencySettings, SearchSettings
from recollect.core.settings.search import DiversitySettings
from recollect.index.model.document import Document, source_names
from recollect.index.query.ranking import ScoreParts, plain_weights
from recollect.index.query.ranking_pipeline import with_candidates
from tests.unit.index.scripted import (
    CLOCK,
    DAY,
    NOON,
    ScriptedEmbedder,
    ScriptedFeed,
    ScriptedIndex,
    note,
    said,
)


def total(vector: float, context: float, weights: dict[str, float]) -> float:
    """Return the score of one chunk."""
    values = {"vector": np.array([vector]), "context": np.array([context])}
    return float(ScoreParts(np.arange(1), values).total(weights)[0])


@pytest.mark.parametrize(
    ("vector", "text", "expected"),
    [
        (0.9, 0.0, 0.63),
        (0.0, 1.0, 0.3),
        (0.6, 0.9, 0.69),
        (0.0, 0.99, 0.297),
        (0.8, 0.0, 0.56),
        (0.4, 0.0, 0.28),
    ],
)
def test_the_plain_sum_is_that_of_openclaw(vector: float, text: float, expected: float) -> None:
    """Golden outputs of `mergeHybridResults` of 2026.9.6 with .7 and .3."""
    weights = plain_weights(HybridSettings(), lexical=True, vector=True)
    assert total(vector, text, weights) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((0.7, 0.3), (0.7, 0.3)),
        ((1.0, 1.0), (0.5, 0.5)),
        ((0.0, 0.2), (0.0, 1.0)),
        ((0, 0), (0.7, 0.3)),
    ],
)
def test_weights_are_scaled_to_a_sum_of_1(
    given: tuple[float, float], expected: tuple[float, float]
) -> None:
    """Two of 0 mean the usual ones."""
    settings = HybridSettings(vector_weight=given[0], text_weight=given[1])
    weights = plain_weights(settings, lexical=True, vector=True)
    assert (weights["vector"], weights["context"]) == pytest.approx(expected)


def test_a_side_that_is_alone_has_all_of_the_score() -> None:
    """Or a perfect keyword hit had .3 at most and vanished below .35, as it did in 2026.2.9."""
    settings = HybridSettings(text_weight=0.0)
    assert total(0.0, 1.0, plain_weights(settings, lexical=True, vector=False)) == 1.0
    assert total(1.0, 0.0, plain_weights(settings, lexical=False, vector=True)) == 1.0


def test_a_vector_counts_by_its_cosine(tmp_path: Path) -> None:
    """As 1 - distance does; two notes have no neighbours that would be counted in."""
    texts = {"memory/a.md": "apple bread", "memory/b.md": "apple boat lamp door"}
    settings = SearchSettings(hybrid=HybridSettings(enabled=True))
    feed = ScriptedFeed(*(note(path, text) for path, text in texts.items()))
    embedder = ScriptedEmbedder()
    with ScriptedIndex(tmp_path, feed, embedder, settings) as home:
        hits = home.ask("apple", mode="vector").hits
    vector = embedder.embed_query("apple")
    vectors = dict(zip(texts, embedder.embed_documents(list(texts.values())), strict=True))
    assert [hit.ref for hit in hits] == list(texts)
    for hit in hits:
        assert hit.score == pytest.approx(float(vector @ vectors[hit.ref]), abs=2e-3)


def test_nothing_of_ours_adjusts_the_sum_of_openclaw(tmp_path: Path) -> None:
    """Neither who said it nor that it is asked for now: the sum is the two weights alone."""
    settings = SearchSettings(hybrid=HybridSettings(enabled=True))
    feed = ScriptedFeed(
        said("old", "apple bread", role="assistant", session="a"),
        said("new", "apple boat", role="assistant", session="b", at=NOON + 9 * DAY),
    )
    with ScriptedIndex(tmp_path, feed, search=settings) as home:
        hits = home.ask("apple now").hits
    assert [set(hit.why) for hit in hits] == [{"context"}, {"context"}]


@pytest.mark.parametrize(
    ("limit", "multiplier", "expected"), [(6, 4, 24), (100, 4, 200), (1, 1, 1), (6, 0, 400)]
)
def test_candidates_are_a_multiple_of_the_limit(limit: int, multiplier: int, expected: int) -> None:
    """200 at most; 0 leaves the setting for our own ranking."""
    hybrid = HybridSettings(enabled=True, candidate_multiplier=multiplier)
    settings = with_candidates(SearchSettings(hybrid=hybrid), limit)
    assert settings.candidates == expected
    off = SearchSettings(hybrid=HybridSettings(candidate_multiplier=multiplier))
    assert with_candidates(off, limit).candidates == off.candidates


@pytest.mark.parametrize("multiplier", [0, 4])
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "vector"])
def test_the_plain_sum_has_two_parts_only(tmp_path: Path, mode: str, multiplier: int) -> None:
    """No session, no speaker, no feedback."""
    settings = SearchSettings(
        hybrid=HybridSettings(enabled=True, candidate_multiplier=multiplier), memory_share=0.0
    )
    feed = ScriptedFeed(
        *(said(f"m{n}", f"Ann said apple {n}", name="Ann", session="s") for n in range(40)),
        note("memory/a.md", "apple bread"),
    )
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder(), settings) as home:
        hits = home.ask("What did Ann say of apple bread?", mode=mode, limit=6).hits
    assert hits[0].ref == "memory/a.md"
    assert all(set(hit.why) <= {"vector", "context"} for hit in hits)
    assert all(sum(hit.why.values()) == pytest.approx(hit.score, abs=1e-5) for hit in hits)


def test_a_threshold_of_openclaw_loses_no_exact_word(tmp_path: Path) -> None:
    """The reports of "no results though it is indexed": below .35 with the word in it."""
    hybrid = HybridSettings(enabled=True, vector_weight=1.0, text_weight=0.01)
    feed = ScriptedFeed(
        *(said(f"m{n}", f"the shop opens at {n}") for n in range(30)),
        note("memory/part.md", "order number MAG-4471 and many other words about the door of it"),
    )
    settings = SearchSettings(hybrid=hybrid)
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder(), settings) as home:
        (hit,) = [h for h in home.ask("4471").hits if h.source == "memory"]
        assert hit.score < 0.35
        assert [hit.path for hit in home.ask("4471", min_score=0.35).hits] == ["memory/part.md"]
        assert home.ask("boats in winter", min_score=0.99).hits == []


def test_free_places_go_to_hits_with_every_word(tmp_path: Path) -> None:
    """Those with some of the words do not fill up."""
    feed = ScriptedFeed(
        said("best", "apple pie"),
        said("all", "apple " + "filler words " * 60 + "pie"),
        said("some", "apple " + "filler words " * 60),
    )
    with ScriptedIndex(tmp_path, feed) as home:
        hits = {hit.ref: hit.score for hit in home.ask("apple pie").hits}
        threshold = (hits["best"] + hits["all"]) / 2
        assert hits["some"] < hits["all"] < threshold
        assert home.refs("apple pie", min_score=threshold) == ["best", "all"]
        assert home.refs("apple pie", min_score=threshold, limit=1) == ["best"]
        assert home.refs("apple pie", min_score=1.0) == ["best", "all", "some"]


def drowned(files: int) -> list[Document]:
    """Return many messages that say a little more about tea than some notes."""
    talk = [said(f"m{n}", f"green tea, cold rain, dark hills {n % 7}") for n in range(200)]
    notes = (note(f"memory/{n}.md", "green tea, cold rain, dark day") for n in range(files))
    return [*talk, *notes, *(said(f"n{n}", "six stools at the counter") for n in range(100))]


@pytest.mark.parametrize("exact_below", [0, 10_000])
@pytest.mark.parametrize(("share", "expected"), [(0.0, 0), (0.34, 2), (0.7, 4), (1.0, 6)])
def test_transcripts_do_not_drown_memory_files(
    tmp_path: Path, share: float, expected: int, exact_below: int
) -> None:
    """So many of six hits are kept for files that answer as well; the order is by score."""
    settings = SearchSettings(memory_share=share, exact_below=exact_below, candidates=10)
    with ScriptedIndex(tmp_path, ScriptedFeed(*drowned(8)), search=settings) as home:
        hits = home.ask("green tea, cold rain, dark hills", limit=6).hits
        assert sum(hit.source == "memory" for hit in hits) == expected
        assert len(hits) == 6
        assert [hit.score for hit in hits] == sorted((h.score for h in hits), reverse=True)
        only = home.ask("green tea", limit=6, sources=("sessions",)).hits
        assert {hit.source for hit in only} == {"sessions"}


def test_a_file_that_answers_worse_takes_no_place(tmp_path: Path) -> None:
    """A share is no gift."""
    feed = ScriptedFeed(
        *(said(f"m{n}", "the cellar key is brass") for n in range(20)),
        note("memory/a.md", "brass is an alloy of copper and zinc, the book says, among others"),
    )
    with ScriptedIndex(tmp_path, feed) as home:
        hits = home.ask("which cellar key is brass?", limit=6).hits
    assert {hit.source for hit in hits} == {"sessions"}


def test_diversity_moves_repetitions_down_and_leaves_scores(tmp_path: Path) -> None:
    """Off by default: the same line five times are five hits."""
    texts = ["the tea is in the green box"] * 3 + ["tea: ask Ann about the green tin"]
    feed = ScriptedFeed(*(said(f"m{n}", text) for n, text in enumerate(texts)))
    query = "where is the tea in the green box?"
    with ScriptedIndex(tmp_path / "plain", feed) as home:
        plain = {hit.ref: hit.score for hit in home.ask(query).hits}
    settings = SearchSettings(diversity=DiversitySettings(enabled=True, relevance=0.3))
    with ScriptedIndex(tmp_path / "diverse", feed, search=settings) as home:
        diverse = home.ask(query, limit=2).hits
    assert list(plain) == ["m0", "m1", "m2", "m3"]
    assert [hit.ref for hit in diverse] == ["m0", "m3"]
    assert {hit.ref: hit.score for hit in diverse} == {r: plain[r] for r in ("m0", "m3")}


def test_a_named_file_stays_first_among_diverse_hits(tmp_path: Path) -> None:
    """Diversity orders what was found, not what was asked for."""
    settings = SearchSettings(diversity=DiversitySettings(enabled=True, relevance=0.0))
    feed = ScriptedFeed(note("memory/tea.md", "boat"), *(said(f"m{n}", "tea.md") for n in range(5)))
    with ScriptedIndex(tmp_path, feed, search=settings) as home:
        assert home.refs("tea.md")[0] == "memory/tea.md"


def recent(folder: Path, **recency: Any) -> list[tuple[str, dict[str, float]]]:
    """Return refs and reasons of equal texts of different ages."""
    now = CLOCK.now_ms()
    feed = ScriptedFeed(
        said("old", "green tea", at=now - 300 * DAY),
        said("new", "green tea", at=now),
        note("MEMORY.md", "- green tea", at=now - 300 * DAY),
        note("memory/2026-01-01.md", "green tea", at=now - 30 * DAY),
        note("/home/ann/notes.md", "green tea", at=now - 300 * DAY),
    )
    settings = SearchSettings(recency=RecencySettings(**recency))
    with ScriptedIndex(folder, feed, search=settings) as home:
        return [(hit.ref, hit.why) for hit in home.ask("green tea").hits]


def test_recency_lowers_what_ages_and_hides_nothing(tmp_path: Path) -> None:
    """Curated files do not age; with a floor the oldest loses no more than it says."""
    assert not any("recency" in why for _, why in recent(tmp_path / "off"))
    scores = dict(recent(tmp_path / "on", enabled=True))
    assert len(scores) == 5
    assert "recency" not in scores["new"] or abs(scores["new"]["recency"]) < 1e-4
    assert "recency" not in scores["MEMORY.md"]
    for ref, factor in [("old", 0.8), ("/home/ann/notes.md", 0.8), ("memory/2026-01-01.md", 0.9)]:
        score = sum(scores[ref].values())
        assert score / (score - scores[ref]["recency"]) == pytest.approx(factor, abs=0.01)
    decayed = dict(recent(tmp_path / "openclaw", enabled=True, floor=0.0))
    assert len(decayed) == 5
    assert sum(decayed["old"].values()) < 0.01


def test_hits_are_cited_by_line_and_message(tmp_path: Path) -> None:
    """And not where the caller wants none."""
    feed = ScriptedFeed(
        note("memory/tea.md", "# Tea\n\ngreen tea\n"),
        note("MEMORY.md", "- green tea"),
        said("m7", "green tea", session="s1"),
    )
    with ScriptedIndex(tmp_path, feed) as home:
        citations = {hit.citation for hit in home.ask("green tea").hits}
        assert citations == {"memory/tea.md#L1-L3", "MEMORY.md#L1", "session:s1#7"}
        assert {hit.citation for hit in home.ask("green tea", citations=False).hits} == {None}


@pytest.mark.parametrize(
    "options",
    [
        {"limit": "3"},
        {"limit": 3.0},
        {"limit": True},
        {"limit": None},
        {"min_score": "0.5"},
        {"min_score": float("nan")},
        {"min_score": None},
        {"mode": ["hybrid"]},
        {"sources": ("memory", 3)},
    ],
)
def test_an_option_of_the_wrong_type_is_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    """With a hint, and never a TypeError."""
    with ScriptedIndex(tmp_path, ScriptedFeed()) as home, pytest.raises(InvalidInput) as caught:
        home.ask("tea", **options)
    assert caught.value.hint


@pytest.mark.parametrize("sources", ["memory", 3, [3], [None]])
def test_sources_are_a_list_of_names(sources: object) -> None:
    """A text would be taken letter by letter."""
    with pytest.raises(InvalidInput):
        source_names(sources)
    assert source_names(["memory"]) == ("memory",)


def test_a_question_is_a_text(tmp_path: Path) -> None:
    """Nothing else is asked for."""
    with ScriptedIndex(tmp_path, ScriptedFeed()) as home, pytest.raises(InvalidInput):
        home.ask(None)  # type: ignore[arg-type]  # what a caller without types may do
