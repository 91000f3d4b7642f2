"""Ends a wait at its deadline, whatever is being waited for.

The timeouts of an HTTP client bound each read. They do not bound the look-up of a name, nor an
answer that drips in: a search that may wait three seconds needs more than that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


def run_within(seconds: float, work: Callable[[], T]) -> T:
    """Return what ``work`` returns, or raise what it raises, within so many seconds.

    It runs in a daemon thread; what comes later than that is dropped.

    Raises:
        TimeoutError: it was not ready in time.
    """
    run = _Run(work)
    threading.Thread(target=run, name="recollect-ask", daemon=True).start()
    return run.outcome(seconds)


class _Run(Generic[T]):
    """One piece of work in its thread, and what came of it."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._done = threading.Event()
        self._made: list[T] = []
        self._error: BaseException | None = None

    def __call__(self) -> None:
        try:
            self._made.append(self._work())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self._error = error
        finally:
            self._done.set()

    def outcome(self, seconds: float) -> T:
        if not self._done.wait(seconds):
            raise TimeoutError
        if self._error is not None:
            raise self._error
        return self._made[0]
