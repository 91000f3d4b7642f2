"""Keeps the index in step while a program runs: one thread that works when messages arrived."""

from __future__ import annotations

import threading
from collections.abc import Callable

from recollect.core.errors import RecollectError

GATHER_S = 0.3
"""How long messages may gather before they are indexed together."""


class BackgroundWork:
    """Runs ``work`` on a thread of its own after each `notify`; the thread starts with the first.

    Args:
        work: Called with nothing to do as well as with much, and with a function that it asks often
            whether to end soon; may raise anything.
    """

    def __init__(self, work: Callable[[Callable[[], bool]], object]) -> None:
        self._work = work
        self._wake = threading.Event()
        self._closing = threading.Event()
        self._start = threading.Lock()
        self._thread: threading.Thread | None = None
        self.last_error: str | None = None
        """The `code` of the last failure, None after a success."""

    @property
    def closing(self) -> bool:
        """Whether the work should end soon."""
        return self._closing.is_set()

    def notify(self) -> None:
        """Tell that there is something to do. Returns at once."""
        self._wake.set()
        with self._start:
            if self._thread is None and not self.closing:
                self._thread = threading.Thread(
                    target=self._run, name="recollect-index", daemon=True
                )
                self._thread.start()

    def close(self) -> None:
        """Stop; what is not done is done by the next process. A second call does nothing."""
        with self._start:
            self._closing.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self.closing:
            self._wake.wait()
            self._closing.wait(GATHER_S)
            self._wake.clear()
            if not self.closing:
                self._try()

    def _try(self) -> None:
        try:
            self._work(self._closing.is_set)
        except RecollectError as error:
            self.last_error = error.code
        except Exception:  # noqa: BLE001  # status tells it; without the thread nothing is indexed
            self.last_error = RecollectError.code
        else:
            self.last_error = None
