"""An empty home."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.sessions.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """An empty home."""
    opened = Home(tmp_path / "home")
    yield opened
    opened.close()
