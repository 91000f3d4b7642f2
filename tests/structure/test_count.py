"""The closing line of .ci/run: how many tests passed, failed and were skipped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "count.py"


def _count(*reports: Path) -> tuple[list[str], int]:
    command = [sys.executable, str(SCRIPT), *map(str, reports)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    return done.stdout.splitlines(), done.returncode


def _report(folder: Path, numbers: str, cases: str = "", name: str = "tests.xml") -> Path:
    report = folder / name
    text = f"<testsuites><testsuite {numbers}>{cases}</testsuite></testsuites>"
    report.write_text(text, encoding="utf-8")
    return report


@pytest.mark.parametrize(
    ("numbers", "line", "status"),
    [
        ('tests="9" failures="0" errors="0" skipped="2"', "7 passed, 0 failed, 2 skipped", 0),
        ('tests="9" failures="1" errors="1" skipped="2"', "5 passed, 2 failed, 2 skipped", 1),
        ('tests="0" failures="0" errors="0" skipped="0"', "0 passed, 1 failed, 0 skipped", 1),
    ],
)
def test_the_line_counts_the_tests(numbers: str, line: str, status: int, tmp_path: Path) -> None:
    """An error counts as a failure, and a run without tests is not a success."""
    assert _count(_report(tmp_path, numbers)) == ([line], status)


def test_reports_are_added_up(tmp_path: Path) -> None:
    """The durability tests run by themselves."""
    one = _report(tmp_path, 'tests="3" failures="0" errors="0" skipped="0"')
    other = _report(tmp_path, 'tests="4" failures="1" errors="0" skipped="0"', name="other.xml")
    assert _count(one, other) == (["6 passed, 1 failed, 0 skipped"], 1)


def test_a_missing_report_is_a_failure(tmp_path: Path) -> None:
    """A run that died before its report must not look empty and green."""
    there = _report(tmp_path, 'tests="3" failures="0" errors="0" skipped="0"')
    assert _count(tmp_path / "none.xml") == (["0 passed, 1 failed, 0 skipped"], 1)
    assert _count(there, tmp_path / "none.xml") == (["3 passed, 1 failed, 0 skipped"], 1)


@pytest.mark.parametrize(
    ("skip", "status"),
    [
        ('<skipped type="pytest.skip" message="root reads everything"/>', 0),
        ("<skipped message=\"collection skipped\">could not import 'llama_cpp': none</skipped>", 0),
        ('<skipped type="pytest.xfail" message="known"/>', 0),
        ('<skipped type="pytest.skip" message="the package chromadb is not installed"/>', 1),
        ('<skipped type="pytest.skip" message=""/>', 1),
    ],
)
def test_a_skip_needs_an_accepted_reason(skip: str, status: int, tmp_path: Path) -> None:
    """What is not there must not make a run green."""
    case = f'<testcase classname="tests.x" name="test_y">{skip}</testcase>'
    report = _report(tmp_path, 'tests="2" failures="0" errors="0" skipped="1"', case)
    lines, found = _count(report)
    assert found == status
    assert lines[-1] == f"1 passed, {status} failed, 1 skipped"
    assert any("tests.x.test_y" in line for line in lines) == bool(status)
