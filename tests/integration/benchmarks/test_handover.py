"""Scenes and moments through the use case of the hook route, and a scene through a real worker."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from benchmarks.commands import app
from benchmarks.datasets.scenes import load_scenes
from benchmarks.measure.environment import describe_environment
from benchmarks.quality.handover import HandoverRun, run_scenes, without_large
from benchmarks.quality.moments import load_moments, run_moments
from benchmarks.quality.scene_play import in_process, in_worker


def test_two_scenes_are_played_and_judged(tmp_path: Path) -> None:
    """The shortest ones; what they left behind is gone."""
    scenes = sorted(without_large(load_scenes("seen")), key=lambda scene: len(scene.sessions))[:2]
    results = run_scenes(scenes, in_process, tmp_path, lambda *_: None)
    assert [each.id for each in results] == [scene.id for scene in scenes]
    assert all(each.block.tokens > 0 and each.block.content > 0 for each in results)
    assert list(tmp_path.iterdir()) == []


def test_a_scene_says_the_same_through_a_worker(tmp_path: Path) -> None:
    """The dates in its lines are others: there everything happens now."""
    (scene,) = (each for each in load_scenes("seen") if each.id == "seen-18")
    (played,) = run_scenes([scene], in_process, tmp_path, lambda *_: None)
    (served,) = run_scenes([scene], in_worker, tmp_path, lambda *_: None)
    assert served.block.content > 0
    assert served.block.said == played.block.said


def test_the_command_reports_totals_and_blocks() -> None:
    """As JSON, of one scene."""
    arguments = ["handover", "--scene", "seen-18", "--baseline", "--json"]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    run = msgspec.json.decode(result.stdout, type=HandoverRun)
    assert [each.id for each in run.results] == ["seen-18"]
    assert run.totals[0].needed == len(run.results[0].block.said)


@pytest.mark.parametrize(("option", "value"), [("--set", "unseen"), ("--scene", "seen-99")])
def test_a_scene_that_may_not_be_shown_is_refused(option: str, value: str) -> None:
    """One of the unseen half, or one that is not there."""
    arguments = ["handover", "--scene", "seen-01", option, value]
    assert CliRunner().invoke(app, arguments).exit_code != 0


def test_moments_are_classified(tmp_path: Path) -> None:
    """Every moment has an observation; those of the unseen half are not shown."""
    run = run_moments(describe_environment(), "unseen", tmp_path, lambda *_: None)
    assert run.errors == ()
    counts = [score for score in run.scores if score.group == "all"]
    assert sum(score.labelled for score in counts) == len(load_moments("unseen"))
    assert not [score for score in run.scores if score.group == "none"]
    assert 0 <= run.ordered <= 1
