"""How a back end stands: open, or failed and left alone for a while, with the reason."""

from __future__ import annotations

import threading

from recollect.core.clock import Clock
from recollect.core.errors import RecollectError
from recollect.index.vectors.port import VectorBackend

RETRY_MS = 30_000
"""After a failure the back end is left alone for so long, so that no search waits for it twice."""


class BackendHealth:
    """Of one back end. Threads may share it.

    Args:
        backend: Opened when it is needed first.
        clock: Says when one that failed is tried again.

    Attributes:
        backend: The same.
        is_open: Whether it may be asked.
        error: Why not, or None.
        openings: How often it was opened, so that others notice.
    """

    def __init__(self, backend: VectorBackend, clock: Clock) -> None:
        self.backend = backend
        self.is_open = False
        self.error: str | None = None
        self.openings = 0
        self._clock = clock
        self._retry_at = 0
        self._mutex = threading.Lock()

    def prepare(self) -> bool:
        """Open the back end unless it is open or failed just now; return whether it is open."""
        with self._mutex:
            if not self.is_open and self._clock.now_ms() >= self._retry_at:
                try:
                    self.backend.open()
                except RecollectError as error:
                    self.note(error)
                else:
                    self.is_open, self.error = True, None
                    self.openings += 1
            return self.is_open

    def note(self, error: RecollectError) -> None:
        """Leave the back end alone for a while because of ``error``."""
        self.error = error.message
        self._retry_at = self._clock.now_ms() + RETRY_MS
        self.is_open = False

    def close(self) -> None:
        """Let go of the back end."""
        if self.openings:
            self.backend.close()
        self.is_open = False
