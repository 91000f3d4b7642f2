"""The lines that a client sends over stdin, until it ends or the process is to end."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from typing import TextIO

import anyio
from anyio import from_thread
from anyio.lowlevel import current_token

from recollect.core.threads import LOOK_S, run_on_thread


class Stdin:
    """Reads stdin, which children find empty from now on. A context manager of the main thread.

    SIGINT and SIGTERM end the lines, as the client does when it closes them. The thread that reads
    does not keep the process from ending; that of the SDK does until the next line comes.

    Attributes:
        lines: Gives one line after another.
        is_interrupted: Whether a SIGINT ended them. A second one interrupts at once.
    """

    def __init__(self) -> None:
        self._send, self.lines = anyio.create_memory_object_stream[str](0)
        self.is_interrupted = False
        self._token = current_token()
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupt, loop)
        loop.add_signal_handler(signal.SIGTERM, self._send.close)
        stdin = _taken(0)
        self._reading = run_on_thread("recollect-mcp-stdin", lambda: self._read(stdin))
        self._look(loop)

    def __enter__(self) -> Stdin:
        return self

    def __exit__(self, *_: object) -> None:
        self._send.close()
        self.lines.close()

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """End the lines where their thread has died."""
        self._reading.look()
        if self._reading.done():
            self._send.close()
        else:
            loop.call_later(LOOK_S, self._look, loop)

    def _interrupt(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.remove_signal_handler(signal.SIGINT)
        self.is_interrupted = True
        self._send.close()

    def _read(self, stdin: TextIO) -> None:
        ended = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.RunFinishedError)
        with stdin, suppress(*ended):
            for line in stdin:
                from_thread.run(self._send.send, line, token=self._token)
            from_thread.run_sync(self._send.close, token=self._token)


def _taken(descriptor: int) -> TextIO:
    """Return a file that reads from a descriptor, which gives nothing any more."""
    file = os.fdopen(os.dup(descriptor), encoding="utf-8", errors="replace")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)
    return file
