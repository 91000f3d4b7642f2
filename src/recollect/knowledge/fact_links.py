"""Facts follow the links between the spans that say them: what was replaced is not current."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.core.scope import Scope
from recollect.knowledge.fact import BY_HAND, Fact
from recollect.knowledge.replacement import MessageSpan, ReplacementLink
from recollect.knowledge.replacements import links_of
from recollect.knowledge.rows import change_fact, facts_by_id, of_messages
from recollect.store.engine import Transaction


def follow_links(tx: Transaction, tenant: str, messages: Iterable[str], at: int) -> None:
    """Close the facts that something replaced, and reopen those that nothing replaces any more.

    Args:
        tx: A write transaction, in which the links are as they should be.
        tenant: The tenant.
        messages: What was extracted: the ends of links that may have come or gone.
        at: The time of the change, ms UTC.
    """
    touched = set(messages)
    links = links_of(tx, touched)
    facts: dict[str, list[Fact]] = {}
    for fact in of_messages(tx, tenant, sorted(touched | _ends(links))):
        facts.setdefault(fact.message_id or "", []).append(fact)
    olders = touched | {link.older.message for link in links}
    for fact in (each for name in sorted(olders) for each in facts.get(name, ())):
        if fact.made_by != BY_HAND and fact.status in {"current", "replaced"}:
            _follow(tx, fact, _link_from(fact, links), facts, at)


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
) -> None:
    wanted: dict[str, Any] = {"status": "current", "replaced_by": None, "valid_to": None}
    if link is not None:
        near = facts.get(link.newer.message, ())
        newer = next((each for each in near if _is_in(each, link.newer)), None)
        wanted = {
            "status": "replaced",
            "replaced_by": None if newer is None or link.is_ending else newer.id,
            "valid_to": link.newer_at,
        }
    elif _made_way_by_hand(tx, fact):
        return
    if any(getattr(fact, name) != value for name, value in wanted.items()):
        change_fact(tx, fact, "replaced" if link is not None else "restored", at, **wanted)


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
