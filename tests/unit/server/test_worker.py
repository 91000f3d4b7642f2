"""What a worker refuses before it serves, and what it leaves behind."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import ConfigError, Conflict, Denied, RecollectError, StoreError
from recollect.server.presence import (
    LOG_FILE,
    LOGS,
    PRESENCE_FILE,
    SERVE_LOCK,
    TOKEN_FILE,
    find_presence,
    is_served,
)
from recollect.server.worker.daemon import look_at
from recollect.server.worker.home_worker import HomeWorker, refuse_shared
from tests.support.dying import Death
from tests.support.served import serving


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose search knows words only."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("embedding: {provider: none}\n")
    recollect.open(home, live=False).close()
    return home


def _refused(home: Path, error: type[RecollectError], **overrides: object) -> RecollectError:
    named = {key.replace("__", "."): value for key, value in overrides.items()}
    with pytest.raises(error) as caught:
        HomeWorker(home, named).run()
    assert caught.value.hint
    assert not (home / PRESENCE_FILE).exists()
    return caught.value


def test_threads_of_a_worker_take_turns_sooner(home: Path) -> None:
    """A hook waits for the interpreter some ten times; after the worker it is as it was."""
    before = sys.getswitchinterval()
    with serving(home):
        assert sys.getswitchinterval() == pytest.approx(before / 25)
    assert sys.getswitchinterval() == before


def test_a_second_worker_is_told_of_the_first(home: Path) -> None:
    """Where it is, and which process; the first one goes on."""
    with serving(home) as first:
        said = _refused_beside(home, first.address)
        assert f"process {os.getpid()}" in said
        assert find_presence(home) == first


def _refused_beside(home: Path, address: str) -> str:
    with pytest.raises(Conflict) as caught:
        HomeWorker(home).run()
    assert address in caught.value.message
    assert "serve stop" in caught.value.hint
    return caught.value.message


def test_what_a_killed_worker_left_is_replaced(home: Path) -> None:
    """worker.json and a socket file, without the lock, say nothing."""
    (home / PRESENCE_FILE).write_text('{"pid":1,"host":"127.0.0.1","port":9}')
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(home / "worker.sock"))
    left.close()
    with serving(home, {"server.socket": "worker.sock"}) as there:
        assert find_presence(home) == there
        assert there.pid == os.getpid()
    assert not (home / PRESENCE_FILE).exists()
    assert not (home / "worker.sock").exists()


def test_a_port_that_was_chosen_and_is_taken_is_told(home: Path) -> None:
    """One that nobody chose gives way."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = _refused(home, Conflict, server__port=port)
        assert f"port {port}" in said.message


@pytest.mark.parametrize("port", [0, 80, 1023, 65_536])
def test_a_port_of_the_system_is_refused(home: Path, port: int) -> None:
    """Below 1024 only the system may listen."""
    said = _refused(home, ConfigError, server__port=port)
    assert "server.port must be an integer from 1024 to 65535" in said.message


def test_a_home_of_another_user_is_refused(tmp_path: Path) -> None:
    """Root can write into it, and must not."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    home = tmp_path / "theirs"
    home.mkdir()
    os.chown(home, 12_345, 12_345)
    assert "belongs to another user" in _refused(home, Denied).message


def test_a_home_that_is_synchronized_is_refused_unless_it_is_wanted(tmp_path: Path) -> None:
    """It is copied while it changes; who knows better says so."""
    home = tmp_path / "Dropbox" / "home"
    home.mkdir(parents=True, mode=0o700)
    said = _refused(home, Denied)
    assert "synchronized (Dropbox)" in said.message
    assert "server.allow_shared_folder" in said.hint
    refuse_shared(tmp_path)
    with serving(home, {"server.allow_shared_folder": True, "embedding.provider": "none"}) as there:
        assert find_presence(home) == there


def test_a_worker_that_cannot_tell_of_itself_does_not_serve(home: Path) -> None:
    """Nobody would find it; its lock is let go."""
    (home / PRESENCE_FILE).mkdir()
    with pytest.raises(StoreError, match=PRESENCE_FILE):
        HomeWorker(home).run()
    assert not look_at(home).running


def test_the_files_of_a_worker_are_its_users_alone(home: Path) -> None:
    """Token, worker.json and log: 0600; the folder of logs 0700."""
    with serving(home):
        for name in (TOKEN_FILE, PRESENCE_FILE, f"{LOGS}/{LOG_FILE}"):
            assert (home / name).stat().st_mode & 0o777 == 0o600, name
        assert (home / LOGS).stat().st_mode & 0o777 == 0o700


def test_the_state_of_a_worker_tells_whether_it_is_used(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Running, answering, and used by this shell are three things."""
    assert not look_at(home).running
    with serving(home) as there:
        found = look_at(home)
        assert (found.running, found.answers, found.used) == (True, True, True)
        assert found.worker == there
        monkeypatch.setenv("RECOLLECT_SEARCH__LIMIT", "3")
        assert "environment" in (look_at(home).unused_because or "")


def test_a_worker_tells_in_its_log_when_it_began_and_ended(home: Path) -> None:
    """Times in UTC; no line of what people said."""
    with serving(home) as there:
        pass
    lines = (home / LOGS / LOG_FILE).read_text().splitlines()
    assert any(f"serves {there.address}" in line for line in lines)
    assert lines[-1].endswith("stopped")
    assert all(re.match(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d", line) for line in lines)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_whose_server_dies_at_its_birth_ends_with_an_error(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not sit there, answering nobody."""
    real = threading.Thread.run

    def run(thread: threading.Thread) -> None:
        if thread.name == "recollect-server":
            raise Death
        real(thread)

    monkeypatch.setattr(threading.Thread, "run", run)
    _refused(home, StoreError)


def test_a_deleted_lock_file_lets_no_second_worker_in(home: Path) -> None:
    """A cleaner of old files deletes it; the first worker goes on, and takes it again."""
    with serving(home) as first:
        (home / SERVE_LOCK).unlink()
        with pytest.raises(Conflict, match="serves this home"):
            HomeWorker(home).run()
        while find_presence(home) != first:
            assert not (home / SERVE_LOCK).is_symlink()
        assert is_served(home)
    assert not is_served(home)


def test_a_worker_of_another_process_is_not_let_in_either(home: Path) -> None:
    """The folder is locked as well as the file."""
    with serving(home):
        (home / SERVE_LOCK).unlink()
        command = [sys.executable, "-m", "recollect", "--home", str(home), "serve"]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 1
        assert "serves this home" in done.stderr
