"""Quality runs over a scripted memory: pools, modes, variants, and what cannot be run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from benchmarks.datasets.cranfield import load_cranfield
from benchmarks.datasets.locomo import load_locomo
from benchmarks.quality.experiment import plan_variants
from benchmarks.quality.homes import Homes, Progress
from benchmarks.quality.quality import QualityPlan, QualityRunner
from recollect.core.errors import Conflict

if TYPE_CHECKING:
    from tests.unit.benchmarks.conftest import ScriptedOpener


def _runner(
    root: Path, opener: ScriptedOpener, progress: Progress, plan: QualityPlan
) -> QualityRunner:
    return QualityRunner(plan, Homes(root, opener, progress), opener, progress)


def test_every_pool_and_mode_asks_every_question(
    data_folder: Path, tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> None:
    """One home per conversation, then one home for all, each in three modes."""
    data = load_locomo(data_folder)
    plan = QualityPlan(variants=plan_variants([], []), pools=("conversation", "global"))

    measured = _runner(tmp_path, opener, progress, plan).dialogues(data)

    assert [(run.pool, run.mode, len(run.ranked)) for run in measured.runs] == [
        ("conversation", "lexical", 6),
        ("conversation", "vector", 6),
        ("conversation", "hybrid", 6),
        ("global", "lexical", 6),
        ("global", "vector", 6),
        ("global", "hybrid", 6),
    ]
    assert len(measured.homes) == 3
    assert measured.notes == ()


def test_ranked_keys_are_turns_best_first(
    data_folder: Path, tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> None:
    """The scripted memory finds the turn that shares the words."""
    plan = QualityPlan(variants=plan_variants([], []), modes=("lexical",), pools=("conversation",))

    (run,) = _runner(tmp_path, opener, progress, plan).dialogues(load_locomo(data_folder)).runs

    assert [ranked.keys[0] for ranked in run.ranked][:3] == [
        "conv-1/D1:1",
        "conv-1/D2:1",
        "conv-1/D2:1",
    ]


def test_scoped_pool_sees_only_its_conversation(
    data_folder: Path, tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> None:
    """One home, but a search is narrowed to the conversation's user; the global one is not."""
    plan = QualityPlan(
        variants=plan_variants([], []), modes=("lexical",), pools=("scope", "global")
    )

    scoped, free = (
        _runner(tmp_path, opener, progress, plan).dialogues(load_locomo(data_folder)).runs
    )

    def strangers(ranked_keys: tuple[str, ...], own: str) -> list[str]:
        return [key for key in ranked_keys if not key.startswith(own)]

    assert not any(strangers(one.keys, one.question.cluster) for one in scoped.ranked)
    assert any(strangers(one.keys, one.question.cluster) for one in free.ranked)
    assert len(list(tmp_path.glob("locomo-*"))) == 1


def test_modes_that_the_product_cannot_serve_are_left_out_with_a_note(
    data_folder: Path, tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> None:
    """No embedder: vector search raises, hybrid search answers in another mode."""
    opener.modes = {"lexical"}
    plan = QualityPlan(variants=plan_variants([], []), pools=("conversation",))

    measured = _runner(tmp_path, opener, progress, plan).dialogues(load_locomo(data_folder))

    assert [run.mode for run in measured.runs] == ["lexical"]
    assert measured.notes == (
        "vector search was left out: the model is not installed",
        "hybrid search was left out: no embedder",
    )


def test_variants_of_the_ranking_share_homes(
    data_folder: Path, tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> None:
    """A variant of the chunks does not."""
    variants = plan_variants([], ["wide:search.candidates=900", "small:chunking.tokens=100"])
    plan = QualityPlan(variants=variants, modes=("lexical",), pools=("global",))

    measured = _runner(tmp_path, opener, progress, plan).dialogues(load_locomo(data_folder))

    assert [run.variant for run in measured.runs] == ["base", "wide", "small"]
    assert len(measured.homes) == len(list(tmp_path.glob("locomo-*"))) == 2
    assert {"search.candidates": "900"} in opener.opened


def test_documents_are_searched_as_memory_files(
    data_folder: Path, tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> None:
    """Hits are files; keys are documents."""
    plan = QualityPlan(variants=plan_variants([], []), modes=("lexical",))

    (run,) = _runner(tmp_path, opener, progress, plan).documents(load_cranfield(data_folder)).runs

    assert (run.pool, run.ranked[0].keys) == ("collection", ("1",))


def test_a_hit_that_was_never_stored_stops_the_run(
    data_folder: Path, tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> None:
    """A kept home that somebody wrote into must not be scored."""
    plan = QualityPlan(variants=plan_variants([], []), modes=("lexical",), pools=("global",))
    data = load_locomo(data_folder)
    home = Homes(tmp_path, opener, progress).of_conversations(data, data.conversations, {})
    with opener(home.home) as memory:
        session = memory.create(key="a:b")
        memory.append(session.id, "user", "Who started pottery?")

    with pytest.raises(Conflict) as refused:
        _runner(tmp_path, opener, progress, plan).dialogues(data)
    assert "--keep" in refused.value.hint


def test_conversations_without_questions_are_stored_but_not_asked(
    data_folder: Path, tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> None:
    """They are part of the haystack of the others."""
    data = load_locomo(data_folder)
    asked = tuple(one for one in data.questions if one.cluster == "conv-1")
    data = msgspec.structs.replace(data, questions=asked)
    plan = QualityPlan(variants=plan_variants([], []), modes=("lexical",), pools=("conversation",))

    (run,) = _runner(tmp_path, opener, progress, plan).dialogues(data).runs

    assert len(run.ranked) == 3
