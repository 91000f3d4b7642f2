"""Lines that the structure tests print at the end of a run, where capturing cannot swallow them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest


@pytest.fixture
def note(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """A function that keeps one line for the end of the run."""
    return partial(_keep, request.node)


def _keep(test: pytest.Item, line: str) -> None:
    test.user_properties.append(("sizes", line))  # with the report of the test, from any process
