"""The bench of facts: on the product itself, very small."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

import recollect
from benchmarks.commands import app
from benchmarks.load.knowledge import KnowledgePlan, KnowledgeRunner, knowledge_grids
from benchmarks.load.session_writer import ALONE
from benchmarks.measure.environment import describe_environment


def test_every_figure_of_facts_is_measured(tmp_path: Path) -> None:
    """People have as many facts each; a home that is filled is used again."""
    told: list[str] = []
    runner = KnowledgeRunner(
        tmp_path, describe_environment(), lambda stage, _done, _all: told.append(stage)
    )
    plan = KnowledgePlan(facts=40, people=8, rounds=2)
    run = runner.run(plan)
    assert [figure.latency.n for figure in run.figures] == [2] * 6
    (grid,) = knowledge_grids(run)
    assert [row[:2] for row in grid.rows][:2] == [("remember", "10 ms"), ("recall", "15 ms")]
    home = tmp_path / "knowledge-40-8-7" / "home"
    with recollect.open(home, overrides=ALONE, live=False) as memory:
        assert {fact.user for fact in memory.facts.list()} == {plan.person(n) for n in range(8)}
    runner.run(plan)
    assert told.count("storing facts") == 1


def test_the_command_prints_one_document() -> None:
    """The options make it as short as a test wants it."""
    few = ["knowledge", "--facts", "9", "--people", "3", "--rounds", "1"]
    shown = CliRunner().invoke(app, [*few, "--json"])
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(shown.stdout)["plan"]["facts"] == 9
