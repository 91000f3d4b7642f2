"""The feed of transcripts: messages along the outbox of records.db, as documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.core.scope import Scope
from recollect.index.document import Document, Removal
from recollect.index.feed import Batch, FeedState
from recollect.sessions.circle import circle_of
from recollect.sessions.identity_links import NOBODY_LINKED, IdentityLinks
from recollect.sessions.searchable import (
    ChangedMessage,
    SearchableMessage,
    changed_messages,
    newest_change,
)
from recollect.store.engine import Database

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
        """Return whether there is a change behind ``cursor``."""
        return self._records.read(newest_change) > cursor

    def batches(self, state: FeedState) -> Iterator[Batch]:
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

    def _batch(self, changes: Sequence[ChangedMessage], cursor: int, left: int) -> Batch:
        latest = {change.id: change for change in changes}
        heard = {c.message.session_id: c.message.speakers for c in changes if c.message is not None}
        circles = {key: circle_of(each, self._links).name for key, each in heard.items()}
        return Batch(
            documents=tuple(
                _document(c.message, circles[c.message.session_id])
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


def _document(message: SearchableMessage, circle: str) -> Document:
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
        circle=circle,
    )
