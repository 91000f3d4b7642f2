"""One server for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.running_server import RunningServer
from tests.support.sample_routes import SAMPLES


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with the routes of the application and samples of every kind."""
    with RunningServer(tmp_path_factory.mktemp("home"), SAMPLES) as running:
        yield running
