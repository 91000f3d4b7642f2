"""When the background works: reasons are gathered, put off, and taken when they are due."""

from __future__ import annotations

import pytest

from recollect.recall.sync import MOST_RESTS, Schedule


def test_what_is_asked_for_is_due_after_its_rest() -> None:
    """And taken once."""
    schedule = Schedule(0.0, now=0.0)
    schedule.ask("watch", 10.0, 1.5)
    assert (schedule.due_at(), schedule.is_empty) == (11.5, False)
    assert schedule.take(11.4) == ()
    assert schedule.take(11.5) == ("watch",)
    assert (schedule.take(99.0), schedule.due_at(), schedule.is_empty) == ((), None, True)


def test_further_changes_put_a_debounce_off_but_not_for_ever() -> None:
    """A file that is written all the time is read all the same."""
    schedule = Schedule(0.0, now=0.0)
    schedule.ask("watch", 0.0, 1.5)
    schedule.ask("watch", 1.0, 1.5)
    assert schedule.due_at() == pytest.approx(2.5)
    for tenth in range(10, 200):
        schedule.ask("watch", tenth / 10, 1.5)
    assert schedule.due_at() == MOST_RESTS * 1.5


def test_what_only_gathers_is_not_put_off() -> None:
    """Messages that come all the time are indexed so long after the first; only that one wakes."""
    schedule = Schedule(0.0, now=0.0)
    sooner = [schedule.ask("message", now / 10, 0.2, most_rests=1) for now in range(3)]
    assert (sooner, schedule.due_at()) == ([True, False, False], 0.2)
    assert schedule.take(0.3) == ("message",)
    assert schedule.ask("message", 0.4, 5.0)
    assert schedule.ask("message", 0.5, 0.2)
    assert not schedule.ask("message", 9.0)


def test_reasons_that_are_due_are_served_by_one_sync() -> None:
    """One that still rests is left alone."""
    schedule = Schedule(0.0, now=0.0)
    schedule.ask("session-start", 0.0)
    schedule.ask("message", 0.0, 0.3)
    schedule.ask("transcript", 0.0, 5.0)
    assert schedule.take(1.0) == ("session-start", "message")
    assert schedule.due_at() == 5.0
    schedule.clear()
    assert schedule.is_empty


def test_an_interval_comes_again_and_again() -> None:
    """Counted from when it was served; without one there is none."""
    schedule = Schedule(60.0, now=100.0)
    assert (schedule.due_at(), schedule.is_empty) == (160.0, True)
    assert schedule.take(159.0) == ()
    assert schedule.take(170.0) == ("interval",)
    assert schedule.due_at() == 230.0
