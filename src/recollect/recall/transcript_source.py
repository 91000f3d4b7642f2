"""The feed of transcripts: messages along the outbox of records.db, as documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import msgspec

from recollect.core.scope import Scope
from recollect.index.model.document import (
    MESSAGES,
    Document,
    DocumentBatch,
    Removal,
    SourceState,
)
from recollect.sessions.policy.owner import NOBODY_NAMED, Owner
from recollect.sessions.policy.visibility import Speakers, visibility_group_of
from recollect.sessions.record.transcript_rows import MESSAGE_KIND
from recollect.store.columns import first_integer, typed_rows
from recollect.store.engine import Database, Transaction

SOURCE = MESSAGES
BATCH = 2_048
"""Changes per transaction of the index: as fast as 4,096 for a bulk, and whoever writes beside it
waits half as long (bench load, 60,000 messages: 13,799 and 14,201 a CPU second)."""


class TranscriptSource:
    """Follows the messages of every session.

    Args:
        records: records.db.
        agent: Only the sessions of this agent; None for all.
        owner: Whose agent it is, and which accounts are one person.
    """

    name = "transcripts"
    source = SOURCE
    tenant: str | None = None

    def __init__(
        self, records: Database, agent: str | None = None, owner: Owner = NOBODY_NAMED
    ) -> None:
        self._records = records
        self._agent = agent
        self._owner = owner

    def is_behind(self, cursor: int) -> bool:
        """Return whether there is a change after ``cursor``."""
        return self._records.read(newest_change) > cursor

    def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
        """Yield the messages that changed, in commit order."""
        after = state.cursor
        while changes := self._records.read(partial(_changes, after=after)):
            after = changes[-1].change
            left = self._records.read(newest_change) - after
            yield self._batch([c for c in changes if self._is_wanted(c)], after, left)

    def _is_wanted(self, change: _Change) -> bool:
        """Return whether a change is for this index; what is gone may have been."""
        return self._agent is None or change.message is None or change.agent == self._agent

    def _batch(self, changes: Sequence[_Change], cursor: int, left: int) -> DocumentBatch:
        latest = {change.ref: change for change in changes}.values()
        turns = {c.turn: c for c in changes if c.message is not None}
        groups = {turn: self._visibility_group(change) for turn, change in turns.items()}
        gone = [c for c in latest if c.message is None]
        return DocumentBatch(
            documents=tuple(_document(c, groups) for c in latest if c.message is not None),
            removals=tuple(Removal(source=SOURCE, ref=c.ref, tenant=c.tenant) for c in gone),
            cursor=cursor,
            left=left,
        )

    def _visibility_group(self, change: _Change) -> str:
        """Return who hears a message: the same for all of a turn."""
        speakers = Speakers(
            agent=change.session_agent,
            user=change.session_user,
            channel=change.channel,
            account=change.account,
            chat_type=change.chat_type,
            peer=change.peer,
        )
        return visibility_group_of(speakers, self._owner, change.turn_sender).name


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
        source=SOURCE,
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


def _changes(tx: Transaction, after: int) -> list[_Change]:
    """Return the next changes of messages after the change ``after``, in commit order.

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
        " WHERE c.seq > ? AND c.kind = ? ORDER BY c.seq LIMIT ?",
        (after, MESSAGE_KIND, BATCH),
    )
    return typed_rows(rows, _Change)


def newest_change(tx: Transaction) -> int:
    """Return the seq of the newest change of a message, 0 before the first."""
    newest = "SELECT seq FROM changes WHERE kind = ? ORDER BY seq DESC LIMIT 1"
    return first_integer(tx.row(newest, (MESSAGE_KIND,)))
