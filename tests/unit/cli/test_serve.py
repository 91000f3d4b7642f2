"""`recollect serve`: what it says of the worker of a home."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.server.presence import PRESENCE_FILE, TOKEN_FILE, find_presence
from recollect.server.worker import daemon
from tests.support.served import serving
from tests.unit.cli.conftest import Run


@pytest.fixture
def made(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home whose search knows words only; its worker is stopped after the test."""
    monkeypatch.setattr(daemon, "START_S", 120.0)
    assert run("--home", home, "init").code == 0
    (home / "config.yaml").write_text("embedding: {provider: none}\n")
    yield home
    daemon.stop(home)


def test_without_a_home_nothing_is_served(run: Run, home: Path) -> None:
    """A misspelt --home makes no new one."""
    for command in ((), ("--daemon",), ("stop",), ("status",)):
        done = run("--home", home, "serve", *command, "--json")
        assert (done.code, done.error["code"]) == (1, "not_found")
    assert not home.exists()


def test_in_the_background_it_tells_where_it_is(run: Run, made: Path) -> None:
    """Address, home, who may call, where the token and the log are."""
    done = run("--home", made, "serve", "--daemon")
    there = find_presence(made)
    assert there is not None
    assert done.code == 0
    for word in (there.address, str(made), "programs of this machine", str(made / TOKEN_FILE)):
        assert word in done.out
    state = run("--home", made, "serve", "status")
    assert (state.code, there.address in state.out, str(there.pid) in state.out) == (0, True, True)
    assert run("--home", made, "serve", "stop").out == f"stopped process {there.pid}\n"
    assert run("--home", made, "serve", "stop").out == "no worker runs\n"
    gone = run("--home", made, "serve", "status")
    assert (gone.code, gone.out) == (1, "no worker runs\n")
    assert "recollect serve --daemon" in gone.err


def test_a_shell_with_other_settings_is_warned(
    run: Run, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its commands work by themselves, and somebody may wonder why they are slow."""
    with serving(made):
        assert "do not use it" not in run("--home", made, "serve", "status").err
        monkeypatch.setenv("RECOLLECT_SEARCH__LIMIT", "3")
        state = run("--home", made, "serve", "status")
        assert "commands do not use it: its environment has other settings" in state.err
        assert run("--home", made, "serve", "status", "--json").json["used"] is False


def test_a_worker_that_begins_has_no_address_yet(run: Run, made: Path) -> None:
    """It holds the lock, and writes worker.json as soon as it answers."""
    with serving(made) as there:
        content = (made / PRESENCE_FILE).read_bytes()
        (made / PRESENCE_FILE).unlink()
        assert run("--home", made, "serve", "status").out == "a worker starts or stops\n"
        stopped = run("--home", made, "serve", "stop", "--json")
        assert (stopped.code, stopped.error["code"]) == (1, "not_found")
        (made / PRESENCE_FILE).write_bytes(content)
        assert find_presence(made) == there


def test_beside_another_one_it_does_not_serve(run: Run, made: Path) -> None:
    """Not here; in the background one serves already, so that is shown."""
    with serving(made) as there:
        done = run("--home", made, "serve", "--json")
        assert (done.code, done.error["code"]) == (1, "conflict")
        assert there.address in done.error["message"]
        shown = run("--home", made, "serve", "--daemon", "--json")
        assert (shown.code, shown.json["worker"]["pid"]) == (0, there.pid)
        moved = run("--home", made, "serve", "--daemon", "--port", "1234", "--json")
        assert (moved.code, moved.error["code"]) == (1, "conflict")
