"""The breaker."""

from __future__ import annotations

from recollect.models.http.retry import Breaker
from tests.support.scripted_time import ScriptedTime


def _opened(time: ScriptedTime) -> Breaker:
    breaker = Breaker(time.elapsed, failures=3, cool_down_s=30.0)
    for _ in range(3):
        breaker.fail()
    return breaker


def test_it_opens_after_failures_in_a_row() -> None:
    """A success in between starts the count again."""
    breaker = Breaker(ScriptedTime().elapsed, failures=3)
    for _ in range(5):
        breaker.fail()
        breaker.fail()
        breaker.succeed()
    assert (breaker.wait_s(), breaker.is_open) == (0.0, False)


def test_while_it_is_open_everybody_is_told_how_long() -> None:
    """Without asking the provider."""
    time = ScriptedTime()
    breaker = _opened(time)
    time.pause(10.0)
    assert (breaker.wait_s(), breaker.is_open) == (20.0, True)


def test_after_the_cool_down_one_call_probes() -> None:
    """The others go on waiting until it is known."""
    time = ScriptedTime()
    breaker = _opened(time)
    time.pause(30.0)
    assert breaker.wait_s() == 0.0
    assert breaker.wait_s() == 30.0
    breaker.succeed()
    assert breaker.wait_s() == 0.0


def test_a_probe_that_fails_opens_it_again() -> None:
    """For a whole cool-down."""
    time = ScriptedTime()
    breaker = _opened(time)
    time.pause(31.0)
    assert breaker.wait_s() == 0.0
    breaker.fail()
    assert breaker.wait_s() == 30.0


def test_a_probe_that_never_ends_does_not_block_for_ever() -> None:
    """Another cool-down later somebody else may try."""
    time = ScriptedTime()
    breaker = _opened(time)
    time.pause(30.0)
    assert breaker.wait_s() == 0.0
    time.pause(30.0)
    assert breaker.wait_s() == 0.0
