"""Counts the tests of JUnit reports: how many passed, failed and were skipped, on one last line.

A test may be skipped for a reason in `MAY_BE_MISSING`. Any other skip fails: what is not there
must not make a run green.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from pathlib import Path

MAY_BE_MISSING = (
    r"root reads everything",
    r"the npm package @tobilu/qmd is not installed",
    r"the npm package openclaw is not wanted",
    r"the real OpenClaw is not wanted",
    r"node is not installed: the plugin of OpenClaw is JavaScript",
    r"the real Claude Code is not wanted",
    r"the MCP clients of the npm registry are not wanted",
    r"could not import 'llama_cpp'",
    r"needs the reference data of OpenClaw",
    r"playwright is not installed",
    r"chromium is not installed",
    r"axe is not installed",
    r"tmux is not installed",
)
"""What a machine may lack: an unprivileged user, npm, a compiler for llama.cpp, a browser, a
terminal, data that is not ours."""


def main(reports: Sequence[Path]) -> int:
    """Print the line; return 1 when a test failed, was skipped for nothing, or a report is missing.

    Args:
        reports: Of all runs; each must hold a test.
    """
    passed = failed = skipped = 0
    for report in reports:
        counts = _counts(report) if report.exists() else (0, 1, 0)
        if report.exists():
            for name in _unexpected_skips(report):
                print(f"skipped for no accepted reason: {name}")
                failed += 1
        passed, failed, skipped = passed + counts[0], failed + counts[1], skipped + counts[2]
        failed += counts == (0, 0, 0)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


def _counts(report: Path) -> tuple[int, int, int]:
    totals = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for suite in _root(report).iter("testsuite"):
        for name in totals:
            totals[name] += int(suite.get(name, "0"))
    failed = totals["failures"] + totals["errors"]
    return totals["tests"] - failed - totals["skipped"], failed, totals["skipped"]


def _unexpected_skips(report: Path) -> Iterator[str]:
    for case in _root(report).iter("testcase"):
        for skip in case.iter("skipped"):
            reason = f"{skip.get('message', '')} {skip.text or ''}"
            is_expected_failure = skip.get("type") == "pytest.xfail"
            if not is_expected_failure and not any(re.search(r, reason) for r in MAY_BE_MISSING):
                yield f"{case.get('classname')}.{case.get('name')}: {reason.strip()}"


def _root(report: Path) -> ElementTree.Element:
    return ElementTree.parse(report).getroot()  # noqa: S314 - pytest wrote it


if __name__ == "__main__":
    sys.exit(main([Path(argument) for argument in sys.argv[1:]]))
