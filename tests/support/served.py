"""A worker that serves a home in a thread of the test."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from recollect.server.presence import Presence
from recollect.server.worker.home_worker import HomeWorker


def free_port() -> int:
    """Return a port that nobody listens on, other than the default one."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def serving(home: Path, overrides: Mapping[str, object] | None = None) -> Iterator[Presence]:
    """Serve a home while the block runs; what the worker raises is raised."""
    worker = HomeWorker(home, overrides)
    told: SimpleQueue[Presence | BaseException | None] = SimpleQueue()

    def run() -> None:
        try:
            worker.run(told.put)
            told.put(None)
        except BaseException as error:  # noqa: BLE001 - it is raised in the test
            told.put(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        first = told.get()
        if isinstance(first, BaseException):
            raise first
        assert first is not None
        yield first
    finally:
        worker.stop()
        thread.join()
    last = told.get()
    if last is not None:
        raise AssertionError("the worker failed") from (
            last if isinstance(last, BaseException) else None
        )
