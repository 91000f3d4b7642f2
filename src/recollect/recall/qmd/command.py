"""Runs the external command: a list of arguments, few variables, a deadline, a cap on what it says.

Never a shell. What goes on too long, or says too much, is killed with everything that it started.
"""

from __future__ import annotations

import os
import re
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from recollect.core.errors import ProviderUnavailable

MOST_BYTES = 8 << 20
"""Output of a command at most; some hundred hits with their snippets are 100 kB."""
_NAMES = 3
"""Names of errors that are told."""
_ERROR = re.compile(r"\b(?:[A-Z]\w*Error|SQLITE_[A-Z]+|ERR_[A-Z_]+|E[A-Z]{4,})\b")
_DAMAGED = re.compile(rb"SQLITE_(?:NOTADB|CORRUPT)")
_STEP_S = 0.2
"""How often a running command is asked whether it should end."""

HINT = "see search.backend and the section qmd of `recollect config`"


class Output(msgspec.Struct, frozen=True):
    """What a command wrote."""

    out: bytes
    err: bytes


class QmdCommand:
    """The external command of one collection of settings.

    Args:
        program: Its name or path.
        folder: Where it runs; no configuration of a project is found from there.
        environ: All its variables; ``PATH`` is also where the program is looked for.
    """

    def __init__(self, program: str, folder: Path, environ: Mapping[str, str]) -> None:
        self._program = os.path.expanduser(program)
        self._folder = folder
        self._environ = dict(environ)

    def run(
        self,
        arguments: Sequence[str],
        timeout_s: float,
        stopping: Callable[[], bool] = lambda: False,
    ) -> Output:
        """Return what the command wrote, once it ended well.

        Args:
            arguments: Without the program.
            timeout_s: When it is killed.
            stopping: Asked often; after True it is killed.

        Raises:
            ProviderUnavailable: it is not there, failed, took too long or said too much.
        """
        process = self._start(arguments)
        try:
            output = _Listener(process, time.monotonic() + timeout_s, stopping).run()
        finally:
            _kill_group(process)
        if process.returncode:
            told = f"ended with code {process.returncode}{_told(output.err)}"
            raise failed(told, is_damaged=_DAMAGED.search(output.err) is not None)
        return output

    def _start(self, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
        found = shutil.which(self._program, path=self._environ.get("PATH"))
        if found is None:
            raise failed("is not installed", hint="npm install -g @tobilu/qmd, or qmd.command")
        try:
            return subprocess.Popen(  # noqa: S603  # a list, no shell; the user chose the program
                [found, *arguments],
                cwd=self._folder,
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise failed("cannot be started") from error


class _Listener:
    """Reads both outputs of a process to their ends."""

    def __init__(
        self, process: subprocess.Popen[bytes], deadline: float, stopping: Callable[[], bool]
    ) -> None:
        self._process = process
        self._deadline = deadline
        self._stopping = stopping
        self._parts: dict[str, list[bytes]] = {"out": [], "err": []}
        self._length = 0

    def run(self) -> Output:
        with selectors.DefaultSelector() as selector:
            streams = {"out": self._process.stdout, "err": self._process.stderr}
            for name, stream in streams.items():
                if stream is not None:
                    selector.register(stream, selectors.EVENT_READ, name)
            while selector.get_map():
                for key, _ in selector.select(min(_STEP_S, self._left())):
                    self._take(selector, key)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(self._left())
        self._left()
        return Output(b"".join(self._parts["out"]), b"".join(self._parts["err"]))

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if self._stopping():
            raise failed("was stopped")
        if left <= 0 and self._process.returncode is None:
            raise failed("took too long")
        return max(0.0, left)

    def _take(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        part = os.read(key.fd, 65_536)
        if not part:
            selector.unregister(key.fileobj)
            return
        self._length += len(part)
        if self._length > MOST_BYTES:
            raise failed("said too much")
        self._parts[key.data].append(part)


def failed(what: str, *, hint: str = HINT, is_damaged: bool = False) -> ProviderUnavailable:
    """Return the error for something that the command did or did not do.

    Args:
        what: One sentence without its subject.
        hint: What to do about it.
        is_damaged: Whether its index is, which is ours to make again.
    """
    return ProviderUnavailable(f"qmd {what}", hint=hint, is_damaged=is_damaged)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it started; one that was waited for has nothing left to kill."""
    if process.returncode is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in (process.stdout, process.stderr):
        _close(stream)


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        stream.close()


def _told(err: bytes) -> str:
    """Return the names of the errors that are told; all else could hold text of the user."""
    names = dict.fromkeys(_ERROR.findall(err.decode(errors="replace")))
    return f" ({', '.join(list(names)[:_NAMES])})" if names else ""
