"""Storing a fact: the same words are known, and a new value of a slot replaces the old one.

Both look only at facts of the same audience.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, LiteralString

import msgspec

from recollect.audience.owner import Owner
from recollect.audience.visibility import group_of_turn, hearers_of, speaker_of
from recollect.core.events import FactsRemembered
from recollect.core.scope import Scope
from recollect.knowledge.fact import Fact, Remembered
from recollect.knowledge.rows import (
    add_fact,
    change_fact,
    facts_by_id,
    in_slot,
    made_way,
    said_to,
    values_by_hand,
    write_fact,
)
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction
from recollect.store.journal import record_event

_ADD_SOURCE: LiteralString = """
    INSERT INTO fact_sources (message_id, start_at, end_at, made_by, fact_id, session_id, said_at)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
_SOURCES: LiteralString = """
    SELECT message_id, start_at, end_at FROM fact_sources WHERE fact_id = ?
"""
_LOST: LiteralString = """
    SELECT f.tenant, f.id FROM facts f WHERE f.replaced_by IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM facts n WHERE n.id = f.replaced_by)
"""
FACT = "recollect:fact"
"""In place of a source of sessions, with the id of a fact, or a span that says it."""
_TRUSTED = ("imported", "group", "agent", "owner")
"""From the least on."""


def every_fact(_: Fact) -> bool:
    """Let any fact be changed."""
    return True


def store_fact(
    tx: Transaction,
    draft: Fact,
    owner: Owner,
    at: int,
    *,
    closing: Owner | None = None,
    may_change: Callable[[Fact], bool] = every_fact,
) -> Remembered:
    """Store a fact, or find that it is known; its source is noted in any case.

    Args:
        tx: A transaction.
        draft: The fact, without its number.
        owner: The owner of the agent, and the accounts that are one person.
        at: The time of recording, ms UTC.
        closing: Where its slot has one value at a time: the owner and accounts among whose facts
            it replaces older values.
        may_change: Whether a fact may count as known, or make way; others stay as they are.
    """
    group = group_of_turn(draft.turn, owner)
    hearers = hearers_of(group, owner)
    for existing in filter(may_change, said_to(tx, draft.tenant, draft.text, hearers)):
        if _is_same(existing, draft) and whose(existing, owner) == whose(draft, owner):
            note_source(tx, draft, existing.id)
            return Remembered(status="known", fact=_known(tx, existing, draft, at))
    fact = add_fact(tx, draft, at)
    note_source(tx, draft, fact.id)
    record_event(tx, FactsRemembered(scope=fact.owner, at=at, numbers=(fact.number,)))
    replaced: tuple[Fact, ...] = ()
    if closing is not None and fact.status == "current":
        replaced = close_older(tx, fact, closing, at, may_change)
    return Remembered(status="replaced" if replaced else "new", fact=fact, replaced=replaced)


def note_source(tx: Transaction, draft: Fact, fact_id: str) -> None:
    """Note the span that says a fact, where a message does."""
    if draft.message_id is None or draft.session_id is None:
        return
    span = (draft.message_id, draft.start or 0, draft.end or 0, draft.made_by)
    tx.execute(_ADD_SOURCE, (*span, fact_id, draft.session_id, draft.valid_from))


def span_origin(message_id: str, start: int, end: int) -> tuple[str, str]:
    """Return what a tombstone knows a span of a message by."""
    return FACT, f"{message_id}:{start}:{end}"


def origins_of(tx: Transaction, fact: Fact) -> list[tuple[str, str]]:
    """Return what tombstones know a fact by: its id, and the spans that say it."""
    rows = typed_rows(tx.all(_SOURCES, (fact.id,)), tuple[str, int, int])
    return [(FACT, fact.id), *(span_origin(*row) for row in rows)]


def _is_same(existing: Fact, draft: Fact) -> bool:
    """Return whether a fact of the same words counts as known; it is of the same audience."""
    is_about = (existing.subject, existing.name) == (draft.subject, draft.name)
    is_here = draft.subject != "project" or existing.project == draft.project
    return is_about and is_here and existing.status in {"current", "archived", "review"}


def _known(tx: Transaction, existing: Fact, draft: Fact, at: int) -> Fact:
    """Return a fact as it is after it was said again."""
    changes: dict[str, Any] = {}
    if draft.confidence > existing.confidence:
        changes["confidence"] = draft.confidence
    if _TRUSTED.index(draft.trust) > _TRUSTED.index(existing.trust):
        changes["trust"] = draft.trust
    # An agent does not confirm its own claim by saying it once more in another way.
    is_confirmed = draft.status == "current" and draft.trust != "agent"
    is_back = existing.status == "archived" or (existing.status == "review" and is_confirmed)
    if is_back:
        changes["status"] = "current"
    existing = msgspec.structs.replace(
        existing, accessed_at=max(at, existing.accessed_at), access_count=existing.access_count + 1
    )
    if not changes:
        write_fact(tx, existing)
        return existing
    return change_fact(tx, existing, "restored" if is_back else "known", at, **changes)


