"""Prints how many tests of a JUnit report passed, failed and were skipped, on one line."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def main(report: Path) -> int:
    """Print the line; return 1 when a test failed or the report is missing."""
    passed, failed, skipped = _counts(report) if report.exists() else (0, 1, 0)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


def _counts(report: Path) -> tuple[int, int, int]:
    suites = ElementTree.parse(report).getroot().iter("testsuite")  # noqa: S314 - pytest wrote it
    totals = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for suite in suites:
        for name in totals:
            totals[name] += int(suite.get(name, "0"))
    failed = totals["failures"] + totals["errors"]
    return totals["tests"] - failed - totals["skipped"], failed, totals["skipped"]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
