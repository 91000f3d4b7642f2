"""What goes of the facts by itself: those that faded are archived; what a limit may remove."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import LiteralString

import msgspec

from recollect.core.clock import DAY_MS
from recollect.core.scope import Scope
from recollect.knowledge.decay import GRACE_DAYS, Formula, faded, never_fades
from recollect.knowledge.fact import Fact
from recollect.knowledge.rows import change_fact, facts_by_id, of_facts, typed_ids
from recollect.store.engine import Database, Transaction

_AT_ONCE = 200
"""Facts that one transaction archives."""
_UNUSED: LiteralString = "SELECT f.id FROM facts f WHERE "
_MAY_FADE: LiteralString = (
    " AND f.status = 'current' AND f.is_pinned = 0 AND f.slot IS NULL ORDER BY f.id"
)


def archive_faded(
    records: Database,
    scope: Scope,
    now: int,
    formula: Formula,
    *,
    dry_run: bool = False,
    stopping: Callable[[], bool] = lambda: False,
) -> list[Fact]:
    """Archive the facts of a scope that faded; return them as they were.

    What is left after ``stopping`` fades the next time, no less and no more.

    Args:
        records: ``records.db``.
        scope: The owner of the facts.
        now: Ms UTC.
        formula: As the setting ``knowledge.decay``.
        dry_run: Only return what would be archived.
        stopping: Asked between two transactions.

    Raises:
        StoreError: the records refused; what was archived so far is.
    """
    if formula == "none":
        return []
    where = of_facts(scope).also("f.accessed_at < ?", now - int(GRACE_DAYS * DAY_MS))
    sql: LiteralString = _UNUSED + where.sql + _MAY_FADE
    unused = typed_ids(records.read(lambda tx: tx.all(sql, where.params)))
    facts: list[Fact] = []
    for start in range(0, len(unused), _AT_ONCE):
        if stopping():
            break
        ids = unused[start : start + _AT_ONCE]
        batch = faded(records.read(partial(facts_by_id, scope=scope, ids=ids)), now, formula)
        if batch and not dry_run:
            records.write(partial(_archive, scope=scope, ids=[f.id for f in batch], now=now))
        facts += batch
    return facts


def may_go(fact: Fact) -> bool:
    """Return whether a limit of retention may remove a fact: what never fades stays.

    Of what has values only the current one never fades.
    """
    is_old = fact.status != "current"
    return not never_fades(msgspec.structs.replace(fact, slot=None) if is_old else fact)


def _archive(tx: Transaction, scope: Scope, ids: list[str], now: int) -> None:
    for fact in facts_by_id(tx, scope, ids):
        if fact.status == "current":
            change_fact(tx, fact, "archived", now, status="archived")
