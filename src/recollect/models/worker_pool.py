"""Runs jobs side by side in threads that no one has to wait for.

The threads are daemons: after Ctrl-C the program ends at once, and a request that is under way ends
on its own within its deadline.
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
    """Return what ``work`` returns, or raise what it raises, within so many seconds.

    It runs in a daemon thread; what comes later than that is dropped.

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
    """Works off jobs in order of their places, up to ``width`` at once.

    Args:
        jobs: What is to be done.
        work: Does one of them; what it raises, `results` raises.
        width: Threads at most.
    """

    def __init__(self, jobs: Sequence[Job], work: Callable[[Job], Result], width: int) -> None:
        self._jobs = jobs
        self._work = work
        self._width = min(width, len(jobs))
        self._is_stopped = False

    def results(self) -> Generator[Result, None, None]:
        """Yield results as they come, in no order; ends when all begun jobs are done.

        A caller that leaves early stops the workers.

        Raises:
            ProviderUnavailable: the thread of a job died, or none can be started.
        """
        if not self._jobs:
            return
        pool = ThreadPool("recollect-embed", self._width)
        try:
            for done in completed([pool.submit(partial(self._do, job)) for job in self._jobs]):
                yield from done.result()
        except ThreadDied as error:
            raise _unavailable(error) from error
        finally:
            self.stop()

    def stop(self) -> None:
        """Begin no further job; those under way are still finished."""
        self._is_stopped = True

    def _do(self, job: Job) -> list[Result]:
        return [] if self._is_stopped else [self._work(job)]
