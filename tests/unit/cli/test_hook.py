"""`recollect hook`, and what status and doctor tell of events that wait for a worker."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from recollect.cli.setup.hook import REPORTING
from recollect.hook.spool import Spool
from recollect.server.routes.client_hooks import CLIENTS
from tests.support.scripted_worker import ScriptedWorker, http
from tests.unit.cli.conftest import Run

PAYLOAD = b'{"session_id": "s", "prompt": "hello"}'
Tell = Callable[[bytes], None]


@pytest.fixture
def tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tell]:
    """Gives stdin to a command."""
    with ExitStack() as opened:

        def give(payload: bytes) -> None:
            (tmp_path / "stdin").write_bytes(payload)
            file = opened.enter_context((tmp_path / "stdin").open(encoding="utf-8"))
            monkeypatch.setattr(sys, "stdin", file)

        yield give


def test_it_prints_what_the_hook_would(run: Run, home: Path, tell: Tell) -> None:
    """And tells beside it how long that took."""
    run("--home", home, "init")
    with ScriptedWorker(home, http(b'{"a":1}')) as worker:
        tell(PAYLOAD)
        done = run("--home", home, "hook", "claude-code", "Stop")
        assert (done.code, done.out) == (0, '{"a":1}\n')
        assert "delivered in " in done.err
        tell(PAYLOAD)
        assert run("--home", home, "hook", "claude-code", "Stop", "--json").json["answer"] == {
            "a": 1
        }
    assert [body for _, body in worker.requests] == [PAYLOAD, PAYLOAD]


def test_what_is_not_delivered_is_spooled_and_told(run: Run, home: Path, tell: Tell) -> None:
    """Unlike the hook it fails: a person runs it."""
    run("--home", home, "init")
    tell(PAYLOAD)
    done = run("--home", home, "hook", "claude-code", "Stop")
    assert done.code == 1
    assert "the event was not delivered, it is spooled: no worker runs" in done.err
    assert Spool(home).state().events == 1
    tell(b"no JSON")
    done = run("--home", home, "hook", "claude-code", "Stop", "--json")
    assert "cannot be redacted: it is lost" in done.error["message"]


def test_a_token_that_is_not_accepted_is_told(run: Run, home: Path, tell: Tell) -> None:
    """With where it lies."""
    run("--home", home, "init")
    with ScriptedWorker(home, http(b"{}", "401 Unauthorized")):
        tell(PAYLOAD)
        done = run("--home", home, "hook", "claude-code", "Stop", "--json")
    assert (done.code, done.error["code"]) == (1, "denied")
    assert "hooks/claude-code.token" in done.error["hint"]


def test_a_name_that_cannot_be_one_is_wrong_usage(run: Run, home: Path, tell: Tell) -> None:
    """It is a part of an address, and of a path."""
    run("--home", home, "init")
    tell(PAYLOAD)
    assert run("--home", home, "hook", "../token", "Stop").code == 2


def test_a_program_without_hooks_is_wrong_usage(run: Run, home: Path, tell: Tell) -> None:
    """No worker could store its event: it is not spooled either."""
    run("--home", home, "init")
    for client in ("claude", "openclaw"):
        tell(PAYLOAD)
        done = run("--home", home, "hook", client, "Stop", "--json")
        assert (done.code, done.error["hint"]) == (2, f"name {', '.join(REPORTING)}")
    assert Spool(home).state().events == 0
    assert tuple(CLIENTS) == REPORTING


def test_a_worker_that_fails_is_to_be_restarted(run: Run, home: Path, tell: Tell) -> None:
    """One runs: to start it is not what helps."""
    run("--home", home, "init")
    with ScriptedWorker(home, http(b"{}", "500 Internal Server Error")):
        tell(PAYLOAD)
        done = run("--home", home, "hook", "claude-code", "Stop", "--json")
    assert done.error["hint"].startswith("restart it: `recollect serve stop`")
    tell(PAYLOAD)
    done = run("--home", home, "hook", "claude-code", "Stop", "--json")
    assert done.error["hint"].startswith("start the worker")


def test_what_waits_is_shown_by_status_and_doctor(run: Run, home: Path, tell: Tell) -> None:
    """With what takes it in, and the names of what could not be read."""
    run("--home", home, "init")
    assert run("--home", home, "status", "--json").json["spool"]["events"] == 0
    tell(PAYLOAD)
    run("--home", home, "hook", "claude-code", "Stop")
    spool = Spool(home)
    assert (
        "warning: 1 event of hooks not stored yet, the oldest of"
        in run("--home", home, "status").err
    )
    (name,) = [path.name for path in spool.files()]
    spool.set_aside(spool.files()[0])
    spool.lose("full")
    status = run("--home", home, "status")
    assert "warning: 1 spooled file could not be read" in status.err
    assert "warning: 1 event of hooks lost so far" in status.err
    checks = run("--home", home, "doctor", "--json").json["checks"]
    (found,) = [each for each in checks if each["name"] == "spool"]
    assert found["state"] == "note"
    assert name in found["detail"]
    assert "1 event lost so far" in found["detail"]


def test_the_spool_is_removed_with_the_memory(run: Run, home: Path, tell: Tell) -> None:
    """`uninstall --with-memory` leaves nothing of ours."""
    run("--home", home, "init")
    tell(PAYLOAD)
    run("--home", home, "hook", "claude-code", "Stop")
    run("--home", home, "uninstall", "--with-memory", "--yes")
    assert not home.exists()
