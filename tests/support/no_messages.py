"""Sessions whose messages no rewind takes out."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.checkpoints.record.rows import Rewind
from recollect.store.engine import Transaction


class NoMessages:
    """Sessions without messages, as rewinds see them."""

    def last_seq(self, session_id: str, after_seq: int) -> int | None:
        """None is after any."""

    def withdraw(self, tx: Transaction, rewind: Rewind) -> None:
        """Nothing leaves."""

    def give_back(self, tx: Transaction, rewind: Rewind, rewind_ids: Sequence[str]) -> None:
        """Nothing returns."""
