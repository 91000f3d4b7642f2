"""A real terminal that a test types into and reads: tmux, with a server of its own."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from types import TracebackType

import pytest

TMUX = shutil.which("tmux")
REASON = "tmux is not installed: apt install tmux"
PATIENCE_S = 60.0

_NUMBERS = count(1)
needs_tmux = pytest.mark.skipif(TMUX is None, reason=REASON)


class Terminal:
    """A terminal in which one program runs; a context manager.

    Args:
        folder: Where its socket lies; the path must be short.
        command: The program and its arguments.
        environ: Its variables.
        folder_of_program: Where it runs.
    """

    def __init__(
        self,
        folder: Path,
        command: Sequence[str],
        environ: dict[str, str],
        folder_of_program: Path,
    ) -> None:
        self._socket = folder / f"tmux-{next(_NUMBERS)}"  # the one before may still be closing
        self._command = command
        self._environ = environ
        self._cwd = folder_of_program

    def __enter__(self) -> Terminal:
        given = [f"{name}={value}" for name, value in self._environ.items()]
        # The pane stays when the program ends, so that its last words can be read.
        self._tmux(
            *(
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-x",
                "110",
                "-y",
                "50",
                "-c",
                str(self._cwd),
            ),
            *("env", "-i", *given, *self._command),
            *(";", "set-option", "-g", "remain-on-exit", "on"),
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._tmux("kill-server")  # its own, by its socket

    def type(self, *keys: str) -> None:
        """Press keys, as tmux names them, or write a text."""
        self._tmux("send-keys", *keys)

    def say(self, text: str) -> None:
        """Write a text and press Enter."""
        self._tmux("send-keys", "-l", text)
        self.type("Enter")

    @property
    def screen(self) -> str:
        """What the terminal shows, what scrolled away included, without empty lines."""
        shown = self._tmux("capture-pane", "-p", "-S", "-1000").splitlines()
        return "\n".join(line.rstrip() for line in shown if line.strip())

    @property
    def has_ended(self) -> bool:
        """Whether the program has ended."""
        return self._tmux("display-message", "-p", "#{pane_dead}").strip() == "1"

    def await_text(self, text: str, times: int = 1) -> str:
        """Return the screen once it shows a text, so many times."""
        end = time.monotonic() + PATIENCE_S
        while (screen := self.screen).count(text) < times:
            assert time.monotonic() < end, f"{text!r} is not on the screen:\n{screen}"
            threading.Event().wait(0.05)
        return screen

    def await_end(self) -> None:
        """Return once the program has ended."""
        end = time.monotonic() + PATIENCE_S
        while not self.has_ended:
            assert time.monotonic() < end, f"it goes on:\n{self.screen}"
            threading.Event().wait(0.05)

    def _tmux(self, *arguments: str) -> str:
        assert TMUX is not None, REASON
        done = subprocess.run(
            [TMUX, "-S", str(self._socket), *arguments], check=True, capture_output=True, text=True
        )
        return done.stdout
