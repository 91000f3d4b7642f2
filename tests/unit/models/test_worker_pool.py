"""Jobs side by side."""

from __future__ import annotations

import threading

import pytest

from recollect.core.errors import ProviderUnavailable
from recollect.models.worker_pool import WorkerPool, run_within
from tests.support.dying import die_at_birth, refuse_threads


def test_every_job_is_done_once() -> None:
    """Whatever the width."""
    for width in (1, 3, 50):
        assert sorted(WorkerPool(range(20), lambda n: n * n, width).results()) == [
            n * n for n in range(20)
        ]


def test_no_jobs_are_no_threads() -> None:
    """And an end at once."""
    assert list(WorkerPool([], lambda job: job, 4).results()) == []


def test_stopping_finishes_what_was_begun() -> None:
    """What is under way is paid for already."""
    results: list[int] = []

    def work(job: int) -> int:
        if job == 2:
            pool.stop()
        results.append(job)
        return job

    pool = WorkerPool(range(100), work, 1)
    assert list(pool.results()) == [0, 1, 2] == results


def test_a_caller_that_leaves_stops_the_lanes() -> None:
    """As Ctrl-C does: no further job is begun."""
    left, begun = threading.Event(), []

    def work(job: int) -> int:
        begun.append(job)
        if job:
            left.wait(10)
        return job

    results = WorkerPool(range(100), work, 1).results()
    assert next(results) == 0
    results.close()
    left.set()
    assert len(begun) <= 2


def test_an_error_of_the_work_is_raised_here() -> None:
    """In the thread that asked."""

    def work(job: int) -> int:
        raise ZeroDivisionError(job)

    with pytest.raises(ZeroDivisionError):
        list(WorkerPool([1, 2, 3], work, 2).results())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_workers_that_die_at_birth_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """No caller waits for them."""
    die_at_birth(monkeypatch, 2)
    assert sorted(WorkerPool(range(20), lambda n: n, 2).results()) == list(range(20))


def test_where_no_thread_can_be_started_the_provider_is_unavailable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What falls back from a provider that is down falls back here, too."""
    refuse_threads(monkeypatch)
    with pytest.raises(ProviderUnavailable):
        list(WorkerPool([1], lambda n: n, 2).results())
    with pytest.raises(ProviderUnavailable):
        run_within(10.0, lambda: 7)
