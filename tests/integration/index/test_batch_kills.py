"""kill -9 at every step of a batch: the next process goes on, and no text is paid for twice."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from tests.integration.index.batch_worker import TEXTS
from tests.support.batch_server import BatchService, Plan, Stage, staged
from tests.support.provider_server import Fault, ProviderServer, Turn
from tests.unit.index.batch_home import BatchHome, embedder_at

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 60.0


def _hold(reached: threading.Event, *, half: bool) -> Fault:
    """Return a fault that says nothing, or half of the answer, until the client is dead."""

    def fault(turn: Turn) -> None:
        if half:
            body = turn.response.body
            turn.handler.send_response(200)
            turn.handler.send_header("content-length", str(len(body)))
            turn.handler.end_headers()
            turn.handler.wfile.write(body[: len(body) // 2])
            turn.handler.wfile.flush()
        turn.handler.close_connection = True
        reached.set()
        turn.closing.wait(PATIENCE_S)

    return fault


def _kill_at(stage: Stage, home: Path, server: ProviderServer, provider: str) -> None:
    """Start a sync in another process and kill it while it waits for an answer."""
    reached = threading.Event()
    server.always(staged(**{stage: [_hold(reached, half=stage == "download")]}))
    arguments = [sys.executable, "-m", "tests.integration.index.batch_worker"]
    with subprocess.Popen([*arguments, str(home), server.origin, provider], cwd=ROOT) as process:
        try:
            while not reached.wait(0.1):
                assert process.poll() is None, "it ended by itself"
        finally:
            process.kill()
    server.always(None)


@pytest.mark.parametrize(
    ("stage", "provider"),
    [
        ("upload", "openai"),
        ("create", "openai"),
        ("create", "gemini"),
        ("look", "voyage"),
        ("download", "openai"),
        ("delete", "openai"),
    ],
)
def test_a_killed_sync_is_taken_up_by_the_next_one(
    tmp_path: Path, stage: Stage, provider: str
) -> None:
    """What was started is found again and collected; what was only uploaded is sent anew."""
    service = BatchService(Plan(looks=2))
    home = tmp_path / "home"
    with ProviderServer(services=[service]) as server:
        _kill_at(stage, home, server, provider)
        with BatchHome(home, server, TEXTS, embedder_at(server, provider)) as next_one:
            next_one.sync()
            next_one.check_vectors()
            assert (next_one.waiting, next_one.jobs) == (0, [])
        assert server.texts() == []
    assert service.count("create") == 1
    assert Counter(service.texts) == Counter(TEXTS)
    assert list((home / "batches").iterdir()) == []
