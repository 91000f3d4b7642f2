"""Which sessions read the rows of others: forks share messages with those they were made of.

A session that a living fork reads must stay, however old it is; so must every session on the way
to it. Knows identities and numbers of messages, no texts.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import LiteralString

import msgspec

from recollect.core.errors import StoreCorrupt
from recollect.sessions.record.lineage import MAX_DEPTH
from recollect.store.columns import integer, text, text_or_none
from recollect.store.engine import Row, Transaction

_COLUMNS: LiteralString = """
    SELECT id, parent_id, forked_at_seq, pruned_seq, last_seq, message_count, updated_at
    FROM sessions WHERE """


class Kin(msgspec.Struct, frozen=True):
    """A session as far as its relations go; fields as in `Session`."""

    id: str
    parent_id: str | None
    forked_at_seq: int
    pruned_seq: int
    last_seq: int
    message_count: int
    updated_at: int

    @property
    def first_seq(self) -> int:
        """The seq of its oldest message of its own that may be there."""
        return max(self.forked_at_seq, self.pruned_seq) + 1


def find_kin(tx: Transaction, tenant: str) -> dict[str, Kin]:
    """Return all sessions of a tenant by id."""
    rows = tx.rows(_COLUMNS + "tenant = ?", (tenant,))
    return {kin.id: kin for kin in map(_kin, rows)}


def find_one(tx: Transaction, session_id: str) -> Kin | None:
    """Return one session."""
    row = tx.row(_COLUMNS + "id = ?", (session_id,))
    return None if row is None else _kin(row)


def find_children(tx: Transaction, session_id: str) -> list[Kin]:
    """Return the forks of a session."""
    return [_kin(row) for row in tx.rows(_COLUMNS + "parent_id = ?", (session_id,))]


def readings(kin: Mapping[str, Kin], session: Kin) -> Iterator[tuple[str, int]]:
    """Yield the ancestors that a session reads, with the last seq that it reads there.

    Also those without a row of their own in its view: the way to the others leads through them.
    """
    last = session.last_seq
    present = session
    for _ in range(MAX_DEPTH):
        last = min(present.forked_at_seq, last)
        parent = kin.get(present.parent_id or "")
        if parent is None or last <= session.pruned_seq:
            return
        yield parent.id, last
        present = parent
    raise StoreCorrupt("the parents of a session cannot be followed", hint="run `recollect doctor`")


def last_read(tx: Transaction, session_id: str, gone: Container[str] = ()) -> int:
    """Return the last seq of a session that one of its forks reads now; 0 for none.

    Args:
        tx: A transaction.
        session_id: Whose rows.
        gone: Sessions that do not count, because they are being removed.
    """
    newest = 0
    waiting = [(session_id, 2**62)]
    seen = {session_id}
    while waiting:
        parent, limit = waiting.pop()
        for child in find_children(tx, parent):
            last = min(limit, child.forked_at_seq)
            if child.id in seen or last == 0:
                continue
            seen.add(child.id)
            waiting.append((child.id, last))
            if last > child.pruned_seq and child.id not in gone:
                newest = max(newest, last)
    return newest


def _kin(row: Row) -> Kin:
    id_, parent, forked, pruned, last, count, updated = row
    return Kin(
        text(id_),
        text_or_none(parent),
        0 if forked is None else integer(forked),
        integer(pruned),
        integer(last),
        integer(count),
        integer(updated),
    )
