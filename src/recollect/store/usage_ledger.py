"""The use of paid providers, kept in records.db so that a daily limit outlives a process."""

from __future__ import annotations

from typing import LiteralString

import msgspec

from recollect.core.bill import Bill, TokenUse
from recollect.store.columns import decode, first_integer, integer
from recollect.store.engine import Database, Row, Transaction
from recollect.store.twins import compared_rows

EMBEDDING = "embedding"
LANGUAGE = "language"

_NANO = 1_000_000_000
_SPENT: LiteralString = """
    SELECT coalesce(sum(input_tokens + output_tokens + cache_read_tokens + cache_write_tokens), 0)
    FROM spending WHERE day = ? AND kind = ?
"""
_FOR_ONE: LiteralString = _SPENT + " AND purpose = ?"
_ADD: LiteralString = """
    INSERT INTO spending (day, kind, purpose, model, requests, input_tokens, output_tokens,
        cache_read_tokens, cache_write_tokens, nano_usd, unpriced)
    VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (day, kind, purpose, model) DO UPDATE SET
        requests = requests + 1,
        input_tokens = input_tokens + excluded.input_tokens,
        output_tokens = output_tokens + excluded.output_tokens,
        cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
        cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
        nano_usd = nano_usd + excluded.nano_usd,
        unpriced = unpriced + excluded.unpriced
"""
_OF_A_DAY: LiteralString = """
    FROM spending INDEXED BY spending_twin WHERE day = ? ORDER BY kind, purpose, model
"""
_COLUMNS: LiteralString = """
    kind, purpose, model, requests, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, nano_usd, unpriced"""


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """The use of one model in a day.

    Attributes:
        kind: ``embedding`` or ``language``.
        purpose: The purpose of a language model, see ``language.uses``; else empty.
        model: ``provider:model``; empty for use from before models were distinguished.
        requests: Answers received.
        use: Their tokens.
        usd: The cost of those with a known price.
        unpriced: Answers without a known price.
    """

    kind: str
    purpose: str
    model: str
    requests: int
    use: TokenUse
    usd: float
    unpriced: int


class UsageLedger:
    """The count of one kind of use. Processes and threads may share it.

    Args:
        records: records.db.
        kind: The kind of use.
    """

    def __init__(self, records: Database, kind: str = EMBEDDING) -> None:
        self._records = records
        self._kind = kind

    def spent(self, day: str, purpose: str | None = None) -> int:
        """Return the tokens of a day (UTC), such as ``"2026-02-10"``; for one purpose if given."""
        if purpose is None:
            return self._records.read(lambda tx: first_integer(tx.row(_SPENT, (day, self._kind))))
        parameters = (day, self._kind, purpose)
        return self._records.read(lambda tx: first_integer(tx.row(_FOR_ONE, parameters)))

    def add(self, day: str, bill: Bill) -> None:
        """Add a request to a day; it is counted when it returns."""
        use = bill.use
        tokens = (use.input, use.output, use.cache_read, use.cache_write)
        money = (round((bill.usd or 0.0) * _NANO), int(bill.usd is None))

        def insert_usage(tx: Transaction) -> None:
            tx.execute(_ADD, (day, self._kind, bill.purpose, bill.model, *tokens, *money))

        self._records.write(insert_usage)


def spending_of(records: Database, day: str) -> list[Spent]:
    """Return the use of a day (UTC), by kind and model."""
    rows = records.read(lambda tx: compared_rows(tx, _COLUMNS, _OF_A_DAY, (day,)))
    return [_spent(row) for row in rows]


def _spent(row: Row) -> Spent:
    names = ("kind", "purpose", "model", "requests")
    use = decode(TokenUse, TokenUse.__struct_fields__, row[4:8])
    nano_usd, unpriced = map(integer, row[8:])
    return decode(Spent, names, row, use=use, usd=nano_usd / _NANO, unpriced=unpriced)
