"""The worker in the background: starts it, reports its state, and stops it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import msgspec

from recollect.core import errors
from recollect.core.clock import SystemClock
from recollect.core.decoding import decode_json
from recollect.core.errors import NotFound, RecollectError, StoreBusy, StoreError
from recollect.core.settings.environment import is_inside, surroundings
from recollect.core.threads import run_on_thread
from recollect.integrations.commands import has_server
from recollect.server.client import WorkerConnection
from recollect.server.presence import (
    LOGS,
    PROTOCOL,
    SERVE_LOCK,
    START_LOCK,
    START_LOG,
    TOKEN_FILE,
    Presence,
    find_presence,
    is_served,
    read_small,
    served_already,
)
from recollect.store.files import private_folder
from recollect.store.locks import WriteQueue

START_S = 30.0
"""How long to wait for a start: the schema of a large home may have to be migrated."""
REST_S = 600.0
"""After a start that failed: a worker that cannot start is not retried at each event."""
_STEP_S = 0.02
_STOP_S = 10.0
_ALIVE_S = 3.0


class WorkerState(msgspec.Struct, frozen=True, kw_only=True):
    """How the worker of a home is doing.

    Attributes:
        running: Whether a process holds the lock of the worker.
        answers: Whether it answers requests.
        used: Whether commands of this shell ask it.
        unused_because: Why they do not; None where they do.
        worker: What it tells of itself; None where it tells nothing, or there is none.
    """

    running: bool
    answers: bool = False
    used: bool = False
    unused_because: str | None = None
    worker: Presence | None = None


def look_at(home: Path) -> WorkerState:
    """Return the state of the worker of a home."""
    there = find_presence(home)
    if there is None:
        return WorkerState(
            running=is_served(home), unused_because="it does not run, or just starts"
        )
    answers = _line_to(home, there).is_alive()
    because = None
    if there.protocol != PROTOCOL:
        because = f"it is version {there.version}; restart it to use it"
    elif there.surroundings != surroundings():
        because = "its environment has other settings or keys than this shell"
    elif not answers:
        because = "it does not answer"
    return WorkerState(
        running=True, answers=answers, used=because is None, unused_because=because, worker=there
    )


def start(home: Path, options: Mapping[str, int | str] = MappingProxyType({})) -> Presence:
    """Start a worker in the background; return when it answers.

    It inherits no handles, belongs to no terminal, and outlives the caller. Of several starts at
    once one begins after the other. A worker that serves the home already is returned.

    Args:
        home: The folder of the memory.
        options: ``port`` and ``host``, where they are not those of the settings.

    Raises:
        Conflict: a worker serves the home already, and does not answer yet, or options are given.
        RecollectError: it could not start; the error is its own.
    """
    with WriteQueue(home / START_LOCK).turn(START_S):
        if is_served(home):
            if options:
                raise served_already(home)
            process = None
        else:
            process = _spawn(home, [f"--{name}={value}" for name, value in options.items()])

        def is_over() -> bool:
            if process is not None and process.poll() is None:
                return False
            return bool(options) or not is_served(home)

        pid = process.pid if process is not None and options else None
        there = awaited(home, START_S, is_over, pid)
        if there is None:
            raise _no_start(home, process)
        return there


def _no_start(home: Path, process: subprocess.Popen[bytes] | None) -> RecollectError:
    """Return why no worker answers; ends a process that is still at its start."""
    if process is None:
        return served_already(home)
    if process.poll() is not None:
        return _failure(home)
    process.kill()
    hint = f"see {home / LOGS}; or run `recollect serve` to watch it start"
    return StoreBusy(f"the worker did not answer within {START_S:g} s", hint=hint)


def awaited(
    home: Path,
    timeout_s: float,
    is_over: Callable[[], bool] = lambda: False,
    pid: int | None = None,
) -> Presence | None:
    """Return the worker of a home as soon as it answers; None where that takes too long.

    Args:
        home: The folder of the memory.
        timeout_s: How long to wait.
        is_over: Whether it will not start any more.
        pid: Only this process; any if not given.
    """
    until = time.monotonic() + timeout_s
    while time.monotonic() < until and not is_over():
        there = find_presence(home)
        is_meant = there is not None and pid in {None, there.pid}
        if there is not None and is_meant and _line_to(home, there).is_alive():
            return there
        time.sleep(_STEP_S)
    return None


def stop(home: Path) -> Presence | None:
    """Stop the worker of a home; return its presence, None if none ran.

    Raises:
        StoreBusy: it did not end, even when it was killed.
        NotFound: it runs, but its process is not known.
    """
    there = find_presence(home)
    if there is None:
        if is_served(home):
            raise NotFound(
                "a worker holds the home, but does not say which process it is",
                hint="try again; it may be starting or stopping",
            )
        return None
    if not _holds_lock(there.pid, home):
        raise NotFound(
            f"the worker is process {there.pid} of another system, such as a container",
            hint="stop it there",
        )
    for each in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.kill(there.pid, each)
        until = time.monotonic() + _STOP_S
        while time.monotonic() < until:
            now = find_presence(home)
            if not is_served(home) or (now is not None and now.pid != there.pid):
                return there
            time.sleep(_STEP_S)
    raise StoreBusy("the worker did not end", hint=f"look at process {there.pid}")


def autostart(home: Path, patience_s: float = 0.0) -> bool:
    """Start a worker, unless one runs or a start failed within `REST_S`; return whether it did.

    A command started by a model starts none, nor does one without the packages of the server.

    Args:
        home: The folder of the memory.
        patience_s: How long to wait until the worker answers, whoever starts it. 0 returns at once:
            a command has its answer, the next one finds the worker.
    """
    if is_inside() or not has_server():
        return False
    with suppress(OSError, RecollectError), WriteQueue(home / START_LOCK).turn(patience_s):
        process = None
        if not is_served(home):
            if start_failed_at(home) is not None:
                return False
            # The worker takes the mark away as soon as it serves.
            (home / START_LOCK).write_bytes(b"1")
            process = _spawn(home)
        if patience_s:
            # One that others started may be killed meanwhile: the lock must not be kept for it.
            awaited(
                home,
                patience_s,
                lambda: not is_served(home) if process is None else process.poll() is not None,
            )
        return process is not None
    return False


def start_failed_at(home: Path) -> int | None:
    """Return when a start failed, ms UTC; None where none did within `REST_S`."""
    with suppress(OSError):
        mark = os.stat(home / START_LOCK)
        at = int(mark.st_mtime * 1000)
        if mark.st_size and 0 <= SystemClock().now_ms() - at < REST_S * 1000:
            return at
    return None


def _holds_lock(pid: int, home: Path) -> bool:
    """Return whether a process has the lock file open, as far as the system reports that."""
    handles = Path(f"/proc/{pid}/fd")
    if not Path("/proc/self/fd").is_dir():
        return True
    with suppress(OSError):
        lock = os.stat(home / SERVE_LOCK)
        return any(os.path.samestat(lock, os.stat(each)) for each in handles.iterdir())
    return False


def _spawn(home: Path, options: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    folder = private_folder(home / LOGS)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    log = os.open(folder / START_LOG, flags, 0o600)
    command = [sys.executable, "-m", "recollect", "--home", os.fspath(home), "--json", "serve"]
    command += options
    try:
        process = subprocess.Popen(  # noqa: S603 - ourselves, no shell
            command,
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            close_fds=True,
            start_new_session=True,
        )
    finally:
        os.close(log)
    # A program that outlives its worker must reap it.
    with suppress(StoreError):
        run_on_thread("recollect-reaper", process.wait)
    return process


def _failure(home: Path) -> RecollectError:
    """Return the error of a worker that ended, from the last line that it wrote."""
    line = _last_line(home / LOGS / START_LOG)
    hint = "run `recollect serve` to watch it start"
    unread = StoreError(f"the worker could not start: {line or 'it printed nothing'}", hint=hint)
    return error_in(line) or unread


def error_in(line: str) -> RecollectError | None:
    """Return the error that a command printed with ``--json``; None where the line is none."""
    try:
        error = decode_json(line, _ErrorLine).error
    except msgspec.DecodeError:
        return None
    every = (kind for kind in vars(errors).values() if isinstance(kind, type))
    kinds = {kind.code: kind for kind in every if issubclass(kind, RecollectError)}
    return kinds.get(error["code"], StoreError)(error["message"], hint=error["hint"])


class _ErrorLine(msgspec.Struct):
    error: dict[str, str]


def _last_line(path: Path) -> str:
    """Return the last non-blank line of a file; empty if there is none."""
    try:
        lines = path.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _line_to(home: Path, worker: Presence) -> WorkerConnection:
    token = ""
    with suppress(OSError, UnicodeDecodeError):
        token = read_small(home / TOKEN_FILE).decode("ascii").strip()
    return WorkerConnection(worker, token, _ALIVE_S)
