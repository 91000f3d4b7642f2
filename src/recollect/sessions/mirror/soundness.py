"""Whether the records are what was stored: the gate that every repair passes.

A repair writes from the records, over what `recover` needs where they are damaged. So none of them
writes from records that fail this check.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from recollect.core.errors import StoreCorrupt
from recollect.sessions.record.message_rows import damaged_messages, damaged_sessions
from recollect.store.digests import DIGESTED, check_digest
from recollect.store.engine import Database, Transaction
from recollect.store.sqlite.integrity import damage_in
from recollect.store.sqlite.snapshot import Snapshot

REPAIR_HINT = (
    "rebuild it with `recollect recover`, or restore a backup with `recollect restore FILE`;"
    " both keep what is there"
)
_BATCH = 10_000

Page = Callable[[Transaction, str, int], tuple[str, list[str]]]


def damage_of(records: Database | Snapshot) -> str | None:
    """Return a sentence on the first damage in the records; None if they are sound.

    Reads every page, every message and every digest.

    Raises:
        StoreError: they cannot be read for another reason than damage.
    """
    try:
        problems = records.read(damage_in)
        if problems:
            return problems[0]
        if damaged := _count(records, damaged_messages):
            return f"{damaged} messages are damaged"
        if damaged := _count(records, damaged_sessions):
            return f"{damaged} sessions lack messages, or have others than were stored"
        for table in DIGESTED:
            records.read(partial(check_digest, table=table))
    except StoreCorrupt as error:
        return error.message
    return None


def require_sound(records: Database) -> None:
    """Refuse to repair anything from damaged records.

    Raises:
        StoreCorrupt: they are damaged.
    """
    damage = damage_of(records)
    if damage is not None:
        raise StoreCorrupt(f"nothing is repaired: {damage}", hint=REPAIR_HINT)


def _count(records: Database | Snapshot, page: Page) -> int:
    after, number = "", 0
    while True:
        after, rows = records.read(partial(_page, page, after))
        number += len(rows)
        if not after:
            return number


def _page(page: Page, after: str, tx: Transaction) -> tuple[str, list[str]]:
    return page(tx, after, _BATCH)
