"""The source of records: the changes in the outbox of records.db, kind by kind, as documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import LiteralString, Protocol

import msgspec

from recollect.audience.owner import NOBODY_NAMED, Owner
from recollect.index.model.document import SESSIONS, Document, DocumentBatch, Removal, SourceState
from recollect.store.columns import first_integer, integer, text
from recollect.store.engine import Database, Transaction

BATCH = 2_048
"""Changes per transaction of the index: as fast as 4,096 for a bulk, while concurrent writers wait
half as long (bench load, 60,000 messages: 13,799 and 14,201 a CPU second)."""
KINDS: LiteralString = "'message', 'observation', 'episode', 'fact'"
"""The kinds of records in the outbox that can be found."""
_REACH: LiteralString = f"""
    SELECT max(seq), group_concat(DISTINCT kind), count(*) FROM (
        SELECT seq, kind FROM changes WHERE seq > ? AND kind IN ({KINDS}) ORDER BY seq LIMIT ?)
"""  # noqa: S608  # literals
_NEWEST: LiteralString = (
    f"SELECT seq FROM changes WHERE kind IN ({KINDS}) ORDER BY seq DESC LIMIT 1"  # noqa: S608
)


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of one kind of record in a part of the outbox.

    Attributes:
        after: The change before the first.
        last: The last one.
        agent: Only records of this agent; None for all. Removed records are listed for every agent.
        owner: The owner of the agent, and the accounts that are one person.
    """

    after: int
    last: int
    agent: str | None
    owner: Owner


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """What a part of the outbox adds to the index and removes from it, each record once."""

    documents: Sequence[Document] = ()
    removals: Sequence[Removal] = ()


class RecordReader(Protocol):
    """Reads the records of one kind that changed."""

    def __call__(self, tx: Transaction, changes: Changes) -> Changed:
        """Return the records as they are now."""


class OutboxSource:
    """Follows every kind of record that can be found.

    Args:
        records: records.db.
        agent: Only what belongs to this agent; None for all.
        owner: The owner of the agent, and the accounts that are one person.
    """

    name = "transcripts"
    """The name in older indexes, which had messages only."""
    source = SESSIONS
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
        """Yield what changed, in commit order.

        What is stored meanwhile is left to the next call, so that constant writing is indexed in
        steps instead of message by message.
        """
        after, is_last = state.cursor, False
        while not is_last and (reach := self._records.read(partial(_reach, after=after))):
            last, kinds, count = reach
            changes = Changes(after=after, last=last, agent=self._agent, owner=self._owner)
            parts = [self._records.read(partial(reader(k), changes=changes)) for k in kinds]
            is_last = count < BATCH
            yield DocumentBatch(
                documents=tuple(document for each in parts for document in each.documents),
                removals=tuple(removal for each in parts for removal in each.removals),
                cursor=last,
                left=0 if is_last else self._records.read(newest_change) - last,
            )
            after = last


def reader(kind: str) -> RecordReader:
    """Return the reader of records of a kind; its module is imported with the first of them."""
    if kind == "message":
        from recollect.recall.transcript_source import changed_messages

        return changed_messages
    if kind == "episode":
        from recollect.recall.retrieval.episode_source import changed_episodes

        return changed_episodes
    if kind == "fact":
        from recollect.recall.retrieval.fact_source import changed_facts

        return changed_facts
    from recollect.recall.observation_source import changed_observations

    return changed_observations


def newest_change(tx: Transaction) -> int:
    """Return the seq of the newest change of a record that can be found, 0 before the first."""
    return first_integer(tx.row(_NEWEST))


def _reach(tx: Transaction, after: int) -> tuple[int, list[str], int] | None:
    """Return the last of the next changes, their kinds and their number; None if there are none."""
    row = tx.row(_REACH, (after, BATCH))
    if row is None or row[0] is None:
        return None
    return integer(row[0]), sorted(text(row[1]).split(",")), integer(row[2])
