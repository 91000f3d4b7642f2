"""The receipt of an erasure: what was removed, and where something may be left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

import msgspec

from recollect.knowledge.fact import Fact
from recollect.sessions.context.flushed_notes import ErasedNotes
from recollect.sessions.record.session import Session
from recollect.store.columns import first_integer, integer
from recollect.store.engine import Transaction

_COUNTS: dict[str, LiteralString] = {
    "messages": "SELECT count(*) FROM messages WHERE session_id = ?",
    "tool_calls": "SELECT count(*) FROM tool_calls WHERE session_id = ?",
    "observations": "SELECT count(*) FROM observations WHERE session_id = ?",
    "facts": "SELECT count(*) FROM facts WHERE session_id = ?",
    "compactions": "SELECT count(*) FROM compactions WHERE session_id = ?",
    "episodes": "SELECT count(*) FROM episodes WHERE session_id = ?",
    "injections": "SELECT count(*) FROM injections WHERE session_id = ?",
    "events": "SELECT count(*) FROM events WHERE session_id = ?",
    "pending_messages": "SELECT count(*) FROM pending_messages p JOIN sessions s"
    " ON s.key = p.key AND s.tenant = p.tenant WHERE s.id = ?",
}
_BYTES: LiteralString = """
    SELECT coalesce((SELECT sum(octet_length(content) + octet_length(text)
            + octet_length(metadata)) FROM messages WHERE session_id = j.id), 0)
        + coalesce((SELECT sum(octet_length(title) + octet_length(summary) + octet_length(input)
            + octet_length(output)) FROM observations WHERE session_id = j.id), 0)
        + coalesce((SELECT sum(octet_length(text)) FROM facts WHERE session_id = j.id), 0)
    FROM (SELECT ? AS id) j
"""


class ErasureReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an erasure, or of a dry run.

    Attributes:
        id: Of the erasure; None of a dry run.
        dry_run: Nothing was changed.
        at: When, ms UTC.
        session_ids: The erased session, and the forks erased with it.
        counts: Erased rows by kind.
        bytes: Size of the messages, observations and facts in UTF-8, without blobs.
        shared_with: The session that it was forked from, which owns the messages before the fork.
        notes: Removed lines by file of flushed notes: unchanged ones that only this session said.
        damaged_copies: Unreadable files of the home that may have held it: they are removed whole.
        still_held_by: Paths outside of recollect's reach that hold it: transcripts of other
            programs, backups, homes set aside by a restore.
        is_clean: Whether nothing of it is left in a file of the home. If not, the warnings say why,
            and the next opening of the home tries again.
        warnings: One sentence each.
    """

    id: str | None
    dry_run: bool
    at: int
    session_ids: tuple[str, ...]
    counts: dict[str, int]
    bytes: int
    shared_with: tuple[str, ...] = ()
    notes: tuple[ErasedNotes, ...] = ()
    damaged_copies: tuple[str, ...] = ()
    still_held_by: tuple[str, ...] = ()
    is_clean: bool = True
    warnings: tuple[str, ...] = ()


def receipt_of(
    tx: Transaction, sessions: Sequence[Session], now: int, erasure_id: str | None = None
) -> ErasureReceipt:
    """Return the receipt of the erasure of sessions; a dry run has no id."""
    ids = [session.id for session in sessions]
    counts = {"sessions": len(ids)}
    for kind, sql in _COUNTS.items():
        counts[kind] = sum(first_integer(tx.row(sql, (id_,))) for id_ in ids)
    parents = {s.parent_id for s in sessions if s.parent_id is not None and s.forked_at_seq}
    return ErasureReceipt(
        id=erasure_id,
        dry_run=erasure_id is None,
        at=now,
        session_ids=tuple(ids),
        counts=counts,
        bytes=sum(integer((tx.row(_BYTES, (id_,)) or (0,))[0]) for id_ in ids),
        shared_with=tuple(sorted(parents - {*ids})),
    )


def receipt_of_fact(fact: Fact, now: int, erasure_id: str | None = None) -> ErasureReceipt:
    """Return the receipt of the erasure of a fact; a dry run has no id."""
    return ErasureReceipt(
        id=erasure_id,
        dry_run=erasure_id is None,
        at=now,
        session_ids=(),
        counts=dict.fromkeys(("sessions", *_COUNTS), 0) | {"facts": 1},
        bytes=len(fact.text.encode()),
    )
