"""Messages as documents: those that changed in a part of the outbox."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from recollect.core.scope import Scope
from recollect.index.model.document import SESSIONS, Document, Removal
from recollect.recall.outbox_source import Changed, Changes
from recollect.sessions.policy.owner import Owner
from recollect.sessions.policy.visibility import Speakers, visibility_group_of
from recollect.sessions.record.transcript_rows import MESSAGE_KIND
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction


def changed_messages(tx: Transaction, changes: Changes) -> Changed:
    """Return the messages that changed in a part of the outbox."""
    found = [c for c in _changes(tx, changes) if _is_wanted(c, changes.agent)]
    latest = {change.ref: change for change in found}.values()
    gone = [c for c in latest if c.message is None]
    turns = {c.turn: c for c in found if c.message is not None}
    groups = {turn: _visibility_group(change, changes.owner) for turn, change in turns.items()}
    return Changed(
        documents=[_document(c, groups) for c in latest if c.message is not None],
        removals=[Removal(source=SESSIONS, ref=c.ref, tenant=c.tenant) for c in gone],
    )


def _is_wanted(change: _Change, agent: str | None) -> bool:
    return agent is None or change.message is None or change.agent == agent


def _visibility_group(change: _Change, owner: Owner) -> str:
    """Return who hears a message: the same for all of a turn."""
    speakers = Speakers(
        agent=change.session_agent,
        user=change.session_user,
        channel=change.channel,
        account=change.account,
        chat_type=change.chat_type,
        peer=change.peer,
    )
    return visibility_group_of(speakers, owner, change.turn_sender).name


Turn: TypeAlias = tuple[str | None, str | None]


class _Change(msgspec.Struct, frozen=True, array_like=True):
    """A change of the outbox with its message and who hears it; nothing more where it is gone."""

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
    session_agent: str | None
    session_user: str | None
    channel: str | None
    account: str | None
    chat_type: str | None
    peer: str | None
    turn_sender: str | None

    @property
    def turn(self) -> Turn:
        """What all messages with the same hearers have alike."""
        return self.session_id, self.turn_sender


def _document(change: _Change, groups: Mapping[Turn, str]) -> Document:
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
        visibility_group=groups[change.turn],
    )


def _changes(tx: Transaction, changes: Changes) -> list[_Change]:
    """Return the changes of messages, in commit order.

    A message of a deleted session counts as gone: it is in no search, and comes back with the
    status.
    """
    rows = tx.all(
        "SELECT c.seq, c.tenant, c.ref, CASE WHEN s.status = 'deleted' THEN NULL ELSE m.id END,"
        " m.agent, m.user_id, m.project, m.session_id, m.seq, m.role, m.name, m.text,"
        " m.created_at, s.agent, s.user_id, s.channel, s.account, s.chat_type, s.peer,"
        " m.turn_sender"
        " FROM changes c LEFT JOIN messages m ON m.id = c.ref"
        " LEFT JOIN sessions s ON s.id = m.session_id"
        " WHERE c.seq > ? AND c.seq <= ? AND c.kind = ? ORDER BY c.seq",
        (changes.after, changes.last, MESSAGE_KIND),
    )
    return typed_rows(rows, _Change)
