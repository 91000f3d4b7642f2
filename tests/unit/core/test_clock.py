"""Time and ids."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.clock import MAX_MS, IdSource, SystemClock, to_datetime, to_ms


class ScriptedClock:
    """Tells the given times, the last one for ever."""

    def __init__(self, times: Sequence[int]) -> None:
        self._times = list(times)

    def now_ms(self) -> int:
        """Return the next time."""
        return self._times.pop(0) if len(self._times) > 1 else self._times[0]


def _zeros(count: int) -> bytes:
    return bytes(count)


def test_the_system_clock_counts_milliseconds_since_1970() -> None:
    """Between two readings of the machine's own clock."""
    before = time.time_ns() // 1_000_000  # noqa: TID251 - the oracle
    now = SystemClock().now_ms()
    assert before <= now <= time.time_ns() // 1_000_000  # noqa: TID251 - the oracle


def test_an_id_is_a_uuid_of_version_7() -> None:
    """RFC 9562: 48 bits of time, version 7, variant 10."""
    id_ = IdSource(ScriptedClock([0x0123456789AB]), _zeros).new()
    assert id_ == "01234567-89ab-7000-8000-000000000000"


@given(st.lists(st.integers(min_value=0, max_value=2**40), min_size=1, max_size=50))
def test_ids_grow_whatever_the_clock_does(times: list[int]) -> None:
    """Also when it stands still or goes back."""
    ids = IdSource(ScriptedClock(times), _zeros)
    new_ids = [ids.new() for _ in range(len(times) + 3)]
    assert new_ids == sorted(set(new_ids))


def test_more_than_4096_ids_of_one_millisecond_still_grow() -> None:
    """The counter of 12 bits runs over into the time."""
    ids = IdSource(ScriptedClock([1_000]), _zeros)
    new_ids = [ids.new() for _ in range(5_000)]
    assert new_ids == sorted(set(new_ids))


def test_threads_never_get_the_same_id() -> None:
    """One source serves a whole process."""
    ids = IdSource(ScriptedClock([5]), _zeros)
    with ThreadPoolExecutor(4) as pool:
        new_ids = list(pool.map(lambda _: ids.new(), range(2_000)))
    assert len(set(new_ids)) == 2_000


def test_random_bytes_are_drawn_for_many_ids_at_once() -> None:
    """A draw costs 0.3 ms on some systems, more than all else that an id takes."""
    drawn: list[int] = []

    def entropy(count: int) -> bytes:
        drawn.append(count)
        return os.urandom(count)

    ids = IdSource(ScriptedClock([5]), entropy)
    new_ids = [ids.new() for _ in range(1_000)]
    assert len({text[19:] for text in new_ids}) == 1_000
    assert len(drawn) < 20


def test_a_forked_child_makes_other_ids_than_its_parent() -> None:
    """What the parent has drawn ahead is its own."""
    program = (
        "import os\n"
        "from recollect.core.clock import IdSource\n"
        "class Still:\n"
        "    def now_ms(self): return 5\n"
        "ids = IdSource(Still())\n"
        "ids.new()\n"
        "child = os.fork()\n"
        "os.write(1, (ids.new() + '\\n').encode())\n"
        "if child: os.waitpid(child, 0)\n"
    )
    completed = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    one, other = completed.stdout.split()
    assert (one[:18], one[19:] != other[19:]) == (other[:18], True)


def test_times_are_given_as_numbers_or_datetimes() -> None:
    """A naive datetime is UTC, another zone is converted."""
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    ms = 1_795_176_000_000
    assert to_ms(ms) == to_ms(noon) == to_ms(noon.replace(tzinfo=None)) == ms
    assert to_ms(noon.astimezone(timezone(timedelta(hours=9)))) == ms
    assert to_datetime(ms) == noon


@pytest.mark.parametrize("at", [-1, MAX_MS + 1, datetime(1969, 12, 31, tzinfo=UTC)])
def test_times_before_1970_or_after_9999_are_refused(at: int | datetime) -> None:
    """They could not be shown again."""
    with pytest.raises(ValueError, match="1970 to 9999"):
        to_ms(at)


@given(st.integers(min_value=0, max_value=MAX_MS))
def test_a_time_survives_the_way_to_a_datetime_and_back(ms: int) -> None:
    """To the millisecond."""
    assert to_ms(to_datetime(ms)) == ms
