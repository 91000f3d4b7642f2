"""Progress: bars on a terminal, some lines elsewhere, nothing where it would disturb."""

from __future__ import annotations

import io
import sys

import pytest

from recollect.cli.output import progress
from recollect.cli.output.progress import Bars, ProgressLines, Steps, show_progress
from recollect.exchange.report import ImportProgress
from recollect.index.model.sync_report import Progress


class _Time:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def _reading(done: int, left: int) -> Progress:
    return Progress(stage="reading", done=done, left=left)


def test_lines_come_every_some_seconds_with_rate_and_rest() -> None:
    """The first one after as long a time."""
    time, lines = _Time(), list[str]()
    steps = Steps(ProgressLines(lines.append, time))
    steps.indexing(_reading(0, 1000))
    time.now += 4
    steps.indexing(_reading(400, 600))
    assert lines == []
    time.now += 1
    steps.indexing(_reading(500, 500))
    steps.indexing(_reading(510, 490))
    assert lines == ["reading: 500 of 1,000, 50 %, 100/s, 5.0 s left"]


def test_every_stage_has_its_own_rate() -> None:
    """Embedding is slower than reading."""
    time, lines = _Time(), list[str]()
    steps = Steps(ProgressLines(lines.append, time))
    steps.indexing(_reading(1000, 0))
    steps.indexing(Progress(stage="embedding", done=0, left=50))
    time.now += 10
    steps.indexing(Progress(stage="embedding", done=20, left=30))
    assert lines == ["embedding: 20 of 50, 40 %, 2/s, 15 s left"]


def test_an_import_is_told_in_bytes() -> None:
    """Its files differ in size."""
    time, lines = _Time(), list[str]()
    steps = Steps(ProgressLines(lines.append, time))
    report = ImportProgress(files=1, files_done=0, bytes=0, bytes_done=0, messages=0, path="x")
    steps.importing(report)
    time.now += 5
    steps.importing(
        ImportProgress(
            files=1, files_done=1, bytes=1 << 20, bytes_done=1 << 20, messages=7, path="x"
        )
    )
    assert lines == ["importing: 1.0 MB of 1.0 MB, 100 %, 205 KB/s"]


def test_nothing_to_do_is_no_division_by_zero() -> None:
    """An empty stage is done."""
    time, lines = _Time(), list[str]()
    painter = ProgressLines(lines.append, time)
    time.now += 9
    painter.paint("Reading", 0, 0, "documents")
    assert lines == ["reading: 0 of 0, 100 %, 0/s"]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _use_terminal(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    """Put a terminal in the place of stderr. In the test itself: pytest changes it before."""
    shown = _Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    return shown


def test_short_work_draws_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that indexes one message does not flicker."""
    terminal = _use_terminal(monkeypatch)
    bars = Bars(_Time())
    bars.paint("Reading", 1, 2, "documents")
    bars.close()
    assert terminal.getvalue() == ""


def test_long_work_draws_a_bar_for_each_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """With amounts; they vanish at the end."""
    terminal = _use_terminal(monkeypatch)
    time = _Time()
    bars = Bars(time)
    time.now += 1
    bars.paint("Reading", 500, 1000, "documents")
    bars.paint("Reading", 1000, 1000, "documents")
    bars.paint("Embedding", 10, 50, "chunks")
    bars.close()
    shown = terminal.getvalue()
    assert "Embedding" in shown
    assert "10 of 50" in shown


def test_the_place_decides_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal, a log, or somebody who reads JSON."""
    kinds: list[str] = []
    _use_terminal(monkeypatch)
    monkeypatch.setattr(progress, "Steps", lambda painter: kinds.append(type(painter).__name__))
    for quiet in (False, True):
        with show_progress(quiet=quiet):
            pass
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    for quiet in (False, True):
        with show_progress(quiet=quiet):
            pass
    assert kinds == ["Bars", "Bars", "ProgressLines", "Painter"]


def test_a_log_gets_its_line_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not when the buffer is full."""
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    monkeypatch.setattr(progress, "LINE_EVERY_S", 0.0)
    with show_progress() as steps:
        steps.indexing(_reading(1, 0))
    assert log.getvalue().startswith("reading: 1 of 1, 100 %")
