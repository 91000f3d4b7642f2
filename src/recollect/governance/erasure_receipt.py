"""The receipt of an erasure: what goes, what hangs on it, and who else still holds it."""

from __future__ import annotations

from typing import LiteralString

import msgspec

from recollect.checkpoints.record.removal import checkpoints_of_sessions, contents_only_of
from recollect.core.errors import Conflict
from recollect.core.plan_id import plan_id_of
from recollect.governance.selection import Chosen
from recollect.knowledge.fact import Fact
from recollect.sessions.context.flushed_notes import ErasedNotes
from recollect.store.columns import first_integer, integer, listed, text
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
    "checkpoints": "SELECT count(*) FROM checkpoints WHERE session_id = ?",
    "rewinds": "SELECT count(*) FROM rewinds WHERE session_id = ?",
    "pending_messages": "SELECT count(*) FROM pending_messages p JOIN sessions s"
    " ON s.key = p.key AND s.tenant = p.tenant WHERE s.id = ?",
}
_LOGGED = frozenset({"events", "injections"})
_DERIVED = frozenset({"facts", "compactions", "episodes"})
_UNPLANNED = _LOGGED | _DERIVED | {"contents"}
"""Kinds that a plan leaves out: what is logged while a session is looked at, what is made of its
messages in the background, and contents, which an erasure lets go before its records."""
_BYTES: LiteralString = """
    SELECT coalesce((SELECT sum(octet_length(content) + octet_length(text)
            + octet_length(metadata)) FROM messages WHERE session_id = j.id), 0)
        + coalesce((SELECT sum(octet_length(title) + octet_length(summary) + octet_length(input)
            + octet_length(output)) FROM observations WHERE session_id = j.id), 0)
    FROM (SELECT ? AS id) j
"""
_FACT_BYTES: LiteralString = """
    SELECT coalesce(sum(octet_length(text)), 0) FROM facts
    WHERE session_id IN (SELECT value FROM json_each(?))
"""
_BY_HAND: LiteralString = """
    SELECT id FROM facts WHERE made_by = 'hand'
        AND (session_id IN (SELECT value FROM json_each(?1))
            OR id IN (SELECT value FROM json_each(?2)))
    ORDER BY id
"""
_REWINDS: LiteralString = """
    SELECT count(*) FROM rewinds WHERE rescue_id IN (SELECT value FROM json_each(?))
"""
_PART_BYTES: LiteralString = """
    SELECT coalesce((SELECT sum(octet_length(content) + octet_length(text)
            + octet_length(metadata)) FROM messages
            WHERE id IN (SELECT value FROM json_each(?1))), 0)
        + coalesce((SELECT sum(octet_length(title) + octet_length(summary) + octet_length(input)
            + octet_length(output)) FROM observations
            WHERE id IN (SELECT value FROM json_each(?2))), 0)
"""


class ErasureReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an erasure, or of a dry run.

    Attributes:
        id: Of the erasure; None of a dry run.
        dry_run: Nothing was changed.
        at: When, ms UTC.
        session_ids: The erased sessions, and the forks erased with them.
        partial_ids: Sessions that stay, and lost what was selected of them.
        counts: Erased rows by kind; ``contents`` are those of files that only these checkpoints
            name.
        bytes: Size of the messages, observations and facts in UTF-8, without blobs.
        shared_with: The session that it was forked from, which owns the messages before the fork.
        notes: Removed lines by file of flushed notes: unchanged ones that only this session said.
        damaged_copies: Unreadable files of the home that may have held it: they are removed whole.
        still_held_by: Paths outside of recollect's reach that hold it: transcripts of other
            programs, backups, homes set aside by a restore.
        exports: Ids of exports that were made since it was said, wherever they are now.
        plan_id: Changes with what goes, but for what is made of it in the background; that of an
            erasure is the one of its dry run.
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
    partial_ids: tuple[str, ...] = ()
    shared_with: tuple[str, ...] = ()
    notes: tuple[ErasedNotes, ...] = ()
    damaged_copies: tuple[str, ...] = ()
    still_held_by: tuple[str, ...] = ()
    exports: tuple[str, ...] = ()
    plan_id: str = ""
    is_clean: bool = True
    warnings: tuple[str, ...] = ()


def receipt_of(
    tx: Transaction, choice: Chosen, now: int, erasure_id: str | None = None
) -> ErasureReceipt:
    """Return the receipt of an erasure, as far as the records say it; without an id, of a plan."""
    ids, parts = [session.id for session in choice.sessions], choice.parts
    counts = {"sessions": len(ids)}
    for kind, sql in _COUNTS.items():
        counts[kind] = sum(first_integer(tx.row(sql, (id_,))) for id_ in ids)
    messages = [id_ for part in parts for id_ in part.messages]
    observations = [id_ for part in parts for id_ in part.observations]
    counts["messages"] += len(messages)
    counts["observations"] += len(observations)
    checkpoint_ids = [id_ for part in parts for id_ in part.checkpoints]
    counts["checkpoints"] += len(checkpoint_ids)
    counts["rewinds"] += first_integer(tx.row(_REWINDS, (listed(checkpoint_ids),)))
    every = [*checkpoints_of_sessions(tx, ids), *checkpoint_ids]
    counts["contents"] = contents_only_of(tx, every)
    counts["episodes"] += len(choice.episodes)
    counts["facts"] += len(choice.facts)
    counts["pending_messages"] += len(choice.pending)
    counts["identities"] = len(choice.links)
    parents = {s.parent_id for s in choice.sessions if s.parent_id is not None and s.forked_at_seq}
    size = sum(integer((tx.row(_BYTES, (id_,)) or (0,))[0]) for id_ in ids)
    size += first_integer(tx.row(_PART_BYTES, (listed(messages), listed(observations))))
    records = {kind: number for kind, number in counts.items() if kind not in _UNPLANNED}
    by_hand = [text(row[0]) for row in tx.rows(_BY_HAND, (listed(ids), listed(choice.facts)))]
    beside = (checkpoint_ids, sorted(choice.episodes), sorted(choice.pending), by_hand)
    plan = (ids, messages, observations, *beside, records, size)
    return ErasureReceipt(
        id=erasure_id,
        dry_run=erasure_id is None,
        at=now,
        session_ids=tuple(ids),
        partial_ids=tuple(part.session.id for part in parts),
        counts=counts,
        bytes=size + first_integer(tx.row(_FACT_BYTES, (listed(ids),))),
        plan_id=plan_id_of(plan),
        shared_with=tuple(sorted(parents - {*ids})),
    )


def receipt_of_fact(fact: Fact, now: int, erasure_id: str | None = None) -> ErasureReceipt:
    """Return the receipt of the erasure of a fact; a dry run has no id."""
    return ErasureReceipt(
        id=erasure_id,
        dry_run=erasure_id is None,
        at=now,
        session_ids=(),
        counts=dict.fromkeys(("sessions", *_COUNTS, "contents", "identities"), 0) | {"facts": 1},
        bytes=len(fact.text.encode()),
        plan_id=plan_id_of((fact.id, fact.text)),
    )


def require_agreed(receipt: ErasureReceipt, plan_id: str | None) -> None:
    """Refuse what is not the plan that was agreed to, if one was.

    Raises:
        Conflict: something else would go.
    """
    if plan_id not in {None, receipt.plan_id}:
        raise Conflict(
            "what would be erased has changed since the dry run",
            hint="look at the dry run again, and agree to what it shows now",
        )
