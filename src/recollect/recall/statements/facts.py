"""Facts out of what messages state: which statements count, and how far they are trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.audience.owner import Owner
from recollect.core.clock import Clock
from recollect.knowledge.extracted import FactDraft, store
from recollect.knowledge.replacement import USER
from recollect.recall.statements.messages import Stating
from recollect.sessions.record.tombstone import is_buried
from recollect.store.engine import Transaction

OF_AGENT = frozenset({"technical", "open_end"})
"""Kinds that the agent's words give: what it found out, and what is left; nothing about people."""
RULE = "rule"


class FactKeeper:
    """Stores the facts among statements, in the transaction of their extraction.

    Args:
        owner: The owner of the agent, and the accounts that are one person.
        clock: Gives the time of recording.
    """

    def __init__(self, owner: Owner, clock: Clock) -> None:
        self._owner = owner
        self._clock = clock

    def __call__(self, tx: Transaction, statings: Sequence[Stating]) -> None:
        """Store the facts; those that are known change nothing."""
        drafts = list(_drafts(statings))
        if drafts:
            store(tx, drafts, self._owner, self._clock.now_ms(), is_buried)


def _drafts(statings: Sequence[Stating]) -> Iterator[FactDraft]:
    for each in statings:
        message, statement = each.message, each.statement
        is_users = message.role == USER
        is_owners = is_users and each.group.is_owners
        is_given = is_owners or statement.kind != RULE if is_users else statement.kind in OF_AGENT
        if statement.kind is None or not statement.is_asserted or not is_given:
            continue
        yield FactDraft(
            tenant=message.tenant,
            agent=message.agent,
            user=message.user,
            project=message.project,
            session_id=message.session_id,
            message_id=message.id,
            turn_sender=each.turn.turn_sender,
            said_at=message.at,
            trust="owner" if is_owners else "group" if is_users else "agent",
            statement=statement,
        )
