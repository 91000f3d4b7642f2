"""One duty on a thread of its own: it starts on first use, survives failures and stops quickly."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

from recollect.core.errors import RecollectError, StoreError
from recollect.core.threads import RestartableThread

RETRY_S = 30.0
"""The first delay of a retry after a failure; it doubles up to an hour."""
LONGEST_RETRY_S = 3_600.0
_MOST_DOUBLINGS = 16
_ASLEEP_S = 3_600.0
"""Until it is woken; a check in between does no harm."""

T = TypeVar("T")
WorkerStep: TypeAlias = "Callable[[], float | None]"
"""Does the pending work; returns the seconds until the next call, None: when woken."""


def error_code(error: BaseException) -> str:
    """Return the stable `code` of an error; that of the root class for foreign errors."""
    return error.code if isinstance(error, RecollectError) else RecollectError.code


def backoff_s(failures: int, first_s: float = RETRY_S) -> float:
    """Return the seconds to rest after so many failures in a row, at least one."""
    return min(LONGEST_RETRY_S, first_s * (1 << min(failures - 1, _MOST_DOUBLINGS)))


class Worker:
    """Calls ``step`` on a thread of its own, which starts when it is woken for the first time.

    A dead thread is replaced when it is woken again.

    Args:
        name: Of the thread.
        step: The duty; may raise anything. A long one checks `closing` often.
        gather_s: How long to gather work after it is woken.
        failed: Called after a failure; returns the seconds to rest. `backoff_s` if not given.
        at_end: Called last, on the same thread, if it ever ran.

    Attributes:
        closing: Set as soon as the step should end.
        last_error: The `code` of the last failure, None after a success.
    """

    def __init__(
        self,
        name: str,
        step: WorkerStep,
        *,
        gather_s: float = 0.0,
        failed: Callable[[BaseException], float] | None = None,
        at_end: Callable[[], None] | None = None,
    ) -> None:
        self._step = step
        self._gather_s = gather_s
        self._failed = failed
        self._at_end = at_end
        self._failures = 0
        self._woken = threading.Event()
        self._starting = threading.Lock()
        self._thread = RestartableThread(name, self._run)
        self.closing = threading.Event()
        self.last_error: str | None = None

    def wake(self) -> None:
        """Let it check for work. Returns at once."""
        if not self._woken.is_set():  # a worker that is already woken checks after this call
            self._woken.set()
        thread = self._thread.thread
        if thread is None or not thread.is_alive():
            self._start()

    def look(self) -> None:
        """Wake it if its thread has died, or could not start; called by who waits for its work."""
        if self._thread.has_died or (self._thread.thread is None and self._woken.is_set()):
            self.wake()

    def stop(self, timeout_s: float | None = None) -> None:
        """Stop, and wait for the thread unless called by the step; a second call does nothing."""
        with self._starting:
            self.closing.set()
        self._woken.set()
        self._thread.await_end(timeout_s)
        if self._thread.has_died:  # `at_end` did not run
            self._run()

    def _start(self) -> None:
        with self._starting:
            if self._thread.is_alive or self.closing.is_set():
                return
            try:
                self._thread.start()
            except StoreError as error:  # the next wake-up tries again
                self.last_error = error.code

    def _run(self) -> None:
        rest_s = None
        while not self.closing.is_set():
            self._woken.wait(_ASLEEP_S if rest_s is None else rest_s)
            self.closing.wait(self._gather_s)
            self._woken.clear()
            if not self.closing.is_set():
                rest_s = self._attempt(self._step)
        if self._at_end is not None:
            self._attempt(self._at_end)

    def _attempt(self, work: WorkerStep) -> float | None:
        try:
            rest_s = work()
        except BaseException as error:  # noqa: BLE001  # status tells it; the thread must live
            self.last_error = error_code(error)
            self._failures += 1
            return backoff_s(self._failures) if self._failed is None else self._failed(error)
        self.last_error, self._failures = None, 0
        return rest_s


class WaitingIterator(Iterator[T]):
    """An iterator that waits for its next item, and that another thread can end meanwhile.

    Args:
        items: The items.
        end: Makes ``items`` end.
    """

    def __init__(self, items: Iterator[T], end: Callable[[], None]) -> None:
        self._items = items
        self.close = end

    def __next__(self) -> T:
        return next(self._items)
