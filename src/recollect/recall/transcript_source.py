"""The feed of transcripts: messages along the outbox of records.db, as documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from recollect.core.scope import Scope
from recollect.index.model.document import Document, DocumentBatch, Removal, SourceState
from recollect.sessions.policy.visibility import Speakers, visibility_group_of
from recollect.sessions.record.identity_links import NOBODY_LINKED, IdentityLinks
from recollect.sessions.record.transcript_rows import MESSAGE_KIND
from recollect.store.columns import integer, text, text_or_none
from recollect.store.engine import Database, Row, Transaction

SOURCE = "sessions"
BATCH = 2_048
"""Changes per transaction of the index: as fast as 4,096 for a bulk, and whoever writes beside it
waits half as long (bench load, 60,000 messages: 13,799 and 14,201 a CPU second)."""


class TranscriptFeed:
    """Follows the messages of every session.

    Args:
        records: records.db.
        agent: Only the sessions of this agent; None for all.
        links: Which accounts are one person.
    """

    name = "transcripts"
    source = SOURCE
    tenant: str | None = None

    def __init__(
        self, records: Database, agent: str | None = None, links: IdentityLinks = NOBODY_LINKED
    ) -> None:
        self._records = records
        self._agent = agent
        self._links = links

    def is_behind(self, cursor: int) -> bool:
        """Return whether there is a change after ``cursor``."""
        return self._records.read(newest_change) > cursor

    def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
        """Yield the messages that changed, in commit order."""
        after = state.cursor
        while changes := self._records.read(
            lambda tx, after=after: changed_messages(tx, after, BATCH)  # type: ignore[misc]
        ):
            after = changes[-1].change
            left = self._records.read(newest_change) - after
            yield self._batch([c for c in changes if self._is_wanted(c)], after, left)

    def _is_wanted(self, change: ChangedMessage) -> bool:
        """Return whether a change is for this index; what is gone may have been."""
        return self._agent is None or change.message is None or change.message.agent == self._agent

    def _batch(self, changes: Sequence[ChangedMessage], cursor: int, left: int) -> DocumentBatch:
        latest = {change.id: change for change in changes}
        heard = {c.message.session_id: c.message.speakers for c in changes if c.message is not None}
        visibility_groups = {
            key: visibility_group_of(each, self._links).name for key, each in heard.items()
        }
        return DocumentBatch(
            documents=tuple(
                _document(c.message, visibility_groups[c.message.session_id])
                for c in latest.values()
                if c.message is not None
            ),
            removals=tuple(
                Removal(source=SOURCE, ref=c.id, tenant=c.tenant)
                for c in latest.values()
                if c.message is None
            ),
            cursor=cursor,
            left=left,
        )


def _document(message: SearchableMessage, visibility_group: str) -> Document:
    return Document(
        source=SOURCE,
        ref=message.id,
        group=message.session_id,
        order=message.seq,
        text=message.text,
        at=message.created_at,
        scope=Scope(
            tenant=message.tenant,
            agent=message.agent,
            user=message.user,
            project=message.project,
            session=message.session_id,
        ),
        role=message.role,
        name=message.name,
        visibility_group=visibility_group,
    )


class SearchableMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message as it is found; fields as in `recollect.sessions.record.message.Message`.

    ``speakers`` says who hears it.
    """

    id: str
    tenant: str
    agent: str | None
    user: str | None
    project: str | None
    session_id: str
    seq: int
    role: str
    name: str | None
    text: str
    created_at: int
    speakers: Speakers


class ChangedMessage(msgspec.Struct, frozen=True):
    """A change of the outbox: its seq, whose and which message, and the message if it is there."""

    change: int
    tenant: str
    id: str
    message: SearchableMessage | None


def changed_messages(tx: Transaction, after: int, limit: int) -> list[ChangedMessage]:
    """Return up to ``limit`` changes of messages after the change ``after``, in commit order.

    A message of a deleted session counts as gone: it is in no search, and comes back with the
    status.
    """
    rows = tx.rows(
        "SELECT c.seq, c.tenant, c.ref, CASE WHEN s.status = 'deleted' THEN NULL ELSE m.id END,"
        " m.tenant, m.agent, m.user_id, m.project,"
        " m.session_id, m.seq, m.role, m.name, m.text, m.created_at,"
        " s.agent, s.user_id, s.channel, s.account, s.chat_type, s.peer"
        " FROM changes c LEFT JOIN messages m ON m.id = c.ref"
        " LEFT JOIN sessions s ON s.id = m.session_id"
        " WHERE c.seq > ? AND c.kind = ? ORDER BY c.seq LIMIT ?",
        (after, MESSAGE_KIND, limit),
    )
    heard: dict[str, Speakers] = {}
    return [
        ChangedMessage(integer(row[0]), text(row[1]), text(row[2]), _message(row, heard))
        for row in rows
    ]


def newest_change(tx: Transaction) -> int:
    """Return the seq of the newest change of a message, 0 before the first."""
    row = tx.row(
        "SELECT seq FROM changes WHERE kind = ? ORDER BY seq DESC LIMIT 1", (MESSAGE_KIND,)
    )
    return integer(row[0]) if row else 0


def _message(row: Row, heard: dict[str, Speakers]) -> SearchableMessage | None:
    """Return the message of a row; ``heard`` has what was made for the sessions before it."""
    if row[3] is None:
        return None
    session_id = text(row[8])
    if session_id not in heard:
        heard[session_id] = _speakers(row[14:])
    return SearchableMessage(
        id=text(row[3]),
        tenant=text(row[4]),
        agent=text_or_none(row[5]),
        user=text_or_none(row[6]),
        project=text_or_none(row[7]),
        session_id=session_id,
        seq=integer(row[9]),
        role=text(row[10]),
        name=text_or_none(row[11]),
        text=text(row[12]),
        created_at=integer(row[13]),
        speakers=heard[session_id],
    )


def _speakers(row: Row) -> Speakers:
    agent, user, channel, account, chat_type, peer = map(text_or_none, row)
    return Speakers(
        agent=agent, user=user, channel=channel, account=account, chat_type=chat_type, peer=peer
    )
