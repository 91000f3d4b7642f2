"""Waiting no longer than that."""

from __future__ import annotations

import threading

import pytest

from recollect.models.worker_pool import run_within


def test_what_is_ready_comes_back() -> None:
    """Result or error, as if it had been called here."""
    assert run_within(10.0, lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        run_within(10.0, lambda: 1 // 0)


def test_what_is_late_is_left_behind() -> None:
    """It may hang in the look-up of a name, which no timeout bounds."""
    released = threading.Event()
    with pytest.raises(TimeoutError):
        run_within(0.01, lambda: released.wait(10.0))
    released.set()
