"""Facts after accounts were linked or unlinked: what replaces what among those of one person.

What messages say follows its links, see `fact_links`; here are the values that were given by hand.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from recollect.audience.owner import Owner
from recollect.core.scope import Scope
from recollect.knowledge.fact import BY_HAND, Fact
from recollect.knowledge.remembering import has_only_value, statement_of
from recollect.knowledge.rows import (
    change_fact,
    current_values,
    facts_by_id,
    replaced_facts,
    typed_ids,
)
from recollect.knowledge.storing import close_older, settle_by_hand, whose
from recollect.store.engine import Transaction


def fact_tenants(tx: Transaction) -> list[str]:
    """Return the tenants that have facts."""
    return typed_ids(tx.all("SELECT DISTINCT tenant FROM facts ORDER BY tenant"))


def realign_facts(tx: Transaction, tenant: str, owner: Owner, at: int) -> None:
    """Reopen what made way for another person's fact, and close older values of one person.

    Args:
        tx: A write transaction, in which facts follow their links.
        tenant: The tenant.
        owner: The owner of the agent, and who is one person now.
        at: The time of the change, ms UTC.
    """
    replaced, scope = replaced_facts(tx, tenant), Scope(tenant=tenant)
    ids = sorted({each.replaced_by for each in replaced if each.replaced_by is not None})
    newer = {each.id: each for each in facts_by_id(tx, scope, ids, deleted=True)}
    for older in replaced:
        follower = newer.get(older.replaced_by or "")
        if follower is not None and whose(follower, owner)[0] != whose(older, owner)[0]:
            back = {"status": "current", "replaced_by": None, "valid_to": None}
            change_fact(tx, older, "restored", at, **back)
    values: defaultdict[tuple[Any, ...], list[Fact]] = defaultdict(list)
    for fact in current_values(tx, tenant):
        project = fact.project if fact.subject == "project" else None
        key = (fact.slot, fact.subject, fact.name, project, whose(fact, owner))
        values[key].append(fact)
    for alike in values.values():
        newest = max(alike, key=lambda each: (each.valid_from, each.id))
        if len(alike) < 2 or not has_only_value(statement_of(newest.text)):
            continue
        close = close_older if newest.made_by == BY_HAND else settle_by_hand
        close(tx, newest, owner, at)
