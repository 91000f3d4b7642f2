"""The erasure of single facts: rows, history and copies go; what says them stays."""

from __future__ import annotations

import msgspec

from recollect.core.events import FactsErased
from recollect.core.scope import Scope
from recollect.governance.removal import NOTE_ERASURE
from recollect.governance.sweep import mark_unswept
from recollect.knowledge.erased import remove_facts
from recollect.knowledge.fact import Fact
from recollect.knowledge.rows import require_fact
from recollect.knowledge.storing import origins_of
from recollect.sessions.record.tombstone import bury
from recollect.store.engine import Transaction
from recollect.store.journal import record_event


def begin_fact_erasure(tx: Transaction, scope: Scope, name: str, erasure_id: str, now: int) -> Fact:
    """Remove a fact, and keep it from coming back; its copies go when the erasure is finished.

    Raises:
        NotFound: the scope has no such fact.
    """
    fact = require_fact(tx, scope, name)
    encoded = msgspec.json.encode([fact.id]).decode()
    tx.execute(NOTE_ERASURE, (erasure_id, fact.tenant, '{"facts":1}', encoded, now))
    mark_unswept(tx)
    bury(tx, erasure_id, fact.tenant, origins_of(tx, fact))
    remove_facts(tx, fact.tenant, [fact.id], now)
    event = FactsErased(scope=Scope(tenant=fact.tenant), at=now, erasure_id=erasure_id, facts=1)
    record_event(tx, event)
    return fact
