"""Counting files, calls and moves of a call."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator

import pytest

from benchmarks.measure.walk import Tracer
from recollect.core.clock import to_datetime
from recollect.text.tokens import estimate_tokens


@pytest.fixture
def tracer() -> Iterator[Tracer]:
    """One that leaves no thread traced."""
    made = Tracer()
    yield made
    made.close()


def test_a_move_is_a_call_or_return_into_another_file(tracer: Tracer) -> None:
    """Two calls of one file, one of another, in turn: two moves between the three."""
    with tracer.counting():
        to_datetime(0)
        estimate_tokens("tea")
        to_datetime(1)

    walk = tracer.walk()
    assert list(walk.entered) == ["core/clock.py", "text/tokens.py"]
    assert walk.entered["core/clock.py"] == 2
    assert (walk.files, walk.moves) == (2, 2)
    assert walk.calls == sum(walk.entered.values())


def test_threads_are_counted_apart_and_together(tracer: Tracer) -> None:
    """A call in another thread is no move of this one."""
    with tracer.counting():
        to_datetime(0)
        other = threading.Thread(target=estimate_tokens, args=("tea",))
        other.start()
        other.join()

    assert list(tracer.walk(threading.get_ident()).entered) == ["core/clock.py"]
    assert tracer.walk().files == 2
    assert tracer.walk().moves == 0


def test_nothing_is_counted_after_the_end(tracer: Tracer) -> None:
    """Nor before: each counting begins at zero."""
    with tracer.counting():
        to_datetime(0)
    tracer.stop()
    to_datetime(1)
    assert tracer.walk().calls == 1

    with tracer.counting():
        pass
    assert tracer.walk().calls == 0


class _Cycle:
    """Garbage that only the collector of cycles finds."""

    def __init__(self) -> None:
        self.itself = self
        weakref.finalize(self, estimate_tokens, "tea")


def test_a_finalizer_of_older_garbage_is_no_call_of_what_is_counted(tracer: Tracer) -> None:
    """The collector runs in whichever thread makes the next object."""
    _Cycle()
    with tracer.counting():
        made: list[list[int]] = [[] for _ in range(100_000)]  # enough for the collector to run
        to_datetime(len(made))

    assert list(tracer.walk().entered) == ["core/clock.py"]
