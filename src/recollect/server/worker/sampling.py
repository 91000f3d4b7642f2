"""Sampling: the worker measures itself every ten seconds; see `recollect.server.series`."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from recollect.core.clock import Clock, SystemClock
from recollect.core.errors import RecollectError, StoreError
from recollect.core.threads import Look, RestartableThread
from recollect.memory import Memory
from recollect.recall.record_counts import Measure
from recollect.server.series import LONG_S, SHORT_S, Series, sample_of
from recollect.store.sqlite.home import (
    BLOBS,
    CHECKPOINTS,
    INDEX_FILE,
    RECORDS_FILE,
    TRANSCRIPTS,
)

_KINDS = {
    "records": f"{RECORDS_FILE}*",
    "index": f"{INDEX_FILE}*",
    "checkpoints": f"{CHECKPOINTS}/**/*",
    "blobs": f"{BLOBS}/**/*",
    "transcripts": f"{TRANSCRIPTS}/*",
}
"""By kind: its files below the home."""
_MOST_SEARCHES = 4_096
"""Times that are kept for a long sample."""

_log = logging.getLogger("recollect.server")


class Sampler:
    """Takes samples of a memory.

    Args:
        memory: Returns it as it is now: with other settings it is opened again.
        series: Keeps the samples.
        clock: Dates them.
    """

    def __init__(self, memory: Callable[[], Memory], series: Series, clock: Clock) -> None:
        self._memory, self._series, self._clock = memory, series, clock
        self._last: Measure | None = None
        self._searches_ms: list[float] = []
        self._captured = self._count = 0

    def take(self) -> None:
        """Take a short sample, and every `LONG_S` seconds a long one, which is written.

        Raises:
            RecollectError: the memory cannot be read, or the file not be written.
        """
        memory = self._memory()
        self._last = now = memory.measure(self._last)
        at, backlog = self._clock.now_ms(), now.backlog
        self._series.add(sample_of(at, now.captured, now.searches_ms, backlog))
        self._searches_ms = [*self._searches_ms, *now.searches_ms][-_MOST_SEARCHES:]
        self._captured += now.captured
        self._count += 1
        if self._count % (LONG_S // SHORT_S) == 0:
            sample = sample_of(at, self._captured, self._searches_ms, backlog)
            whole = msgspec.structs.replace(sample, bytes=sizes_of(memory.home))
            self._series.add(whole, is_long=True)
            self._searches_ms, self._captured = [], 0
            self._series.save(memory.home)


def sizes_of(home: Path) -> dict[str, int]:
    """Return the bytes of the files of a home, by kind."""
    return {kind: sum(map(_size, home.glob(pattern))) for kind, pattern in _KINDS.items()}


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:  # it is gone meanwhile
        return 0


@contextmanager
def sampling(memory: Callable[[], Memory], home: Path, series: Series) -> Iterator[Look]:
    """Take samples while the block runs, after those of the worker before; write them at the end.

    Yields a function that replaces the thread if it has died.
    """
    series.restore(home)
    sampler, stopping = Sampler(memory, series, SystemClock()), threading.Event()

    def work() -> None:
        while not stopping.wait(SHORT_S):
            try:
                sampler.take()
            except RecollectError as error:
                _log.warning("nothing was measured: %s", error.code)

    def look() -> None:
        if thread.has_died:
            with suppress(StoreError):  # the next check tries again
                thread.start()

    thread = RestartableThread("recollect-series", work)
    thread.start()
    try:
        yield look
    finally:
        stopping.set()
        thread.await_end()
        with suppress(StoreError):
            series.save(home)
