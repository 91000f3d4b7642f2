"""A worker that serves a home on a thread of this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from recollect.server.worker.home_worker import HomeWorker

_WAIT_S = 30.0


@contextmanager
def serving(home: Path) -> Iterator[int]:
    """Yield the port of a worker of a home, by the settings of its file; stop it afterwards.

    Raises:
        RecollectError: it cannot serve the home.
    """
    worker, told = HomeWorker(home), SimpleQueue[Any]()

    def run() -> None:
        try:
            worker.run(told.put)
        except BaseException as error:  # noqa: BLE001 - it is raised where the worker was started
            told.put(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        started = told.get(timeout=_WAIT_S)
        if isinstance(started, BaseException):
            raise started
        yield started.port
    finally:
        worker.stop()
        thread.join()
