"""The use of paid providers, kept in records.db so that a daily limit outlives a process."""

from __future__ import annotations

from datetime import timedelta
from typing import LiteralString

import msgspec

from recollect.core.bill import Bill, TokenUse
from recollect.core.checks import check_count, check_most
from recollect.core.clock import Clock, to_datetime
from recollect.store.columns import decode, first_integer, integer
from recollect.store.engine import Database, Row, Transaction
from recollect.store.twins import compared_rows

MOST_DAYS = 3_660
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
_OF_DAYS: LiteralString = """
    FROM spending INDEXED BY spending_twin WHERE day BETWEEN ? AND ?
    ORDER BY day, kind, purpose, model
"""
_COLUMNS: LiteralString = """
    day, kind, purpose, model, requests, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, nano_usd, unpriced"""


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """The use of one model in a day.

    Attributes:
        day: Such as ``2026-02-10``, UTC.
        kind: ``embedding`` or ``language``.
        purpose: The purpose of a language model, see ``language.uses``; else empty.
        model: ``provider:model``; empty for use from before models were distinguished.
        requests: Answers received.
        use: Their tokens.
        usd: The cost of those with a known price.
        unpriced: Answers without a known price.
    """

    day: str
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


def spending_of(records: Database, first_day: str, last_day: str) -> list[Spent]:
    """Return the use from a day to another one (UTC), by day, kind, purpose and model."""
    span = (first_day, last_day)
    rows = records.read(lambda tx: compared_rows(tx, _COLUMNS, _OF_DAYS, span))
    return [_spent(row) for row in rows]


def latest_spending(records: Database, days: int, clock: Clock) -> list[Spent]:
    """Return the use of the last days (UTC), today included.

    Raises:
        InvalidInput: the days are not 1 to `MOST_DAYS`.
    """
    check_count(days, "a number of days", 1)
    check_most(days, MOST_DAYS, "a number of days")
    today = to_datetime(clock.now_ms()).date()
    first = today - timedelta(days=days - 1)
    return spending_of(records, first.isoformat(), today.isoformat())


def _spent(row: Row) -> Spent:
    names = ("day", "kind", "purpose", "model", "requests")
    use = decode(TokenUse, TokenUse.__struct_fields__, row[5:9])
    nano_usd, unpriced = map(integer, row[9:])
    return decode(Spent, names, row, use=use, usd=nano_usd / _NANO, unpriced=unpriced)
