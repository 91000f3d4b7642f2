"""One server for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.answers.doctor import MendableFindings
from recollect.server.home import doctor
from tests.support.running_server import RunningServer
from tests.support.sample_routes import SAMPLES


@pytest.fixture(autouse=True)
def quick_doctor(monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor is asked hundreds of times here; its process has tests of its own."""
    findings = MendableFindings(healthy=True, fixed=[], checks=[], plan_id="0")
    monkeypatch.setattr(doctor, "_findings", lambda _home, _options: findings)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with the routes of the application and samples of every kind."""
    with RunningServer(tmp_path_factory.mktemp("home"), SAMPLES) as running:
        yield running
