"""The worker as a process: it starts, ends and is killed, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

import recollect
from recollect.server.presence import (
    LOGS,
    PRESENCE_FILE,
    START_LOCK,
    START_LOG,
    TOKEN_FILE,
    find_presence,
    is_served,
)
from recollect.server.worker import daemon
from tests.support.served import free_port

ROUNDS = int(os.environ.get("WORKER_ROUNDS", "10"))  # noqa: TID251 - `make soak` asks for 1,000


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home that knows one message, with a free port; its worker is ended after the test."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RECOLLECT_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(daemon, "START_S", 120.0)
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.yaml").write_text("embedding: {provider: none}\n")
    with recollect.open(home, live=False) as memory:
        session = memory.sessions.create(title="Tea")
        memory.sessions.append(session.id, "user", "The green tea is in the box.")
        memory.sync()
    yield home
    there = find_presence(home)
    if there is not None:
        os.kill(there.pid, signal.SIGKILL)
        _wait_for_end(home)


def _wait_for_end(home: Path) -> None:
    """Wait until nobody holds the lock of the worker: the kernel lets go of it at the end."""
    import fcntl

    with (home / "serve.lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)


def _cli(home: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "recollect", "--home", str(home), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def _processes(home: Path) -> list[str]:
    """Return the command lines of living processes that name the home."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = each.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(home) in line:
            found.append(line)
    return found


def _files(home: Path) -> set[str]:
    return {path.relative_to(home).as_posix() for path in home.rglob("*")}


def test_starts_and_stops_leave_nothing_behind(home: Path) -> None:
    """No process, no socket, no lock that is held, no temporary file; 1,000 in `make soak`."""
    (home / "config.yaml").write_text(
        "embedding: {provider: none}\nserver: {socket: run/worker.sock}\n"
    )
    left, others = None, set(threading.enumerate())
    for _ in range(ROUNDS):
        there = daemon.start(home)
        assert daemon.look_at(home).answers
        assert daemon.stop(home) == there
        assert not is_served(home)
        files = _files(home)
        assert left in {None, frozenset(files)}
        left = frozenset(files)
    assert left is not None
    assert {name for name in left if name.startswith((".", PRESENCE_FILE, "run/"))} == set()
    reapers = [each for each in threading.enumerate() if each.name == "recollect-reaper"]
    for each in set(reapers) - others:
        each.join(timeout=60)
    assert _processes(home) == []


def test_a_killed_worker_is_replaced_by_the_next(home: Path) -> None:
    """Kill -9 leaves worker.json and a socket; commands work by themselves meanwhile."""
    first = daemon.start(home)
    os.kill(first.pid, signal.SIGKILL)
    _wait_for_end(home)
    assert (home / PRESENCE_FILE).exists()
    assert find_presence(home) is None
    assert "green tea" in _cli(home, "search", "tea").stdout
    second = daemon.start(home)
    assert second.pid != first.pid
    assert daemon.look_at(home).used
    assert daemon.stop(home) == second
    assert daemon.stop(home) is None


