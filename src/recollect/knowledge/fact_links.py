"""Facts follow the links between the spans that say them: what was replaced is not current."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, LiteralString

from recollect.audience.owner import Owner
from recollect.audience.visibility import group_of_turn
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.knowledge.fact import BY_HAND, Fact
from recollect.knowledge.remembering import has_only_value, statement_of
from recollect.knowledge.replacement import MessageSpan, ReplacementLink, Said
from recollect.knowledge.replacements import link, links_of, unlink
from recollect.knowledge.rows import change_fact, facts_by_id, made_way, of_messages
from recollect.knowledge.storing import make_way, others_by_hand, reopen, settle_by_hand
from recollect.store.columns import is_record_out, typed_rows
from recollect.store.engine import Transaction

_MADE_WAY_FOR_HIDDEN: LiteralString = """
    SELECT h.operation_id, f.id, f.replaced_by FROM withdrawn_records h
    JOIN facts f ON f.replaced_by = h.ref AND f.status = 'replaced'
    WHERE h.kind = 'fact' AND f.tenant = ? ORDER BY f.id
"""
_NOTE_REOPENED: LiteralString = """
    INSERT INTO withdrawn_records (kind, ref, operation_id, session_id, was)
    SELECT 'reopened', ?, ?, session_id, ? FROM withdrawn_records WHERE kind = 'fact' AND ref = ?
    ON CONFLICT DO NOTHING
"""
_RETURNED: LiteralString = f"""
    SELECT r.ref, r.was FROM withdrawn_records r JOIN facts f ON f.id = r.ref AND f.tenant = ?
    WHERE r.kind = 'reopened' AND NOT {is_record_out("fact", "r.was")} ORDER BY r.ref
