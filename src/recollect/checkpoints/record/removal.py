"""Removal of checkpoints, and of the contents that nothing needs any more.

First the contents of what goes are let go, then the rows that name them are removed, then what no
row needs is swept. A process that is killed in between leaves contents for the next sweep, and
never a row without its content.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import LiteralString

from recollect.checkpoints.record.contents import Contents
from recollect.core.clock import DAY_MS, Clock
from recollect.store.columns import first_integer, listed, text, typed_rows
from recollect.store.engine import Database, Transaction
from recollect.store.failures import os_errors

GRACE_MS = 3_600_000
"""How long a content waits for the checkpoint that names it: the first look at a large root stores
its contents minutes before, a killed capture never does."""
UNDOABLE_MS = 7 * DAY_MS
"""How long a rewind can be undone in any case, whatever the limits are."""

_NAMED: LiteralString = """
    SELECT c.tenant, f.backup_blob FROM checkpoints c
    JOIN checkpoint_files f ON f.checkpoint_id = c.id
    WHERE f.backup_blob IS NOT NULL AND c.id IN (SELECT value FROM json_each(?1))
    UNION
    SELECT c.tenant, w.after_blob FROM checkpoints c
    JOIN checkpoint_writes w ON w.checkpoint_id = c.id
    WHERE w.after_blob IS NOT NULL AND c.id IN (SELECT value FROM json_each(?1))
"""
_NEEDED: LiteralString = """
    SELECT f.backup_blob FROM checkpoints c JOIN checkpoint_files f ON f.checkpoint_id = c.id
    WHERE f.backup_blob IS NOT NULL AND c.tenant = ?1
    UNION
    SELECT w.after_blob FROM checkpoints c JOIN checkpoint_writes w ON w.checkpoint_id = c.id
    WHERE w.after_blob IS NOT NULL AND c.tenant = ?1
"""
_ONLY_NAMED: LiteralString = f"""
    SELECT count(*) FROM ({_NAMED}) AS named WHERE NOT EXISTS (
        SELECT 1 FROM checkpoint_files f JOIN checkpoints c ON c.id = f.checkpoint_id
        WHERE f.backup_blob = named.backup_blob AND c.tenant = named.tenant
            AND c.id NOT IN (SELECT value FROM json_each(?1))
    ) AND NOT EXISTS (
        SELECT 1 FROM checkpoint_writes w JOIN checkpoints c ON c.id = w.checkpoint_id
        WHERE w.after_blob = named.backup_blob AND c.tenant = named.tenant
            AND c.id NOT IN (SELECT value FROM json_each(?1))
    )
"""  # noqa: S608  # literals
_OF_SESSIONS: LiteralString = """
    SELECT id FROM checkpoints WHERE session_id IN (SELECT value FROM json_each(?))
"""
_REMOVE: tuple[LiteralString, ...] = (
    "DELETE FROM rewinds WHERE rescue_id = ?",
    "DELETE FROM checkpoints WHERE id = ?",
)
_TENANTS: LiteralString = "SELECT DISTINCT tenant FROM contents"
_ROOTS: LiteralString = "SELECT DISTINCT tenant, root FROM checkpoints"
_LOOKED_AT: LiteralString = "SELECT DISTINCT tenant, root FROM manifests"
_FORGET_ROOT: LiteralString = "DELETE FROM manifests WHERE tenant = ? AND root = ?"


def checkpoints_of_sessions(tx: Transaction, session_ids: Iterable[str]) -> list[str]:
    """Return the ids of the checkpoints of some sessions."""
    return [text(row[0]) for row in tx.all(_OF_SESSIONS, (listed(session_ids),))]


def named_digests(tx: Transaction, checkpoint_id: str) -> list[str]:
    """Return the digests of the contents that a checkpoint names."""
    return [text(row[1]) for row in tx.all(_NAMED, (listed([checkpoint_id]),))]


def remove_checkpoints(tx: Transaction, ids: Iterable[str]) -> None:
    """Remove checkpoints, and the rewinds whose rescue points they are."""
    rows = [(id_,) for id_ in ids]
    for statement in _REMOVE:
        tx.executemany(statement, rows)


def contents_only_of(tx: Transaction, ids: Sequence[str]) -> int:
    """Return how many contents some checkpoints name that no other one does."""
    return first_integer(tx.row(_ONLY_NAMED, (listed(ids),)))


def let_go(
    records: Database,
    contents: Database,
    ids: Sequence[str],
    clock: Clock,
    *,
    is_erased: bool = False,
) -> None:
    """Let go the contents of checkpoints that are about to be removed; see `Contents.let_go`.

    Raises:
        StoreError: a database refused.
    """
    rows = records.read(lambda tx: tx.all(_NAMED, (listed(ids),)))
    by_tenant: dict[str, list[str]] = {}
    for tenant, digest in typed_rows(rows, tuple[str, str]):
        by_tenant.setdefault(tenant, []).append(digest)
    for tenant, digests in by_tenant.items():
        Contents(lambda: contents, tenant, clock).let_go(digests, is_erased=is_erased)


def collect(records: Database, contents: Database, clock: Clock, *, dry_run: bool = False) -> int:
    """Remove the contents that nothing needs, of all tenants; return how many.

    Manifests of roots without a checkpoint are forgotten first.

    Raises:
        StoreError: a database refused.
    """
    older_than = clock.now_ms() - GRACE_MS
    if not dry_run:
        _forget_roots(records, contents)
    tenants = [text(row[0]) for row in contents.read(lambda tx: tx.all(_TENANTS))]
    return sum(
        Contents(lambda: contents, tenant, clock).sweep(
            needed_digests(records, tenant), older_than=older_than, dry_run=dry_run
        )
        for tenant in tenants
    )


def needed_digests(records: Database, tenant: str) -> set[str]:
    """Return the digests of the contents that the checkpoints of a tenant name."""
    return {text(row[0]) for row in records.read(lambda tx: tx.all(_NEEDED, (tenant,)))}


def _forget_roots(records: Database, contents: Database) -> None:
    """Drop the manifests of roots that no checkpoint is of."""
    looked_at = typed_rows(contents.read(lambda tx: tx.all(_LOOKED_AT)), tuple[str, str])
    used = typed_rows(records.read(lambda tx: tx.all(_ROOTS)), tuple[str, str])
    unused = set(looked_at) - set(used)
    if unused:
        contents.write(lambda tx: tx.executemany(_FORGET_ROOT, unused))


def clear_incoming(folder: Path, older_than: int | None = None) -> None:
    """Remove what hooks left for the worker; it reports these paths as uncaptured.

    Args:
        folder: ``checkpoints/incoming``.
        older_than: Ms UTC; newer files stay. All go if not given.

    Raises:
        StoreError: one cannot be removed.
    """
    with os_errors(folder):
        for path in folder.iterdir() if folder.is_dir() else ():
            if older_than is None or path.lstat().st_mtime * 1_000 < older_than:
                path.unlink(missing_ok=True)