def test_the_command_line_starts_tells_and_stops(home: Path) -> None:
    """One JSON document each, and text for people."""
    assert "no worker runs" in _cli(home, "serve", "status").stdout
    started = json.loads(_cli(home, "serve", "--daemon", "--json").stdout)
    there = find_presence(home)
    assert there is not None
    assert started == {
        "home": str(home),
        "worker": msgspec.to_builtins(there),
        "token": str(home / TOKEN_FILE),
    }
    assert json.loads(_cli(home, "serve", "--daemon", "--json").stdout) == started
    elsewhere = _cli(home, "serve", "--daemon", "--port", "1", "--json")
    assert json.loads(elsewhere.stderr)["error"]["code"] == "conflict"
    beside = _cli(home, "serve")
    assert (beside.returncode, there.address in beside.stderr) == (1, True)
    state = json.loads(_cli(home, "--json", "serve", "status").stdout)
    assert (state["running"], state["answers"], state["used"]) == (True, True, True)
    assert there.address in _cli(home, "serve", "status").stdout
    stopped = json.loads(_cli(home, "serve", "stop", "--json").stdout)
    assert stopped["stopped"]["pid"] == there.pid
    gone = _cli(home, "serve", "status", "--json")
    assert (gone.returncode, json.loads(gone.stdout)["running"]) == (1, False)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_in_the_foreground_a_signal_ends_it_well(home: Path, number: signal.Signals) -> None:
    """Ctrl-C, an end by the system, a terminal that is closed: exit code 0, nothing left."""
    command = [sys.executable, "-m", "recollect", "--home", str(home), "serve", "--json"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        # A test run in the background of a shell has the interrupt switched off, and hands that on.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        assert told["worker"]["pid"] == process.pid
        process.send_signal(number)
        assert process.wait() == 0
    assert not (home / PRESENCE_FILE).exists()
    assert not is_served(home)


def test_under_nohup_it_outlives_its_terminal(home: Path) -> None:
    """What the starter ignores stays ignored; the end of a session is a SIGHUP."""
    command = ["nohup", sys.executable, "-m", "recollect", "--home", str(home), "serve", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        pid = json.loads(process.stdout.readline())["worker"]["pid"]
        status = Path(f"/proc/{pid}/status").read_text("utf-8")
        ignored = int(next(line[7:] for line in status.splitlines() if line[:7] == "SigIgn:"), 16)
        assert ignored & 1 << (signal.SIGHUP - 1)
        process.terminate()
        assert process.wait() == 0


def test_a_worker_that_cannot_start_tells_why(home: Path) -> None:
    """The error of the process in the background is that of the command, with its hint."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        (home / "config.yaml").write_text(f"server: {{port: {port}}}\n")
        done = _cli(home, "serve", "--daemon", "--json")
    error = json.loads(done.stderr)["error"]
    assert (done.returncode, error["code"]) == (1, "conflict")
    assert f"port {port} of 127.0.0.1 is taken" in error["message"]
    assert error["hint"]
    assert str(port) in (home / LOGS / START_LOG).read_text()


def test_a_full_disk_is_told(home: Path) -> None:
    """Not one byte can be written."""
    command = f"ulimit -f 0; exec {sys.executable} -m recollect --home {home} serve --json"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    error = json.loads(done.stderr)["error"]
    assert (done.returncode, error["code"]) == (1, "store_full")
    assert error["hint"] == "free some space and try again"
    assert not is_served(home)


def test_of_many_starts_at_once_one_serves(home: Path) -> None:
    """The others return it."""
    with ThreadPoolExecutor(4) as threads:
        workers = list(threads.map(lambda _: daemon.start(home), range(4)))
    assert workers == [find_presence(home)] * 4
    daemon.stop(home)


def test_a_worker_that_another_program_just_starts_is_awaited(home: Path) -> None:
    """It is a hook, or a command line: only the lock of the worker decides between the two."""
    command = [sys.executable, "-m", "recollect", "--home", str(home), "serve", "--json"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as other:
        while not is_served(home):
            assert other.poll() is None
        assert daemon.start(home) == find_presence(home)
        daemon.stop(home)


def test_without_the_packages_of_the_server_it_is_told_what_to_install(home: Path) -> None:
    """They are an extra: the core needs none of them."""
    program = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from recollect.cli.main import main\n"
        f"sys.exit(main(['--home', {str(home)!r}, 'serve', '--json']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    error = json.loads(done.stderr)["error"]
    assert (done.returncode, error["code"]) == (1, "config")
    assert error["hint"] == "run pip install 'recollect[server]'"


def test_on_windows_the_way_is_named(home: Path) -> None:
    """Locks, sockets and permissions are those of Unix; WSL has them."""
    program = (
        "import sys; sys.platform = 'win32'; sys.argv = ['recollect', 'serve', *sys.argv[1:]]\n"
        "from recollect.__main__ import main\nsys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, "WSL" in done.stderr) == (1, True)
    done = subprocess.run(
        [sys.executable, "-c", program, "--json"], capture_output=True, text=True, check=False
    )
    assert json.loads(done.stderr)["error"]["code"] == "unsupported"


def test_a_command_starts_a_worker_where_that_is_set(home: Path) -> None:
    """The command has its answer already; the next one finds the worker."""
    (home / "config.yaml").write_text("embedding: {provider: none}\nworker: {autostart: true}\n")
    assert "green tea" in _cli(home, "search", "tea").stdout
    there = daemon.awaited(home, 120.0)
    assert there is not None
    assert "green tea" in _cli(home, "search", "tea").stdout
    assert find_presence(home) == there
    daemon.stop(home)


def test_without_the_setting_no_command_starts_anything(home: Path) -> None:
    """It is a decision of the user."""
    assert "green tea" in _cli(home, "search", "tea").stdout
    assert not (home / START_LOCK).exists()


def test_of_many_commands_one_starts_a_worker(home: Path) -> None:
    """One that served and was killed is started again at once."""
    with ThreadPoolExecutor(6) as threads:
        started = list(threads.map(lambda _: daemon.autostart(home), range(6)))
    assert started.count(True) == 1
    there = daemon.awaited(home, 120.0)
    assert there is not None
    assert not daemon.autostart(home)
    assert daemon.start_failed_at(home) is None
    os.kill(there.pid, signal.SIGKILL)
    _wait_for_end(home)
    assert daemon.autostart(home, 120.0)
    assert find_presence(home) is not None
    daemon.stop(home)


def test_a_worker_that_cannot_start_is_not_tried_again_for_ten_minutes(home: Path) -> None:
    """Issue 23, item 5: the mark of the failed start says when; a start by hand clears it."""
    config = home / "config.yaml"
    before = config.read_text() if config.exists() else ""
    config.write_text(f"{before}server: {{host: 203.0.113.1}}\n")
    assert daemon.autostart(home, 120.0)
    assert not is_served(home)
    assert "203.0.113.1" in (home / LOGS / START_LOG).read_text()
    assert daemon.start_failed_at(home) is not None
    config.write_text(before)
    assert not daemon.autostart(home, 120.0)
    mark = home / START_LOCK
    then = mark.stat().st_mtime - daemon.REST_S
    os.utime(mark, (then, then))
    assert daemon.autostart(home, 120.0)
    assert mark.stat().st_size == 0
    daemon.stop(home)


def test_a_worker_listens_where_the_command_says(home: Path) -> None:
    """Issue 23, item 5: `serve --port --host`, in the background as well."""
    port = free_port()
    done = _cli(home, "serve", "--daemon", "--port", str(port), "--host", "127.0.0.1", "--json")
    assert json.loads(done.stdout)["worker"]["port"] == port
    daemon.stop(home)
    refused = _cli(home, "serve", "--port", str(port), "stop")
    assert refused.returncode == 2


def test_a_model_that_runs_commands_starts_no_worker(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would live on after the call that it was part of."""
    monkeypatch.setenv("RECOLLECT_INSIDE", "1")
    assert not daemon.autostart(home)
    assert not is_served(home)


def test_a_worker_inherits_no_handle_of_who_started_it(home: Path) -> None:
    """A pipe of the caller would stay open as long as the worker runs."""
    read_end, write_end = os.pipe()
    os.set_inheritable(write_end, True)
    try:
        daemon.start(home)
    finally:
        os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        assert pipe.read() == b""
    there = find_presence(home)
    assert there is not None
    assert os.getsid(there.pid) == there.pid, "it belongs to no terminal"
    daemon.stop(home)
