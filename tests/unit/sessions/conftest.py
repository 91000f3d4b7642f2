"""Sessions over a real database in a temporary folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.sessions.sessions import Sessions
from tests.unit.sessions.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """An empty home."""
    opened = Home(tmp_path / "home")
    yield opened
    opened.close()


@pytest.fixture
def sessions(home: Home) -> Sessions:
    """The sessions of an empty home."""
    return home.sessions
