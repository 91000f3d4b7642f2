"""A hook of an empty home."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.hook_process import Hook


@pytest.fixture
def hook(tmp_path: Path) -> Iterator[Hook]:
    """Runs the hook client as processes of their own."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with Hook(home) as hook:
        yield hook
