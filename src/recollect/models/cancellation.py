"""Cancels one call of a model, from any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable

from recollect.core.errors import Cancelled


class Cancellation:
    """Cancels one call. Safe to share between threads."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: dict[object, Callable[[], object]] = {}

    @property
    def is_cancelled(self) -> bool:
        """Return whether `cancel` was called."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Cancel the call, which raises `Cancelled` soon; a call that has ended stays as it is."""
        with self._lock:
            self._cancelled.set()
            callbacks, self._callbacks = self._callbacks, {}
        for callback in callbacks.values():
            callback()

    def on_cancel(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Call ``callback`` once when the call is cancelled, at once if it was; it must not raise.

        Returns:
            A function that takes it back.
        """
        key = object()
        with self._lock:
            if not self.is_cancelled:
                self._callbacks[key] = callback
                return lambda: self._forget(key)
        callback()
        return lambda: None

    def require_going(self) -> None:
        """Raise an error after `cancel`.

        Raises:
            Cancelled: it was called.
        """
        if self.is_cancelled:
            raise Cancelled("the call was cancelled", hint="ask again to get an answer")

    def wait(self, seconds: float) -> None:
        """Wait for so many seconds, or until `cancel`."""
        self._cancelled.wait(seconds)

    def _forget(self, key: object) -> None:
        with self._lock:
            self._callbacks.pop(key, None)
