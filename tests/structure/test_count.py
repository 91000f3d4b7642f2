"""The closing line of .ci/run: how many tests passed, failed and were skipped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "count.py"


def _count(report: Path) -> tuple[str, int]:
    command = [sys.executable, str(SCRIPT), str(report)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    return done.stdout.strip(), done.returncode


@pytest.mark.parametrize(
    ("numbers", "line", "status"),
    [
        ('tests="9" failures="0" errors="0" skipped="2"', "7 passed, 0 failed, 2 skipped", 0),
        ('tests="9" failures="1" errors="1" skipped="2"', "5 passed, 2 failed, 2 skipped", 1),
        ('tests="0" failures="0" errors="0" skipped="0"', "0 passed, 0 failed, 0 skipped", 1),
    ],
)
def test_the_line_counts_the_tests(numbers: str, line: str, status: int, tmp_path: Path) -> None:
    """An error counts as a failure, and a run without tests is not a success."""
    report = tmp_path / "tests.xml"
    report.write_text(f"<testsuites><testsuite {numbers}/></testsuites>", encoding="utf-8")
    assert _count(report) == (line, status)


def test_a_missing_report_is_a_failure(tmp_path: Path) -> None:
    """A run that died before its report must not look empty and green."""
    assert _count(tmp_path / "tests.xml") == ("0 passed, 1 failed, 0 skipped", 1)
