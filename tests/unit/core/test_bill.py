"""Bills: tokens of one request, and of several together."""

from __future__ import annotations

import pytest

from recollect.core.bill import Bill, TokenUse

USE = TokenUse(input=2, output=30, cache_read=500, cache_write=7_000)


def test_the_total_counts_every_token_once() -> None:
    """Whether read, written, or in the provider's cache."""
    assert USE.total == 7_532
    assert TokenUse().total == 0


@pytest.mark.parametrize("field", ["input", "output", "cache_read", "cache_write"])
def test_uses_add_up_kind_by_kind(field: str) -> None:
    """No kind takes over the tokens of another one."""
    one = TokenUse(**{field: 5})
    assert getattr(USE + one, field) == getattr(USE, field) + 5
    assert (USE + one).total == (one + USE).total == USE.total + 5
    assert USE + TokenUse() == USE


def test_an_unknown_price_is_not_zero() -> None:
    """The ledger counts such requests apart."""
    bill = Bill(use=USE)
    assert (bill.model, bill.usd) == ("", None)
