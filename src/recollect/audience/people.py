"""Who is linked to whom now: what the settings say, and what was linked at run time.

The rows are read again when their digest has changed, in the snapshot of the read that asks, so
that a link acts at once and in every process. The index knows the links of the settings only: what
it calls an account's is a person's as long as the account is linked, see `Audience.names`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import LiteralString

import msgspec

from recollect.audience.account import Account, stored_account
from recollect.audience.owner import Owner
from recollect.core.errors import StoreCorrupt
from recollect.store.columns import decode
from recollect.store.digests import check_digest, note_digest, stored_digest
from recollect.store.engine import Transaction
from recollect.store.journal import record_change
from recollect.store.meta import find_value, set_value

CHANGES = "identities.changes"
"""In ``meta``: how often a link came or went; a link that is undone leaves the digest as it was."""
_COLUMNS: LiteralString = "account, user_id, was, linked_at, made_by"
_ALL: LiteralString = f"SELECT {_COLUMNS}, hash FROM identities WHERE tenant = ? ORDER BY account"  # noqa: S608  # literals
_ADD: LiteralString = (
    f"INSERT INTO identities ({_COLUMNS}, hash, tenant) VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608  # literals
)
_DROP: LiteralString = "DELETE FROM identities WHERE tenant = ? AND account = ?"


class LinkedRow(msgspec.Struct, frozen=True):
    """An account that was linked to a person at run time.

    Attributes:
        account: In its one spelling.
        user_id: The person.
        was: The person that the account alone was before, and is again when it is unlinked.
        linked_at: Ms UTC.
        made_by: ``resolved``, ``operator`` or ``code``.
    """

    account: str
    user_id: str
    was: str | None
    linked_at: int
    made_by: str

    def hash(self, tenant: str) -> bytes:
        """Return the hash of the row, which the digest of the table adds up."""
        cells = (tenant, *msgspec.structs.astuple(self))
        return hashlib.sha256(msgspec.json.encode(cells)).digest()[:16]


def linked_rows(tx: Transaction, tenant: str) -> list[LinkedRow]:
    """Return the links of a tenant, by account.

    Raises:
        StoreCorrupt: rows are missing, or are not what was stored.
    """
    check_digest(tx, "identities")
    rows: list[LinkedRow] = []
    for *cells, digest in tx.all(_ALL, (tenant,)):
        row = decode(LinkedRow, LinkedRow.__struct_fields__, tuple(cells))
        if row.hash(tenant) != digest:
            raise StoreCorrupt(
                "rows of identities are not what was stored",
                hint="look with `recollect doctor`; restore a backup with `recollect restore FILE`",
            )
        rows.append(row)
    return rows


def replace_link(
    tx: Transaction, tenant: str, old: LinkedRow | None, new: LinkedRow | None
) -> None:
    """Store a link in place of another one; None for none."""
    if old is not None:
        tx.execute(_DROP, (tenant, old.account))
    if new is not None:
        tx.execute(_ADD, (*msgspec.structs.astuple(new), new.hash(tenant), tenant))
    changed = new or old
    if changed is not None:  # the mirrors keep the links, for a home whose records are lost
        at = changed.linked_at
        record_change(tx, tenant=tenant, kind="identity", ref=tenant, op="put", at=at)
    set_value(tx, CHANGES, str(int(find_value(tx, CHANGES) or 0) + 1))
    added, removed = ([] if row is None else [row.hash(tenant)] for row in (new, old))
    note_digest(tx, "identities", [*added], removed)


class People:
    """The owner, and who is linked to whom: always as it is in the snapshot of a read.

    Args:
        configured: What the settings say, which wins.
    """

    def __init__(self, configured: Owner) -> None:
        self.configured = configured
        self._known: dict[str, tuple[int, Owner]] = {}
        """By tenant: the digest of the table, and what its rows say with the settings."""

    def at(self, tx: Transaction, tenant: str) -> Owner:
        """Return the owner and the links of a tenant.

        Raises:
            StoreCorrupt: the rows are damaged.
        """
        digest = stored_digest(tx, "identities")
        cached = self._known.get(tenant)
        if cached is None or cached[0] != digest:
            cached = (digest, self.configured.with_records(_accounts(linked_rows(tx, tenant))))
            self._known[tenant] = cached
        return cached[1]


def _accounts(rows: list[LinkedRow]) -> Mapping[Account, str]:
    """Return the person by account; who an account alone was before is linked as a plain name."""
    people = {Account(None, None, row.was): row.user_id for row in rows if row.was is not None}
    return people | {stored_account(row.account): row.user_id for row in rows}