def close_older(
    tx: Transaction,
    fact: Fact,
    owner: Owner,
    at: int,
    may_change: Callable[[Fact], bool] = every_fact,
) -> tuple[Fact, ...]:
    """Close the older values of the slot of a fact; return them as they are now."""
    if fact.slot is None:
        return ()
    hearers = hearers_of(group_of_turn(fact.turn, owner), owner)
    values = _others(in_slot(tx, fact.tenant, fact.slot, hearers), fact, owner)
    older = [each for each in filter(may_change, values) if each.valid_from <= fact.valid_from]
    return tuple(make_way(tx, each, fact, at) for each in older)


def others_by_hand(tx: Transaction, fact: Fact, owner: Owner) -> list[Fact]:
    """Return the other current values of the slot of a fact that were given by hand."""
    candidates = [] if fact.slot is None else values_by_hand(tx, fact.tenant, fact.slot)
    return _others(candidates, fact, owner)


def settle_by_hand(tx: Transaction, fact: Fact, owner: Owner, at: int) -> None:
    """Order a fact of a message among the values of its slot by hand, which no link reaches.

    Older ones make way for it; it makes way for a later one.

    Args:
        tx: A transaction.
        fact: The fact, whose slot has one value at a time.
        owner: The owner of the agent, and who is one person now.
        at: The time of the change, ms UTC.
    """
    others = others_by_hand(tx, fact, owner)
    for each in others:
        if each.valid_from <= fact.valid_from:
            make_way(tx, each, fact, at)
    later = [each for each in others if each.valid_from > fact.valid_from]
    if later:
        make_way(tx, fact, min(later, key=lambda each: each.valid_from), at)


def _others(values: Iterable[Fact], fact: Fact, owner: Owner) -> list[Fact]:
    """Return those of some values of a slot that another fact of the same audience gives it."""
    return [
        each
        for each in values
        if each.id != fact.id
        and (each.subject, each.name) == (fact.subject, fact.name)
        and (fact.subject != "project" or each.project == fact.project)
        and whose(each, owner) == whose(fact, owner)
    ]


def whose(fact: Fact, owner: Owner) -> tuple[str, str | None]:
    """Return what is equal for facts that may be the same, or replace each other.

    It is their audience and, of facts about people, the speaker: in a group, "I live in Rome" of
    two people are two facts.
    """
    group = group_of_turn(fact.turn, owner)
    is_personal = fact.subject in {"speaker", "other"}
    return group.name, speaker_of(fact.turn, group, owner) if is_personal else ""


def make_way(tx: Transaction, older: Fact, newer: Fact, at: int) -> Fact:
    """Replace a fact by another one; return it as it is now."""
    closed = {"status": "replaced", "replaced_by": newer.id, "valid_to": newer.valid_from}
    return change_fact(tx, older, "replaced", at, **closed)


def lost_facts(tx: Transaction) -> list[tuple[str, str]]:
    """Return tenant and id of the facts that made way for one that is gone."""
    return typed_rows(tx.all(_LOST), tuple[str, str])


def reopen_lost(tx: Transaction, at: int) -> None:
    """Make the facts current that made way for one that is gone, at a time, ms UTC."""
    for tenant, id_ in lost_facts(tx):
        for fact in facts_by_id(tx, Scope(tenant=tenant), [id_], deleted=True):
            is_back = fact.status == "replaced"
            status = "current" if is_back else fact.status
            change_fact(tx, fact, "restored", at, status=status, replaced_by=None, valid_to=None)


def reopen(tx: Transaction, facts: Sequence[Fact], at: int) -> None:
    """Give the facts that made way for some others what follows those, or make them current.

    Args:
        tx: A transaction.
        facts: Facts of one tenant that do not count any more.
        at: The time of the change, ms UTC.
    """
    if not facts:
        return
    followers = {each.id: each for each in facts}
    for older in made_way(tx, facts[0].tenant, list(followers)):
        if older.id in followers:
            continue
        follower = followers[older.replaced_by or ""]
        while follower.replaced_by in followers:
            follower = followers[follower.replaced_by]
        if follower.replaced_by is not None:
            then = {"replaced_by": follower.replaced_by, "valid_to": follower.valid_to}
            change_fact(tx, older, "replaced", at, **then)
        elif older.status == "replaced":
            back = {"status": "current", "replaced_by": None, "valid_to": None}
            change_fact(tx, older, "restored", at, **back)
