"""The Python page: names what is public, and nothing that does not exist."""

from __future__ import annotations

import inspect
import re
from operator import attrgetter
from pathlib import Path

import pytest

import recollect

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "python.md"
TEXT = PAGE.read_text(encoding="utf-8")
CALLS = re.findall(r"^\| `memory\.([\w.]+)\(([^)]*)\)`", TEXT, re.MULTILINE)


@pytest.mark.parametrize("name", recollect.__all__)
def test_a_public_name_exists_and_is_documented(name: str) -> None:
    """`__all__` is the promise; the page says what it means."""
    assert inspect.getdoc(getattr(recollect, name))
    assert re.search(rf"\b{name}\b", TEXT)


def test_every_documented_call_exists(tmp_path: Path) -> None:
    """Names and parameters of the page are those of the code, in their order."""
    overrides = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=overrides) as memory:
        for name, written in CALLS:
            parameters = inspect.signature(attrgetter(name)(memory)).parameters
            told = [part.split("=")[0].strip() for part in written.split(",") if part.strip()]
            names = [part for part in told if part != "*"]
            assert names == [known for known in parameters if known in names], name
    assert len(CALLS) > 10
