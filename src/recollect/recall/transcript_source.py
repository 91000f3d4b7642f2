"""Messages as documents: those that changed in a part of the outbox."""

from __future__ import annotations

from typing import LiteralString

import msgspec

from recollect.audience.visibility import group_of_turn
from recollect.core.scope import ConversationTurn, Scope
from recollect.index.model.document import SESSIONS, Document, Removal
from recollect.recall.outbox_source import Changed, Changes
from recollect.sessions.record.lineage import SHOWN_BY
from recollect.sessions.record.transcript_rows import MESSAGE_KIND
from recollect.store.columns import placed_rows
from recollect.store.engine import Transaction

_CHANGES: LiteralString = f"""
    SELECT c.seq, c.tenant, c.ref, t.id, t.agent, s.user_id, t.project,
        {SHOWN_BY}, t.seq, t.role, t.name, t.text, t.created_at, s.agent, s.user_id, s.channel,
        s.account, s.chat_type, s.peer, t.turn_sender
    FROM changes c LEFT JOIN messages t ON t.id = c.ref LEFT JOIN sessions s ON s.id = t.session_id
    WHERE c.seq > ? AND c.seq <= ? AND c.kind = ? ORDER BY c.seq
"""  # noqa: S608  # literals


def changed_messages(tx: Transaction, changes: Changes) -> Changed:
    """Return the messages that changed in a part of the outbox."""
    rows = [(c, turn) for c, turn in _changes(tx, changes) if _is_wanted(c, changes.agent)]
    latest = {c.ref: (c, turn) for c, turn in rows}.values()
    # The same for all of a turn.
    turns = {_turn(c, turn): turn for c, turn in rows if c.is_shown}
    groups = {key: group_of_turn(turn, changes.owner).name for key, turn in turns.items()}
    return Changed(
        documents=[_document(c, groups[_turn(c, p)]) for c, p in latest if c.is_shown],
        removals=[
            Removal(source=SESSIONS, ref=c.ref, tenant=c.tenant)
            for c, _ in latest
            if not c.is_shown
        ],
    )


def _is_wanted(change: _Change, agent: str | None) -> bool:
    return agent is None or not change.is_shown or change.agent == agent


def _turn(change: _Change, turn: ConversationTurn) -> tuple[str | None, str | None]:
    """Return the session and the sender of a turn: equal for all messages with the same hearers."""
    return change.session_id, turn.turn_sender


class _Change(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A change of the outbox with its message, and the session that shows it now."""

    change: int
    tenant: str
    ref: str
    message: str | None
    agent: str | None
    user: str | None
    project: str | None
    session_id: str | None
    seq: int | None
    role: str | None
    name: str | None
    text: str | None
    created_at: int | None

    @property
    def is_shown(self) -> bool:
        """Whether it exists, and a session that is not deleted shows it."""
        return self.message is not None and self.session_id is not None


def _document(change: _Change, visibility_group: str) -> Document:
    session = change.session_id or ""
    return Document(
        source=SESSIONS,
        ref=change.ref,
        group=session,
        order=change.seq or 0,
        text=change.text or "",
        at=change.created_at or 0,
        scope=Scope(
            tenant=change.tenant,
            agent=change.agent,
            user=change.user,
            project=change.project,
            session=session,
        ),
        role=change.role,
        name=change.name,
        visibility_group=visibility_group,
    )


def _changes(tx: Transaction, changes: Changes) -> list[tuple[_Change, ConversationTurn]]:
    """Return the changes of messages and who hears them, in commit order.

    A message of a deleted session, or that a rewind took out, counts as gone until it is back; one
    that a living fork shows is found through the fork, as if it were its own.
    """
    rows = tx.all(_CHANGES, (changes.after, changes.last, MESSAGE_KIND))
    return placed_rows(rows, _Change)
