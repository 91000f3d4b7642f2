"""Waits between tries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.models.http.retry import RetryPolicy, query_policy, retry_after_s

NOVEMBER_14 = 1_699_999_990_000
"""2023-11-14 22:13:10 UTC."""


def test_waits_double_up_to_their_cap() -> None:
    """Source: OpenClaw's retry rules, half of each bound by the jitter given."""
    policy = RetryPolicy()
    waits = [policy.wait_s(tried, limited=False, spread=0.5) for tried in range(1, 8)]
    assert waits == [0.25, 0.5, 1.0, 2.0, 4.0, 4.0, 4.0]
    limited = [policy.wait_s(tried, limited=True, spread=0.5) for tried in range(1, 7)]
    assert limited == [2.5, 5.0, 10.0, 20.0, 30.0, 30.0]


def test_too_many_requests_get_more_tries() -> None:
    """Three tries for what fails, five for what is only busy."""
    policy = RetryPolicy()
    assert [policy.allows(tried, limited=False) for tried in (2, 3)] == [True, False]
    assert [policy.allows(tried, limited=True) for tried in (4, 5)] == [True, False]


def test_a_question_has_one_deadline_for_everything() -> None:
    """And short waits, so that a second try fits in."""
    policy = query_policy(3.0)
    assert (policy.attempt_s, policy.total_s) == (3.0, 3.0)
    assert policy.wait_s(1, limited=True, spread=1.0) <= 0.5


@given(tried=st.integers(1, 60), limited=st.booleans(), spread=st.floats(0, 1, exclude_max=True))
def test_a_wait_is_never_negative_nor_above_the_cap(
    tried: int, limited: bool, spread: float
) -> None:
    """Also after very many tries."""
    policy = RetryPolicy()
    cap = policy.limited_cap_s if limited else policy.cap_s
    assert 0 <= policy.wait_s(tried, limited=limited, spread=spread) <= cap


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        (" 1.5 ", 1.5),
        ("Tue, 14 Nov 2023 22:13:40 GMT", 30.0),
        ("Tue, 14 Nov 2023 22:13:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("", None),
        ("٣", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    """RFC 9110 section 10.2.3; what is neither says nothing."""
    assert retry_after_s(value, NOVEMBER_14) == seconds


@given(st.text(max_size=40))
def test_no_retry_after_is_an_error(value: str) -> None:
    """It comes from outside."""
    seconds = retry_after_s(value, NOVEMBER_14)
    assert seconds is None or seconds >= 0
