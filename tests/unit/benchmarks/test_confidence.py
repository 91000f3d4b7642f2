"""Confidence runs: names that are swapped, the fit, and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks.datasets.beam import load_abstentions, load_beam
from benchmarks.datasets.locomo import load_locomo
from benchmarks.measure.environment import describe_environment
from benchmarks.quality.confidence import (
    Asked,
    auroc,
    confidence_grids,
    describe_confidence,
    fit,
    foreign_questions,
    run_confidence,
    with_names,
)
from recollect.index.query.confidence import Calibration, Measures

if TYPE_CHECKING:
    from pathlib import Path


def test_names_are_swapped_as_whole_words() -> None:
    """Also where the two people have each other's names."""
    assert with_names("Ann, Anna and Bob", {"Ann": "Bob", "Bob": "Ann"}) == "Bob, Anna and Ann"
    assert with_names("Ann", {}) == "Ann"


def test_foreign_questions_name_the_people_of_the_conversation(data_folder: Path) -> None:
    """As many as it has of its own, at most."""
    data = load_locomo(data_folder)
    for conversation in data.conversations:
        own = [one for one in data.questions if one.cluster == conversation.key]
        assert len(foreign_questions(data)[conversation.key]) <= len(own)


def test_auroc_counts_ties_by_half_and_nothing_as_chance() -> None:
    """1 where all of the first are higher."""
    assert auroc(np.array([0.9, 0.8]), np.array([0.1])) == 1.0
    assert auroc(np.array([0.5]), np.array([0.5])) == 0.5
    assert auroc(np.array([]), np.array([0.5])) == 0.5


def test_the_fit_finds_what_tells_answers_from_the_rest() -> None:
    """The probabilities of a known logistic come out near to what they were."""
    true = Calibration(score=5.0, words=-8.0, terms=0.1, constant=4.0)
    draw = np.random.default_rng(7)
    asked = []
    for _ in range(4000):
        score, words = float(draw.uniform(-2, 0)), float(draw.uniform(0, 0.4))
        measured = Measures(score, words, 0.0, float(draw.integers(2, 8)), 0.0)
        asked.append(
            Asked(
                dataset="made",
                cluster="c",
                mode="lexical",
                is_own=True,
                is_found=bool(draw.random() < true.probability(measured)),
                confidence=0.5,
                best=0.5,
                measured=measured,
            )
        )
    found = fit(asked)
    assert (found.rest, found.other) == (0.0, 0.0)  # which tell nothing here
    for score in (-1.5, -0.8, -0.2):
        measured = Measures(score, 0.1, 0.0, 5.0, 0.0)
        wanted = true.probability(measured)
        assert found.probability(measured) == pytest.approx(wanted, abs=0.06)


def test_a_run_reports_the_confidence_beside_the_best_score(
    data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of both sets, in words alone."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "none")
    data = (load_locomo(data_folder), load_beam(data_folder), load_abstentions(data_folder))

    run = run_confidence(describe_environment(), data, ("lexical",), tmp_path, lambda *_: None)

    assert [each.by for each in run.scores[:2]] == ["confidence", "best score alone"]
    assert {each.dataset for each in run.scores} == {"LoCoMo", "BEAM 100K"}
    assert all(sum(one.n for one in each.bins) > 0 for each in run.scores)
    assert describe_confidence(run)[0].startswith("fitted to all of it, lexical")
    assert confidence_grids(run)[0].title == "Is the answer among the hits?"
