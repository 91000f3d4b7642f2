"""Runs jobs side by side in threads that no one has to wait for.

The threads are daemons: after Ctrl-C the program ends at once, and a request that is under way ends
on its own within its deadline.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Generic, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


def run_into(future: Future[Result], work: Callable[[], Result]) -> None:
    """Run ``work`` and put what it returns or raises into ``future``."""
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
        future.set_exception(error)


def run_within(seconds: float, work: Callable[[], Result]) -> Result:
    """Return what ``work`` returns, or raise what it raises, within so many seconds.

    It runs in a daemon thread; what comes later than that is dropped.

    Raises:
        TimeoutError: it was not ready in time.
    """
    made: Future[Result] = Future()
    name = "recollect-ask"
    threading.Thread(target=run_into, args=(made, work), name=name, daemon=True).start()
    return made.result(seconds)


class WorkerPool(Generic[Job, Result]):
    """Works off jobs in order of their places, up to ``width`` at once.

    Args:
        jobs: What is to be done.
        work: Does one of them; what it raises, `results` raises.
        width: Threads at most.
    """

    def __init__(self, jobs: Sequence[Job], work: Callable[[Job], Result], width: int) -> None:
        self._jobs = iter(jobs)
        self._work = work
        self._width = min(width, len(jobs))
        self._lock = threading.Lock()
        self._stopped = False
        self._done: queue.SimpleQueue[Future[Result] | None] = queue.SimpleQueue()

    def results(self) -> Generator[Result, None, None]:
        """Yield results as they come, in no order; ends when all begun jobs are done.

        A caller that leaves early stops the workers.
        """
        for number in range(self._width):
            name = f"recollect-embed-{number}"
            threading.Thread(target=self._run, name=name, daemon=True).start()
        running = self._width
        try:
            while running:
                done = self._done.get()
                if done is None:
                    running -= 1
                else:
                    yield done.result()
        finally:
            self.stop()

    def stop(self) -> None:
        """Begin no further job; those under way are still finished."""
        with self._lock:
            self._stopped = True

    def _run(self) -> None:
        while begun := self._begin():
            future: Future[Result] = Future()
            run_into(future, begun)
            self._done.put(future)
        self._done.put(None)

    def _begin(self) -> Callable[[], Result] | None:
        with self._lock:
            if self._stopped:
                return None
            return next((partial(self._work, job) for job in self._jobs), None)
