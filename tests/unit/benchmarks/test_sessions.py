"""The bench of sessions: on the product itself, very small."""

from __future__ import annotations

import json
import sys
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

import recollect
from benchmarks.commands import app
from benchmarks.load.session_writer import ALONE, WriteOrder, WritingProcess, Written, main
from benchmarks.load.sessions import SessionPlan, SessionRunner, describe_sessions, session_grids
from benchmarks.measure.environment import describe_environment
from recollect.core.errors import RecollectError


def test_every_figure_of_sessions_is_measured(tmp_path: Path) -> None:
    """Forks, views, writes alone and together, and finding one among many; nothing is lost."""
    told: list[str] = []
    runner = SessionRunner(
        tmp_path, describe_environment(), lambda stage, _done, _all: told.append(stage)
    )
    plan = SessionPlan(messages=40, sessions=6, depth=3, tree=4, rounds=2, processes=2)
    run = runner.run(plan)
    assert {figure.latency.n for figure in run.figures} == {2, 4}
    assert (run.acknowledged, run.lost, run.gaps) == (4, 0, False)
    assert {"writing a long session", "growing a tree", "making many sessions"} <= set(told)
    (grid,) = session_grids(run)
    assert len(grid.rows) == len(run.figures) == 13
    assert describe_sessions(run)[1] == "4 messages of 2 processes: 0 lost, no gap in their order"


def test_the_command_prints_one_document() -> None:
    """The options make it as short as a test wants it."""
    few = ["sessions", "--messages", "20", "--many", "3", "--rounds", "1", "--processes", "1"]
    shown = CliRunner().invoke(app, [*few, "--tree", "2", "--depth", "1", "--json"])
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(shown.stdout)["plan"]["messages"] == 20


def test_a_writer_answers_with_what_each_message_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It waits for the order first."""
    with recollect.open(tmp_path, overrides=ALONE, live=False) as memory:
        session = memory.sessions.create()
        monkeypatch.setattr(sys, "stdin", StringIO("go\n"))
        order = WriteOrder(home=str(tmp_path), session=session.id, name="w0", count=3)
        main([msgspec.json.encode(order).decode()])
        assert len(memory.sessions.messages(session.id)) == 3
    ready, told = capsys.readouterr().out.splitlines()
    written = msgspec.json.decode(told, type=Written)
    assert (ready, len(written.laps), written.ended > written.began) == ("ready", 3, True)


@pytest.mark.parametrize("says", ["", "ready"])
def test_a_writer_that_ends_is_an_error(says: str) -> None:
    """And not a bench that waits for ever."""
    writer = WritingProcess([sys.executable, "-c", f"print({says!r})"])
    with writer, pytest.raises(RecollectError):
        _ask(writer)


def _ask(writer: WritingProcess) -> None:
    writer.expect_ready()
    writer.go()
    writer.written()
