"""Counters: short numbers for records, by tenant and kind, that are never used again."""

from __future__ import annotations

from typing import LiteralString

from recollect.store.columns import first_integer
from recollect.store.engine import Transaction

_NEXT: LiteralString = """
    INSERT INTO counters (tenant, kind, last) VALUES (?, ?, ?)
    ON CONFLICT (tenant, kind) DO UPDATE SET last = last + excluded.last RETURNING last
"""


def next_number(tx: Transaction, tenant: str, kind: str) -> int:
    """Return the next number of a kind of record, from 1, in the transaction that stores it."""
    return next_numbers(tx, tenant, kind, 1)[0]


def next_numbers(tx: Transaction, tenant: str, kind: str, count: int) -> range:
    """Return the next numbers of a kind of record, at least one; see `next_number`."""
    last = first_integer(tx.row(_NEXT, (tenant, kind, count)))
    return range(last - count + 1, last + 1)
