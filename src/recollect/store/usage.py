"""Tokens that paid providers were sent, kept in records.db so that a limit outlives a process."""

from __future__ import annotations

from recollect.core.bill import Bill
from recollect.store.cell import first_integer
from recollect.store.engine import Database, Transaction

EMBEDDING = "embedding"


class UsageLedger:
    """The count of one kind of use. Processes and threads may share it.

    Args:
        records: records.db.
        kind: What the tokens were for.
    """

    def __init__(self, records: Database, kind: str = EMBEDDING) -> None:
        self._records = records
        self._kind = kind

    def spent(self, day: str) -> int:
        """Return the tokens of a day (UTC), such as ``"2026-02-10"``."""
        return self._records.read(
            lambda tx: first_integer(
                tx.row("SELECT tokens FROM usage WHERE day = ? AND kind = ?", (day, self._kind))
            )
        )

    def add(self, day: str, bill: Bill) -> None:
        """Add a request to a day; it is counted when it returns."""

        def unit(tx: Transaction) -> None:
            tx.execute(
                "INSERT INTO usage (day, kind, tokens) VALUES (?, ?, ?)"
                " ON CONFLICT (day, kind) DO UPDATE SET tokens = tokens + excluded.tokens",
                (day, self._kind, bill.use.total),
            )

        self._records.write(unit)
