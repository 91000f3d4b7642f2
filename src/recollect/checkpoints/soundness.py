"""Whether what checkpoints need is there and is what was stored.

What is lost or damaged makes single paths `uncaptured`; it never breaks a plan or the memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import LiteralString

import msgspec

from recollect.checkpoints.capture.capture import CheckpointParts
from recollect.checkpoints.files.state import uncaptured
from recollect.checkpoints.record.contents import Contents
from recollect.checkpoints.record.removal import collect
from recollect.checkpoints.record.rows import FileRecord
from recollect.checkpoints.record.seal import broken_seals
from recollect.core.errors import StoreCorrupt, StoreError
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction

NOT_KEPT = "not kept"
"""The reason of a path whose content is lost: the backup had none, or it was erased."""
DAMAGED = "damaged"
"""The reason of a path whose content, or row, is not what was stored."""
MOST_LISTED = 1_000
"""Paths that a report names."""
_PATHS: LiteralString = """
    SELECT c.number, c.root, f.path, f.backup_blob FROM checkpoints c
    JOIN checkpoint_files f ON f.checkpoint_id = c.id
    WHERE c.tenant = ? AND f.backup_blob IS NOT NULL ORDER BY c.number, f.path
"""
_UNFINISHED: LiteralString = """
    SELECT id, root, status FROM rewinds
    WHERE tenant = ? AND status IN ('applying', 'interrupted') ORDER BY id
"""


class LostPath(msgspec.Struct, frozen=True, kw_only=True):
    """A path that a checkpoint cannot bring back."""

    checkpoint: int
    root: str
    path: str
    reason: str


class UnfinishedRewind(msgspec.Struct, frozen=True, kw_only=True):
    """A rewind that a crash cut off; ``interrupted`` waits for a decision."""

    id: str
    root: str
    status: str


class FsckReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a check of the checkpoints of a memory came to.

    Attributes:
        contents: Contents of files that were read.
        damaged: Those that are not what was stored.
        broken: Ids of checkpoints with rows that are missing or damaged; a plan over one is an
            error.
        lost_count: Paths of checkpoints whose content is damaged or missing: `uncaptured` now.
        lost: The first thousand of them.
        orphans: Contents that nothing needs, older than an hour; the next prune removes them.
        unfinished: Rewinds that a crash cut off.
        problem: Why ``contents.db`` cannot be read at all; otherwise None.
    """

    contents: int = 0
    damaged: int = 0
    broken: tuple[str, ...] = ()
    lost_count: int = 0
    lost: tuple[LostPath, ...] = ()
    orphans: int = 0
    unfinished: tuple[UnfinishedRewind, ...] = ()
    problem: str | None = None

    @property
    def is_sound(self) -> bool:
        """Whether every path of every checkpoint can be brought back."""
        return self.problem is None and not (
            self.damaged or self.broken or self.lost_count or self.unfinished
        )


def without_lost(records: Sequence[FileRecord], contents: Contents) -> list[FileRecord]:
    """Return records in which a path is uncaptured if what it was first is lost or damaged."""
    first: dict[str, int] = {}
    for position, record in enumerate(records):
        first.setdefault(record.path, position)
    digests = {records[position].before.digest for position in first.values()} - {None}
    reasons = lost_digests(contents, filter(None, digests))
    replaced = list(records)
    for position in first.values():
        reason = reasons.get(records[position].before.digest or "")
        if reason is not None:
            replaced[position] = msgspec.structs.replace(
                records[position], before=uncaptured(reason)
            )
    return replaced


def lost_digests(contents: Contents, digests: Iterable[str]) -> dict[str, str]:
    """Return why contents cannot be read, by the digests of those that cannot."""
    digest_set = set(digests)
    if not digest_set:
        return {}
    try:
        there = contents.has(digest_set)
    except StoreError:
        return dict.fromkeys(digest_set, DAMAGED)
    reasons = dict.fromkeys(digest_set - there, NOT_KEPT)
    for digest in there:
        try:
            contents.get(digest)
        except StoreError:
            reasons[digest] = DAMAGED
    return reasons


def examine(parts: CheckpointParts) -> FsckReport:
    """Read every content of a tenant, and return what is lost.

    Raises:
        StoreError: the records cannot be read.
    """
    paths, unfinished = parts.database.read(lambda tx: _rows(tx, parts.tenant))
    broken = parts.database.read(lambda tx: tuple(broken_seals(tx, parts.tenant)))
    health = FsckReport(unfinished=tuple(unfinished), broken=broken)
    digests = {digest for _, _, _, digest in paths}
    contents, reasons, orphans = set[str](), dict.fromkeys(digests, NOT_KEPT), 0
    try:
        if parts.has_contents():
            contents, reasons, orphans = _read_all(parts, digests)
    except StoreCorrupt as error:
        reasons = dict.fromkeys(digests, DAMAGED)
        health = msgspec.structs.replace(health, problem=error.message)
    losses = [
        LostPath(checkpoint=number, root=root, path=path, reason=reasons[digest])
        for number, root, path, digest in paths
        if digest in reasons
    ]
    return msgspec.structs.replace(
        health,
        contents=len(contents),
        damaged=len(contents & reasons.keys()),
        lost_count=len(losses),
        lost=tuple(losses[:MOST_LISTED]),
        orphans=orphans,
    )


def _read_all(parts: CheckpointParts, digests: set[str]) -> tuple[set[str], dict[str, str], int]:
    """Return the kept contents, why some cannot be read, and how many nothing needs."""
    contents = set(parts.contents.stored_sizes())
    reasons = lost_digests(parts.contents, contents | digests)
    orphans = collect(parts.database, parts.contents.database, parts.clock, dry_run=True)
    return contents, reasons, orphans


def _rows(
    tx: Transaction, tenant: str
) -> tuple[list[tuple[int, str, str, str]], list[UnfinishedRewind]]:
    paths = typed_rows(tx.all(_PATHS, (tenant,)), tuple[int, str, str, str])
    unfinished = typed_rows(tx.all(_UNFINISHED, (tenant,)), tuple[str, str, str])
    return paths, [
        UnfinishedRewind(id=id_, root=root, status=status) for id_, root, status in unfinished
    ]
