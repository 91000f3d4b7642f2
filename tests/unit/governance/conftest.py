"""A home with its retention, over real databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.governance.kept_home import KeptHome


@pytest.fixture
def home(tmp_path: Path) -> Iterator[KeptHome]:
    """An empty home."""
    opened = KeptHome(tmp_path / "home")
    yield opened
    opened.close()