"""  # noqa: S608  # literals
_FORGET_REOPENED: LiteralString = (
    "DELETE FROM withdrawn_records WHERE kind = 'reopened' AND ref = ?"
)


def follow_links(
    tx: Transaction, tenant: str, messages: Iterable[str], owner: Owner, at: int
) -> None:
    """Close the facts that something replaced, and reopen those that nothing replaces any more.

    What no link replaces is ordered among the values that were given by hand.

    Args:
        tx: A write transaction, in which the links are as they should be.
        tenant: The tenant.
        messages: What was extracted: the ends of links that may have come or gone.
        owner: The owner of the agent, and who is one person now.
        at: The time of the change, ms UTC.
    """
    touched = set(messages)
    olders = touched | {each.older.message for each in links_of(tx, touched)}
    links = links_of(tx, olders)
    facts: dict[str, list[Fact]] = {}
    for fact in of_messages(tx, tenant, sorted(olders | _ends(links))):
        facts.setdefault(fact.message_id or "", []).append(fact)
    onward: dict[str, list[ReplacementLink]] = {}
    for each in links:
        onward.setdefault(each.older.message, []).append(each)
    for fact in (each for name in sorted(olders) for each in facts.get(name, ())):
        if fact.made_by != BY_HAND and fact.status in {"current", "replaced"}:
            replacing = _link_from(fact, onward.get(fact.message_id or "", ()))
            followed = _follow(tx, fact, replacing, facts, at)
            is_among = followed.status == "current" and others_by_hand(tx, followed, owner)
            if is_among and has_only_value(statement_of(followed.text)):
                settle_by_hand(tx, followed, owner, at)


def follow_withdrawals(tx: Transaction, tenant: str, at: int) -> None:
    """Reopen what hidden facts replaced, and replace it again by those that are back.

    Args:
        tx: A write transaction, in which facts follow their links.
        tenant: The tenant.
        at: The time of the change, ms UTC.
    """
    rows = typed_rows(tx.all(_MADE_WAY_FOR_HIDDEN, (tenant,)), tuple[str, str, str])
    for operation, older, newer in rows:
        tx.execute(_NOTE_REOPENED, (older, operation, newer, newer))
    scope = Scope(tenant=tenant)
    if rows:
        hidden = sorted({newer for _, _, newer in rows})
        reopen(tx, facts_by_id(tx, scope, hidden, deleted=True), at)
    for older, newer in typed_rows(tx.all(_RETURNED, (tenant,)), tuple[str, str]):
        tx.execute(_FORGET_REOPENED, (older,))
        pair = {each.id: each for each in facts_by_id(tx, scope, [older, newer], deleted=True)}
        if newer in pair and pair[older].status == "current":
            make_way(tx, pair[older], pair[newer], at)


def replace_by_hand(tx: Transaction, older: Fact, newer: Fact, owner: Owner, at: int) -> Fact:
    """Let a fact make way for another, and the words that say it for those of the other.

    Args:
        tx: A write transaction.
        older: What is not true any more.
        newer: What is true instead.
        owner: The owner of the agent, and the accounts that are one person.
        at: The time of the change, ms UTC.

    Raises:
        InvalidInput: they are the same, or heard by different people; or the newer one does not
            count, is true from an earlier time, or was replaced by the older one.
    """
    if group_of_turn(older.turn, owner) != group_of_turn(newer.turn, owner):
        hint = "correct the one that is wrong"
        raise InvalidInput("the facts are heard by different people", hint=hint)
    if not newer.is_found or newer.valid_from < older.valid_from:
        hint = "name the one that is true now last"
        raise InvalidInput("a fact makes way only for one that is true later", hint=hint)
    if older.id in _chain(tx, newer):
        hint = "restore the other one first: it was replaced by this"
        raise InvalidInput("what is newer was replaced by this, or is the same", hint=hint)
    if older.end is not None and newer.end is not None:
        link(tx, older.tenant, _said(older), _said(newer))
    return change_fact(
        tx, older, "replaced", at, status="replaced", replaced_by=newer.id,
        valid_to=newer.valid_from,
    )  # fmt: skip


def undo_links(tx: Transaction, fact: Fact) -> None:
    """Undo the links from the words that say a fact, so that nothing replaces it again."""
    if fact.message_id is None:
        return
    for each in links_of(tx, [fact.message_id]):
        if not each.is_flagged and _is_in(fact, each.older):
            older, newer = (each.older, each.older_at), (each.newer, each.newer_at)
            unlink(tx, fact.tenant, _span_said(*older), _span_said(*newer))


def line_of(tx: Transaction, fact: Fact, scope: Scope) -> list[Fact]:
    """Return the line of a fact through time: all that made way for the newest of its chain.

    Args:
        tx: A transaction.
        fact: Any of the line.
        scope: Only what it has. Those of deleted sessions, those that a rewind hides and others
            that were forgotten are left out.

    Returns:
        By the time from which they are true; of two lines that became one both.
    """
    ends = [_chain(tx, fact)[-1]]
    ids = set(ends)
    while ends:
        ends = [each.id for each in made_way(tx, fact.tenant, ends) if each.id not in ids]
        ids.update(ends)
    own = facts_by_id(tx, scope, sorted(ids))
    own = [each for each in own if each.id == fact.id or each.status != "forgotten"]
    return sorted(own, key=lambda each: (each.valid_from, each.id))


def _chain(tx: Transaction, start: Fact) -> list[str]:
    """Return the ids of a fact and of those that it made way for, to the newest."""
    ids, scope, last = {start.id: None}, Scope(tenant=start.tenant), start.replaced_by
    while last is not None and last not in ids:
        ids[last] = None
        facts = facts_by_id(tx, scope, [last], deleted=True)
        last = facts[0].replaced_by if facts else None
    return list(ids)


def _said(fact: Fact) -> Said:
    span = MessageSpan(fact.message_id or "", fact.start or 0, fact.end or 0)
    return _span_said(span, fact.valid_from)


def _span_said(span: MessageSpan, at: int) -> Said:
    """Return a span as what is linked by hand: only where and when it was said counts."""
    return Said(
        message=span.message, start=span.start, end=span.end, at=at, session="", seq=0, audience=0
    )


def linked_messages(tx: Transaction, messages: Iterable[str]) -> set[str]:
    """Return the messages at the ends of links from or to some messages."""
    return _ends(links_of(tx, messages))


def _ends(links: Iterable[ReplacementLink]) -> set[str]:
    return {span.message for link in links for span in (link.older, link.newer)}


def _follow(
    tx: Transaction,
    fact: Fact,
    link: ReplacementLink | None,
    facts: Mapping[str, Sequence[Fact]],
    at: int,
) -> Fact:
    state: dict[str, Any] = {"status": "current", "replaced_by": None, "valid_to": None}
    if link is not None:
        near = facts.get(link.newer.message, ())
        newer = next((each for each in near if _is_in(each, link.newer)), None)
        state = {
            "status": "replaced",
            "replaced_by": None if newer is None or link.is_ending else newer.id,
            "valid_to": link.newer_at,
        }
    elif _made_way_by_hand(tx, fact):
        return fact
    if all(getattr(fact, name) == value for name, value in state.items()):
        return fact
    return change_fact(tx, fact, "replaced" if link is not None else "restored", at, **state)


def _made_way_by_hand(tx: Transaction, fact: Fact) -> bool:
    """Return whether a fact was replaced by one that no message says."""
    scope, by = Scope(tenant=fact.tenant), fact.replaced_by
    newer = [] if by is None else facts_by_id(tx, scope, [by], deleted=True)
    return any(each.made_by == BY_HAND for each in newer)


def _link_from(fact: Fact, links: Sequence[ReplacementLink]) -> ReplacementLink | None:
    """Return the link from the span of a fact; of two, the one to what was said last."""
    own = [link for link in links if not link.is_flagged and _is_in(fact, link.older)]
    return max(own, key=lambda link: link.newer_at, default=None)


def _is_in(fact: Fact, span: MessageSpan) -> bool:
    """Return whether a fact is said by a span."""
    is_overlapping = (fact.start or 0) < span.end and span.start < (fact.end or 0)
    return fact.message_id == span.message and is_overlapping
