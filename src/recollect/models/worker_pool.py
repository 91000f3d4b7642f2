"""Runs jobs concurrently in threads that need not be awaited.

The threads are daemons: after Ctrl-C the program ends at once; a request in progress ends within
its deadline.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Generic, TypeVar

from recollect.core.errors import ProviderUnavailable
from recollect.core.threads import ThreadDied, ThreadPool, completed, run_on_thread

Job = TypeVar("Job")
Result = TypeVar("Result")


def run_within(seconds: float, work: Callable[[], Result]) -> Result:
    """Return the result of ``work``, or raise its error, within so many seconds.

    It runs in a daemon thread; a later result is dropped.

    Raises:
        TimeoutError: it was not ready in time.
        ProviderUnavailable: its thread died, or none can be started.
    """
    try:
        return run_on_thread("recollect-ask", work).result(seconds)
    except ThreadDied as error:
        raise _unavailable(error) from error


def _unavailable(error: ThreadDied) -> ProviderUnavailable:
    return ProviderUnavailable(error.message, hint=error.hint)


class WorkerPool(Generic[Job, Result]):
    """Runs jobs in their order, up to ``width`` at once.

    Args:
        jobs: The jobs.
        work: Does one of them; `results` raises its errors.
        width: Threads at most.
    """

    def __init__(self, jobs: Sequence[Job], work: Callable[[Job], Result], width: int) -> None:
        self._jobs = jobs
        self._work = work
        self._width = min(width, len(jobs))
        self._is_stopped = False

    def results(self) -> Generator[Result, None, None]:
        """Yield results as they arrive, in no order; ends when all started jobs are done.

        Closing the iterator early stops the workers.

        Raises:
            ProviderUnavailable: the thread of a job died, or none can be started.
        """
        if not self._jobs:
            return
        pool = ThreadPool("recollect-embed", self._width)
        try:
            for future in completed([pool.submit(partial(self._do, job)) for job in self._jobs]):
                yield from future.result()
        except ThreadDied as error:
            raise _unavailable(error) from error
        finally:
            self.stop()

    def stop(self) -> None:
        """Start no further job; those in progress are still finished."""
        self._is_stopped = True

    def _do(self, job: Job) -> list[Result]:
        return [] if self._is_stopped else [self._work(job)]
