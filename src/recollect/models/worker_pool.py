"""Runs jobs side by side in threads that nobody has to wait for.

The threads are daemons: after Ctrl-C the program ends at once, and a request that is under way ends
on its own within its deadline.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Generic, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


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
        self._outcomes: queue.SimpleQueue[_Outcome[Result]] = queue.SimpleQueue()

    def results(self) -> Generator[Result, None, None]:
        """Yield results as they come, in no order; ends when all begun jobs are done.

        A caller that leaves early stops the lanes.
        """
        for number in range(self._width):
            name = f"recollect-embed-{number}"
            threading.Thread(target=self._run, name=name, daemon=True).start()
        running = self._width
        try:
            while running:
                outcome = self._outcomes.get()
                if outcome.is_end:
                    running -= 1
                yield from outcome.unpack()
        finally:
            self.stop()

    def stop(self) -> None:
        """Begin no further job; those under way are still finished."""
        with self._lock:
            self._stopped = True

    def _run(self) -> None:
        for job in iter(self._next, None):
            try:
                self._outcomes.put(_Outcome(results=[self._work(job[0])]))
            except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
                self._outcomes.put(_Outcome(error=error))
        self._outcomes.put(_Outcome(is_end=True))

    def _next(self) -> tuple[Job] | None:
        with self._lock:
            if self._stopped:
                return None
            return next(((job,) for job in self._jobs), None)


class _Outcome(Generic[Result]):
    """What a thread has to say: a result, an error, or that it ends."""

    def __init__(
        self,
        *,
        results: Sequence[Result] = (),
        error: BaseException | None = None,
        is_end: bool = False,
    ) -> None:
        self._results = results
        self._error = error
        self.is_end = is_end

    def unpack(self) -> Sequence[Result]:
        """Return the result, if there is one, or raise the error."""
        if self._error is not None:
            raise self._error
        return self._results
