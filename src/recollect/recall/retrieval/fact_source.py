"""Facts as documents: those that are true, or were."""

from __future__ import annotations

from typing import LiteralString

import msgspec

from recollect.audience.visibility import group_of_turn
from recollect.core.scope import ConversationTurn, Scope
from recollect.index.model.document import FACTS, Document, Removal
from recollect.recall.outbox_source import Changed, Changes
from recollect.sessions.record.lineage import WITHDRAWN
from recollect.store.columns import is_record_out, placed_rows
from recollect.store.engine import Transaction

_CHANGES: LiteralString = f"""
    SELECT c.tenant, c.ref,
        CASE WHEN s.status = 'deleted' OR f.status NOT IN ('current', 'replaced')
            OR {is_record_out("fact", "f.id")} THEN NULL ELSE f.number END,
        f.project, f.session_id, f.text, f.valid_from,
        f.made_by <> 'hand' AND t.id IS NOT NULL AND NOT {WITHDRAWN},
        f.agent, f.user_id, f.channel, f.account, f.chat_type, f.peer, f.turn_sender
    FROM changes c LEFT JOIN facts f ON f.id = c.ref
        LEFT JOIN sessions s ON s.id = f.session_id
        LEFT JOIN messages t ON t.id = f.message_id
    WHERE c.seq > ? AND c.seq <= ? AND c.kind = 'fact' ORDER BY c.seq
"""  # noqa: S608  # literals


def changed_facts(tx: Transaction, changes: Changes) -> Changed:
    """Return the facts that changed in a part of the outbox."""
    rows = tx.all(_CHANGES, (changes.after, changes.last))
    latest = {row.ref: (row, turn) for row, turn in placed_rows(rows, _Change)}.values()
    return Changed(
        documents=[
            _document(row, row.number, turn, group_of_turn(turn, changes.owner).name)
            for row, turn in latest
            if row.number is not None and changes.agent in {None, turn.agent}
        ],
        removals=[
            Removal(source=FACTS, ref=row.ref, tenant=row.tenant)
            for row, _ in latest
            if row.number is None
        ],
    )


class _Change(msgspec.Struct, frozen=True, array_like=True):
    """A changed fact; no number where it is gone or must not be found."""

    tenant: str
    ref: str
    number: int | None
    project: str | None
    session_id: str | None
    text: str | None
    valid_from: int | None
    is_covered: int | None


def _document(row: _Change, number: int, turn: ConversationTurn, group: str) -> Document:
    return Document(
        source=FACTS,
        ref=row.ref,
        group=row.ref,  # no other fact lends it words
        order=number,
        text=row.text or "",
        at=row.valid_from or 0,
        scope=Scope(
            tenant=row.tenant,
            agent=turn.agent,
            user=turn.user,
            project=row.project,
            session=row.session_id,
        ),
        visibility_group=group,
        is_covered=bool(row.is_covered),
    )
