"""Observations as documents: title, summary, files and errors; never raw input or output."""

from __future__ import annotations

from typing import LiteralString

import msgspec

from recollect.audience.visibility import VisibilityGroup, group_of_turn
from recollect.core.decoding import decode_json
from recollect.core.scope import Scope
from recollect.index.model.document import OBSERVATIONS, Document, Removal
from recollect.observations.rows import IS_REPEATED
from recollect.recall.outbox_source import Changed, Changes
from recollect.store.columns import is_record_out, placed_rows
from recollect.store.engine import Transaction

_CHANGES: LiteralString = f"""
    SELECT c.tenant, c.ref,
        CASE WHEN s.status = 'deleted' OR o.is_forgotten OR {IS_REPEATED}
            OR {is_record_out("observation", "o.id")} THEN NULL ELSE o.number END,
        o.agent, s.user_id, o.project, o.session_id, o.title, o.summary, o.files, o.error,
        o.created_at, s.agent, s.user_id, s.channel, s.account, s.chat_type, s.peer, o.turn_sender
    FROM changes c LEFT JOIN observations o ON o.id = c.ref
        LEFT JOIN sessions s ON s.id = o.session_id
    WHERE c.seq > ? AND c.seq <= ? AND c.kind = 'observation' ORDER BY c.seq
"""  # noqa: S608  # literals


def changed_observations(tx: Transaction, changes: Changes) -> Changed:
    """Return the observations that changed in a part of the outbox."""
    rows = tx.all(_CHANGES, (changes.after, changes.last))
    latest = {row.ref: (row, turn) for row, turn in placed_rows(rows, _Change)}.values()
    return Changed(
        documents=[
            _document(row, row.number, group_of_turn(turn, changes.owner))
            for row, turn in latest
            if row.number is not None and changes.agent in {None, row.agent}
        ],
        removals=[
            Removal(source=OBSERVATIONS, ref=row.ref, tenant=row.tenant)
            for row, _ in latest
            if row.number is None
        ],
    )


class _Change(msgspec.Struct, frozen=True, array_like=True):
    """A changed observation with its hearers; no number where it is gone or must not be found."""

    tenant: str
    ref: str
    number: int | None
    agent: str | None
    user: str | None
    project: str | None
    session_id: str | None
    title: str | None
    summary: str | None
    files: str | None
    error: str | None
    created_at: int | None


def _document(row: _Change, number: int, group: VisibilityGroup) -> Document:
    files = decode_json(row.files or "[]", list[str])
    # An error quotes the output, which is for the owner alone.
    error = row.error if group.is_owners else None
    lines = (row.title, row.summary, " ".join(files), error)
    return Document(
        source=OBSERVATIONS,
        ref=row.ref,
        group=row.session_id or "",
        order=number,
        text="\n".join(dict.fromkeys(line for line in lines if line)),
        at=row.created_at or 0,
        scope=Scope(
            tenant=row.tenant,
            agent=row.agent,
            user=row.user,
            project=row.project,
            session=row.session_id,
        ),
        visibility_group=group.name,
    )
