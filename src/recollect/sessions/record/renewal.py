"""Messages that change on purpose after they were stored, as when they are redacted once more."""

from __future__ import annotations

from collections.abc import Callable
from typing import LiteralString

from recollect.sessions.record.message_rows import (
    SELECT_MESSAGES,
    change_message,
    hash_of,
    is_sound,
)
from recollect.sessions.record.transcript_rows import MESSAGE_KIND, REWRITE_KIND
from recollect.store.columns import text
from recollect.store.engine import Transaction
from recollect.store.journal import record_change


def renew_message(tx: Transaction, id_: str, update: Callable[[], None], at: int) -> None:
    """Change a row by ``update``; give it a new hash, and notify index and mirror.

    A damaged row keeps the hash that shows the damage.
    """
    select: LiteralString = SELECT_MESSAGES + "id = ?"
    before = tx.row(select, (id_,))
    update()
    after = tx.row(select, (id_,))
    if before is None or after is None:
        return
    if is_sound(before):
        change_message(tx, text(after[5]), id_, "row_hash = ?", (hash_of(after),))
    for kind in (MESSAGE_KIND, REWRITE_KIND):
        record_change(tx, tenant=text(after[1]), kind=kind, ref=id_, op="put", at=at)
