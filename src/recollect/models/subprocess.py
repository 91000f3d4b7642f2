"""Runs a program of the user: a list of arguments, few variables, a deadline, a cap on its output.

Never a shell. A program that runs too long, or writes too much, is killed with all its children.
Nothing here depends on what the program does or what its output means.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from recollect.core.errors import ProviderUnavailable

MOST_BYTES = 8 << 20
"""Output of a program at most; some hundred hits with their snippets are 100 kB."""
MOST_STREAM_BYTES = 64 << 20
"""Output of a program at most that is read as it comes, and not kept."""
_STEP_S = 0.2
"""How often to check whether a running program should be stopped."""
_PIECE_BYTES = 65_536

_LEASH = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
"""Becomes the program, which Linux kills when the thread that started it dies."""

MISSING = "is not installed"
"""The words of the error for a missing program."""

Failed = Callable[[str], ProviderUnavailable]
"""Returns the error for a failure of a program, given as a sentence without its subject."""


class ProgramOutput(msgspec.Struct, frozen=True):
    """The output of a program, and its exit code: a negative one is a signal."""

    out: bytes
    err: bytes
    code: int = 0


class Program:
    """A program of the user.

    Args:
        name: Its name or path.
        environ: All its variables; ``PATH`` is also searched for it.
        failed: Makes the errors.
        is_leashed: Whether it dies with this process, also where that is killed; on Linux.
    """

    def __init__(
        self, name: str, environ: Mapping[str, str], failed: Failed, *, is_leashed: bool = False
    ) -> None:
        self._is_leashed = is_leashed and sys.platform == "linux"
        self._name = os.path.expanduser(name)
        self._environ = dict(environ)
        self._failed = failed

    @property
    def path(self) -> str | None:
        """Return the path of the program; None where it is not installed."""
        return shutil.which(self._name, path=self._environ.get("PATH"))

    def run(
        self,
        arguments: Sequence[str],
        folder: Path,
        timeout_s: float,
        *,
        stdin: bytes = b"",
        stopping: Callable[[], bool] = lambda: False,
        on_output: Callable[[bytes], object] | None = None,
        most_s: float = 0.0,
    ) -> ProgramOutput:
        """Run the program and return its output, once it ended.

        Args:
            arguments: Without the program.
            folder: Its working directory.
            timeout_s: The time until it is killed.
            stdin: Its standard input.
            stopping: Called often; after True it is killed.
            on_output: Gets the standard output as it comes, which is then not returned;
                ``timeout_s`` is then the longest silence.
            most_s: The time until it is killed in that case, however much it says.

        Raises:
            ProviderUnavailable: it is missing, took too long or wrote too much.
        """
        process = self._start(arguments, folder)
        try:
            talk = _Talk(process, timeout_s, stopping, self._failed)
            if on_output is not None:
                talk.hand_out(on_output, most_s)
            return talk.run(stdin)
        finally:
            _kill_group(process)

    def _start(self, arguments: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
        path = self.path
        if path is None:
            raise self._failed(MISSING)
        leash = [sys.executable, "-I", "-S", "-c", _LEASH, str(os.getpid())]
        try:
            return subprocess.Popen(  # noqa: S603  # a list, no shell; the user chose the program
                [*(leash if self._is_leashed else ()), path, *arguments],
                cwd=folder,
                env=self._environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise self._failed("cannot be started") from error


class _Talk:
    """Writes the input of a process and reads both its outputs to the end."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        timeout_s: float,
        stopping: Callable[[], bool],
        failed: Failed,
    ) -> None:
        self._process = process
        self._timeout_s = timeout_s
        self._deadline = time.monotonic() + timeout_s
        self._stopping = stopping
        self._failed = failed
        self._parts: dict[str, list[bytes]] = {"out": [], "err": []}
        self._length = 0
        self._stdin = memoryview(b"")
        self._on_output: Callable[[bytes], object] | None = None
        self._most_bytes = MOST_BYTES

    def hand_out(self, on_output: Callable[[bytes], object], most_s: float) -> None:
        """Give the standard output away as it comes; each piece of it renews the deadline."""
        self._on_output = on_output
        self._last = time.monotonic() + most_s
        self._most_bytes = MOST_STREAM_BYTES

    def run(self, stdin: bytes) -> ProgramOutput:
        self._stdin = memoryview(stdin)
        with selectors.DefaultSelector() as selector:
            self._register(selector)
            while selector.get_map():
                for key, _ in selector.select(min(_STEP_S, self._remaining_s())):
                    (self._feed if key.data == "in" else self._take)(selector, key)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(self._remaining_s())
        self._remaining_s()
        return ProgramOutput(
            b"".join(self._parts["out"]), b"".join(self._parts["err"]), self._process.returncode
        )

    def _register(self, selector: selectors.BaseSelector) -> None:
        process = self._process
        for name, stream in (("out", process.stdout), ("err", process.stderr)):
            if stream is not None:
                selector.register(stream, selectors.EVENT_READ, name)
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
            selector.register(process.stdin, selectors.EVENT_WRITE, "in")

    def _remaining_s(self) -> float:
        remaining_s = self._deadline - time.monotonic()
        if self._stopping():
            raise self._failed("was stopped")
        if remaining_s <= 0 and self._process.returncode is None:
            raise self._failed("took too long")
        return max(0.0, remaining_s)

    def _feed(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        try:
            self._stdin = self._stdin[os.write(key.fd, self._stdin[:_PIECE_BYTES]) :]
        except OSError:  # it does not read the rest
            self._stdin = memoryview(b"")
        if not self._stdin:
            selector.unregister(key.fileobj)
            _close(self._process.stdin)

    def _take(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        part = os.read(key.fd, _PIECE_BYTES)
        if not part:
            selector.unregister(key.fileobj)
            return
        self._length += len(part)
        if self._length > self._most_bytes:
            raise self._failed("said too much")
        if self._on_output is None or key.data == "err":
            self._parts[key.data].append(part)
        else:
            self._deadline = min(self._last, time.monotonic() + self._timeout_s)
            self._on_output(part)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its children; a reaped process has nothing left to kill."""
    if process.returncode is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        _close(stream)


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        with suppress(OSError):
            stream.close()
