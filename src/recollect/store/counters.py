"""Counters: short numbers for records, by tenant and kind, that are never reused."""

from __future__ import annotations

from typing import LiteralString

from recollect.store.columns import first_integer
from recollect.store.engine import Transaction

_NEXT: LiteralString = """
    INSERT INTO counters (tenant, kind, last) VALUES (?, ?, ?)
    ON CONFLICT (tenant, kind) DO UPDATE SET last = last + excluded.last RETURNING last
"""
_RAISE: LiteralString = """
    INSERT INTO counters (tenant, kind, last) VALUES (?, ?, ?)
    ON CONFLICT (tenant, kind) DO UPDATE SET last = max(last, excluded.last)
"""
_LAST: LiteralString = "SELECT last FROM counters WHERE tenant = ? AND kind = ?"


def next_number(tx: Transaction, tenant: str, kind: str) -> int:
    """Return the next number of a kind of record, from 1, in the transaction that stores it."""
    return next_numbers(tx, tenant, kind, 1)[0]


def next_numbers(tx: Transaction, tenant: str, kind: str, count: int) -> range:
    """Return the next numbers of a kind of record, at least one; see `next_number`."""
    last = first_integer(tx.row(_NEXT, (tenant, kind, count)))
    return range(last - count + 1, last + 1)


def last_number(tx: Transaction, tenant: str, kind: str) -> int:
    """Return the last number that a kind of record was given; 0 for none.

    Of messages it is the greatest at the time when some were removed.
    """
    return first_integer(tx.row(_LAST, (tenant, kind)))


def raise_counter(tx: Transaction, tenant: str, kind: str, number: int) -> None:
    """Raise the counter of a kind of record above a number that was given elsewhere."""
    tx.execute(_RAISE, (tenant, kind, number))
