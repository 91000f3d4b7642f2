"""How much a sender may write."""

from __future__ import annotations

from recollect.respond.channels.senders import BUCKETS, RateLimit


def test_a_burst_is_taken_and_then_as_many_as_time_brings() -> None:
    """Each sender has a bucket of their own."""
    now = 0.0
    limit = RateLimit(6, lambda: now)
    assert [limit.take("ann") for _ in range(8)] == [True] * 6 + [False] * 2
    assert limit.take("bob")
    now = 10.0
    assert [limit.take("ann") for _ in range(2)] == [True, False]
    now = 1_000.0
    assert [limit.take("ann") for _ in range(7)] == [True] * 6 + [False]


def test_buckets_of_senders_without_end_take_no_memory() -> None:
    """The one not used for longest goes."""
    limit = RateLimit(1, lambda: 0.0)
    for number in range(BUCKETS + 100):
        assert limit.take(str(number))
    assert len(limit._buckets) == BUCKETS  # noqa: SLF001
    assert not limit.take(str(BUCKETS + 99))
    assert limit.take("0")
