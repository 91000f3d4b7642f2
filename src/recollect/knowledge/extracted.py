"""Facts out of messages: what a detector found becomes rows, once for each span."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import LiteralString, NamedTuple, TypeAlias

import msgspec

from recollect.audience.owner import Owner
from recollect.core.clock import derived_id
from recollect.core.scope import Scope
from recollect.knowledge.fact import Fact, FactTrust, Remembered
from recollect.knowledge.rows import facts_by_id
from recollect.knowledge.storing import span_origin, store_fact
from recollect.store.columns import text, typed_rows
from recollect.store.engine import Transaction
from recollect.text.statements.statement import RULES_VERSION, Statement

MADE_BY = f"rules:{RULES_VERSION}"
"""``made_by`` of what the rules find."""
_COLUMNS: LiteralString = "SELECT channel, account, chat_type, peer FROM sessions WHERE id = ?"
_SOURCE: LiteralString = """
    SELECT fact_id FROM fact_sources
    WHERE message_id = ? AND start_at = ? AND end_at = ? AND made_by = ?
"""


class _SessionColumns(NamedTuple):
    """The columns of a session that say who hears it, beside those of a draft."""

    channel: str | None
    account: str | None
    chat_type: str | None
    peer: str | None


class FactDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A statement of a message, and where that was said.

    Attributes:
        tenant: Owner; the next three as well.
        agent: See `tenant`.
        user: See `tenant`.
        project: See `tenant`.
        session_id: The session of the message.
        message_id: The message.
        turn_sender: The sender of its turn.
        said_at: When it was said, ms UTC.
        trust: Whose words it is.
        statement: What it states; one without a kind makes no fact.
        made_by: What found it, with its version.
        in_review: Whether the owner has to confirm it first.
    """

    tenant: str
    agent: str | None
    user: str | None
    project: str | None
    session_id: str
    message_id: str
    turn_sender: str | None
    said_at: int
    trust: FactTrust
    statement: Statement
    made_by: str = MADE_BY
    in_review: bool = False


WasErased: TypeAlias = Callable[[Transaction, str, Sequence[tuple[str, str]]], bool]
"""Returns whether one of some origins was erased in a tenant; `tombstone.is_buried` is one."""


def store(
    tx: Transaction, drafts: Sequence[FactDraft], owner: Owner, at: int, was_erased: WasErased
) -> list[Remembered | None]:
    """Store the facts of statements; the same span by the same rules again changes nothing.

    Args:
        tx: A transaction.
        drafts: Of any messages.
        owner: The owner of the agent, and the accounts that are one person.
        at: The time of recording, ms UTC.
        was_erased: Returns whether a span was erased as a fact.

    Returns:
        For each draft what became of it; None where the statement is no fact, it was erased, or its
        session is gone.
    """
    columns_by_session: dict[str, _SessionColumns | None] = {}
    outcomes: list[Remembered | None] = []
    for draft in drafts:
        if draft.session_id not in columns_by_session:
            columns_by_session[draft.session_id] = _columns_of(tx, draft.session_id)
        columns = columns_by_session[draft.session_id]
        if draft.statement.kind is None or columns is None:
            outcomes.append(None)
            continue
        outcome = _known_source(tx, draft)
        span = span_origin(draft.message_id, draft.statement.start, draft.statement.end)
        if outcome is None and not was_erased(tx, draft.tenant, [span]):
            outcome = store_fact(tx, _fact(draft, draft.statement.kind, columns, at), owner, at)
        outcomes.append(outcome)
    return outcomes


def _columns_of(tx: Transaction, session_id: str) -> _SessionColumns | None:
    return next(iter(typed_rows(tx.all(_COLUMNS, (session_id,)), _SessionColumns)), None)


def _known_source(tx: Transaction, draft: FactDraft) -> Remembered | None:
    """Return the fact that was made of the same span before; forgotten ones count."""
    span = (draft.message_id, draft.statement.start, draft.statement.end, draft.made_by)
    row = tx.row(_SOURCE, span)
    if row is None:
        return None
    facts = facts_by_id(tx, Scope(tenant=draft.tenant), [text(row[0])], deleted=True)
    return Remembered(status="known", fact=facts[0]) if facts else None


def _fact(draft: FactDraft, kind: str, columns: _SessionColumns, at: int) -> Fact:
    statement = draft.statement
    span = (str(statement.start), str(statement.end), draft.made_by)
    return Fact(
        id=derived_id(draft.said_at, draft.tenant, draft.message_id, *span),
        tenant=draft.tenant,
        agent=draft.agent,
        user=draft.user,
        project=draft.project,
        session_id=draft.session_id,
        message_id=draft.message_id,
        start=statement.start,
        end=statement.end,
        **columns._asdict(),
        turn_sender=draft.turn_sender,
        text=statement.text,
        kind=kind,
        subject=statement.subject,
        name=statement.name,
        slot=None if statement.slot is None else statement.slot.name,
        value=statement.value,
        importance=statement.importance,
        confidence=float(statement.confidence),
        trust=draft.trust,
        made_by=draft.made_by,
        valid_from=draft.said_at,
        created_at=at,
        status="review" if draft.in_review else "current",
        accessed_at=at,
    )
