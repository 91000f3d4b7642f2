"""Counters: short numbers for records, by tenant and kind, that are never used again."""

from __future__ import annotations

from typing import LiteralString

from recollect.store.columns import first_integer
from recollect.store.engine import Transaction

_NEXT: LiteralString = """
    INSERT INTO counters (tenant, kind, last) VALUES (?, ?, 1)
    ON CONFLICT (tenant, kind) DO UPDATE SET last = last + 1 RETURNING last
"""


def next_number(tx: Transaction, tenant: str, kind: str) -> int:
    """Return the next number of a kind of record, from 1, in the transaction that stores it."""
    return first_integer(tx.row(_NEXT, (tenant, kind)))
