"""A test that hangs is ended and named, and the run goes on."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TESTS = """
import threading
import pytest

def test_that_hangs():
    threading.Event().wait()

@pytest.mark.parametrize("number", range(6))
def test_that_passes(number):
    pass
"""


def test_a_test_that_hangs_is_ended_and_named(tmp_path: Path) -> None:
    """As a failure of a parallel run, in the report too; the others are still run."""
    (tmp_path / "test_both.py").write_text(TESTS)
    report = tmp_path / "report.xml"
    parallel = ["--numprocesses", "2", "--dist", "worksteal", "-p", "no:cacheprovider"]
    ours = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path)]
    sooner = ["-o", "faulthandler_timeout=3", f"--junitxml={report}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *ours, *parallel, *sooner, str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "crashed while running 'test_both.py::test_that_hangs'" in done.stdout
    assert "in test_that_hangs" in done.stderr  # where it hung
    cases = ElementTree.parse(report).getroot().findall(".//testcase")  # noqa: S314 - pytest wrote it
    failed = {case.get("name") for case in cases if case.find("error") is not None}
    assert failed == {"test_that_hangs"}
    assert sum("test_that_passes" in str(case.get("name")) for case in cases) == 6


def test_the_limit_is_five_minutes() -> None:
    """A machine that is busy with other things needs some of them."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert options["tool"]["pytest"]["ini_options"]["faulthandler_timeout"] == 300
