"""One duty on a thread of its own: it starts late, survives failures and ends soon."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeAlias

from recollect.core.errors import RecollectError

RETRY_S = 30.0
"""After a failure the same is tried again after so long, then twice as long, up to an hour."""
LONGEST_RETRY_S = 3_600.0
_MOST_DOUBLINGS = 16

Step: TypeAlias = "Callable[[], float | None]"
"""Does what there is to do; returns after how many seconds to call it again, None: when woken."""


def error_code(error: BaseException) -> str:
    """Return the stable `code` of an error; that of the root for one that is not ours."""
    return error.code if isinstance(error, RecollectError) else RecollectError.code


def backoff_s(failures: int, first_s: float = RETRY_S) -> float:
    """Return how long to rest after so many failures in a row, at least one."""
    return min(LONGEST_RETRY_S, first_s * (1 << min(failures - 1, _MOST_DOUBLINGS)))


class Worker:
    """Calls ``step`` on a thread of its own, which starts when it is woken for the first time.

    Args:
        name: Of the thread.
        step: The duty; may raise anything. A long one asks `closing` often.
        gather_s: How long what it is woken for may gather.
        failed: Called after a failure; returns how long to rest. `backoff_s` if not given.
        at_end: Called last, on the same thread, if it ever ran.

    Attributes:
        closing: Set as soon as the step should end.
        last_error: The `code` of the last failure, None after a success.
    """

    def __init__(
        self,
        name: str,
        step: Step,
        *,
        gather_s: float = 0.0,
        failed: Callable[[Exception], float] | None = None,
        at_end: Callable[[], None] | None = None,
    ) -> None:
        self._name = name
        self._step = step
        self._gather_s = gather_s
        self._failed = failed
        self._at_end = at_end
        self._failures = 0
        self._woken = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self.closing = threading.Event()
        self.last_error: str | None = None

    def wake(self) -> None:
        """Let it look for something to do. Returns at once."""
        if not self._woken.is_set():  # a worker that is woken already looks after this call
            self._woken.set()
        if self._thread is None:
            self._start()

    def stop(self, timeout_s: float | None = None) -> None:
        """Stop, and wait for it, unless the step itself calls; a second call does nothing."""
        with self._starting:
            self.closing.set()
        self._woken.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout_s)

    def _start(self) -> None:
        with self._starting:
            if self._thread is None and not self.closing.is_set():
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def _run(self) -> None:
        rest_s = None
        while not self.closing.is_set():
            self._woken.wait(rest_s)
            self.closing.wait(self._gather_s)
            self._woken.clear()
            if not self.closing.is_set():
                rest_s = self._attempt(self._step)
        if self._at_end is not None:
            self._attempt(self._at_end)

    def _attempt(self, work: Step) -> float | None:
        try:
            rest_s = work()
        except Exception as error:  # noqa: BLE001  # status tells it; the thread must live
            self.last_error = error_code(error)
            self._failures += 1
            return backoff_s(self._failures) if self._failed is None else self._failed(error)
        self.last_error, self._failures = None, 0
        return rest_s
