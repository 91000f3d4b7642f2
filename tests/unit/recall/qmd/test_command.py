"""Running the external command: what it is given, and what ends it."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from recollect.backends.qmd.command import QmdCommand
from recollect.core.errors import ProviderUnavailable
from recollect.models import subprocess
from recollect.models.subprocess import ProgramOutput
from tests.unit.recall.qmd.conftest import StandIn

ENVIRON = {"PATH": "/nowhere", "LANG": "C.UTF-8"}
LONG_S = 30.0


def _run(stand_in: StandIn, tmp_path: Path, timeout_s: float = LONG_S) -> ProgramOutput:
    made = QmdCommand(str(stand_in.path), tmp_path, ENVIRON)
    return made.run(["--index", "index", "search", "--", "tea; rm -rf $HOME"], timeout_s)


def test_it_gets_its_arguments_as_they_are_and_few_variables(
    stand_in: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No shell reads them, and none of the user's keys reach it."""
    monkeypatch.setenv("OPENAI_API_KEY", "not-for-everybody")
    _run(stand_in, tmp_path)
    ((arguments, folder, variables),) = stand_in.notes()
    assert arguments[2:] == ["search", "--", "tea; rm -rf $HOME"]
    assert folder == str(tmp_path)
    assert variables.keys() - {"LC_CTYPE"} == ENVIRON.keys()


def _failure(stand_in: StandIn, tmp_path: Path, timeout_s: float = LONG_S) -> ProviderUnavailable:
    with pytest.raises(ProviderUnavailable) as caught:
        _run(stand_in, tmp_path, timeout_s)
    assert caught.value.hint
    return caught.value


def test_an_exit_code_is_a_failure_with_the_names_of_its_errors(
    stand_in: StandIn, tmp_path: Path
) -> None:
    """All else that it says could hold words of the user."""
    stand_in.does("sys.stderr.write('SqliteError: no secret (code: SQLITE_BUSY)'); sys.exit(3)")
    found = _failure(stand_in, tmp_path)
    assert found.message == "qmd ended with code 3 (SqliteError, SQLITE_BUSY)"
    assert not found.facts["is_damaged"]


def test_a_damaged_index_is_told_apart(stand_in: StandIn, tmp_path: Path) -> None:
    """It can be made again."""
    stand_in.does("sys.stderr.write('code: SQLITE_NOTADB'); sys.exit(1)")
    assert _failure(stand_in, tmp_path).facts["is_damaged"]


def test_a_signal_is_a_failure(stand_in: StandIn, tmp_path: Path) -> None:
    """As a crash of a native module is."""
    stand_in.does("os.kill(os.getpid(), 11)")
    assert "code -11" in _failure(stand_in, tmp_path).message


def test_one_that_takes_too_long_is_killed_with_its_children(
    stand_in: StandIn, tmp_path: Path
) -> None:
    """A child that keeps the output open keeps nobody waiting."""
    child = tmp_path / "child"
    stand_in.does(
        "if os.fork() == 0:\n"
        f"    open({str(child)!r}, 'w').write(str(os.getpid()))\n"
        "    time.sleep(600)\n"
        "time.sleep(600)"
    )
    assert _failure(stand_in, tmp_path, 1.0).message == "qmd took too long"
    deadline, waiting = time.monotonic() + 10, threading.Event()
    while _runs(int(child.read_text())) and time.monotonic() < deadline:
        waiting.wait(0.01)
    assert not _runs(int(child.read_text()))


def _runs(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return False


def test_one_that_closes_its_output_and_stays_is_killed(stand_in: StandIn, tmp_path: Path) -> None:
    """The deadline holds for all of it."""
    stand_in.does("os.close(1); os.close(2); time.sleep(600)")
    assert _failure(stand_in, tmp_path, 0.3).message == "qmd took too long"


def test_one_that_says_too_much_is_killed(
    stand_in: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its output does not fill the memory."""
    monkeypatch.setattr(subprocess, "MOST_BYTES", 1 << 16)
    stand_in.does("while True: sys.stdout.write('x' * 4096)")
    assert _failure(stand_in, tmp_path).message == "qmd said too much"


def test_one_that_nobody_waits_for_any_more_is_killed(stand_in: StandIn, tmp_path: Path) -> None:
    """When the memory is closed."""
    stand_in.does("time.sleep(600)")
    made = QmdCommand(str(stand_in.path), tmp_path, ENVIRON)
    with pytest.raises(ProviderUnavailable, match="stopped"):
        made.run(["--index", "index", "search"], LONG_S, lambda: True)


@pytest.mark.parametrize("name", ["qmd-that-nobody-has", "/no/such/qmd"])
def test_one_that_is_not_there_is_a_failure(tmp_path: Path, name: str) -> None:
    """With the way to get it."""
    with pytest.raises(ProviderUnavailable) as caught:
        QmdCommand(name, tmp_path, ENVIRON).run(["search"], LONG_S)
    assert "npm install" in caught.value.hint


def test_one_that_cannot_be_started_is_a_failure(tmp_path: Path) -> None:
    """It is no program, or its folder is gone."""
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF nothing")
    broken.chmod(0o700)
    for folder in (tmp_path, tmp_path / "gone"):
        with pytest.raises(ProviderUnavailable, match="cannot be started"):
            QmdCommand(str(broken), folder, ENVIRON).run(["search"], LONG_S)
    assert os.access(broken, os.X_OK)
