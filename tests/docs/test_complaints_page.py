"""The page of complaints: 22 of them, and every test that it names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "complaints.md").read_text("utf-8")
ROWS = re.findall(r"^\| (\d+) \| (.+?) \| (.+) \|$", PAGE, re.MULTILINE)
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`", PAGE)))


def test_all_of_them_are_answered() -> None:
    """Each by a test or a reason."""
    assert [int(number) for number, _, _ in ROWS] == list(range(1, 23))
    assert all(len(answer) > 40 for _, _, answer in ROWS)


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_a_test_of_the_page_exists(file: str, test: str) -> None:
    """A name that is gone would promise what nothing checks."""
    assert f"def {test or 'test_'}" in (ROOT / file).read_text("utf-8")
