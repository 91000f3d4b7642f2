"""Ownership of an index: index.db has the id of its home, and is never ahead of records.db.

An index of another home, or of records that were replaced by an older copy, would answer with what
was never said here, and skip what is said next. It is derived, so it is rebuilt.
"""

from __future__ import annotations

from recollect.core.errors import StoreCorrupt, StoreError, StoreReadOnly
from recollect.index.model.generation import find_generation, read_up_to, retire_all
from recollect.recall.outbox_source import OutboxSource, newest_change
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.store.engine import Database, Transaction
from recollect.store.sqlite.home import find_home_id, set_home_id

FOREIGN = "index.db was of another home"
LACKING = "records.db lacks messages: its log was lost, or it is an older copy"
AHEAD = "index.db knew more than records.db, which is an older copy"


def incompatibility(records: Database, index: Database) -> str | None:
    """Return why an index does not fit these records; None where it does, or has no home yet."""
    home_id = records.read(find_home_id)
    owner, seen = index.read(lambda tx: (find_home_id(tx), read_up_to(tx, OutboxSource.name)))
    if owner is not None and owner != home_id:
        return FOREIGN
    # Read after the index: another process may bring both forward meanwhile.
    return AHEAD if seen > records.read(newest_change) else None


def lost_messages(mirror: TranscriptMirror, index: Database) -> str | None:
    """Return a warning if the records lack messages that mirrors have, else None.

    An index detects it (`AHEAD`), so mirrors are read only where the index must be rebuilt anyway.
    """
    try:
        if index.read(lambda tx: find_generation(tx, "serving")) is not None:
            return None
        number = mirror.ahead()
    except StoreError:
        return None  # reported where it is used
    return f"{LACKING}: {number} of transcripts/ have more" if number else None


def claim(records: Database, index: Database) -> str | None:
    """Make an index belong to these records; the rows of one that does not fit are retired.

    Returns:
        Why it did not fit; None where it did.
    """
    home_id = records.read(find_home_id)
    try:
        reason = incompatibility(records, index)
        is_ours = index.read(find_home_id) == home_id
    except (StoreCorrupt, StoreReadOnly):
        return None  # reported by whoever reads more of it; the records can be used meanwhile
    if home_id is None or (reason is None and is_ours):
        return reason

    def unit(tx: Transaction) -> None:
        if reason is not None:
            retire_all(tx)
        set_home_id(tx, home_id)

    index.write(unit)
    return reason
