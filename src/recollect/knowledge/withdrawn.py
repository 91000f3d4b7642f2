"""Facts that made way for one that a rewind hides: they count until it is back."""

from __future__ import annotations

from typing import LiteralString

from recollect.core.scope import Scope
from recollect.knowledge.fact import Fact
from recollect.knowledge.rows import change_fact, facts_by_id
from recollect.knowledge.storing import reopen
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction
from recollect.store.withdrawn import is_record_out

_REPLACED: LiteralString = """
    SELECT h.operation_id, f.id, f.replaced_by FROM withdrawn_records h
    JOIN facts f ON f.replaced_by = h.ref AND f.status = 'replaced'
    WHERE h.kind = 'fact' AND f.tenant = ? ORDER BY f.id
"""
_NOTE: LiteralString = """
    INSERT INTO withdrawn_records (kind, ref, operation_id, session_id, was)
    SELECT 'reopened', ?, ?, session_id, ? FROM withdrawn_records WHERE kind = 'fact' AND ref = ?
    ON CONFLICT DO NOTHING
"""
_BACK: LiteralString = f"""
    SELECT r.ref, r.was FROM withdrawn_records r JOIN facts f ON f.id = r.ref AND f.tenant = ?
    WHERE r.kind = 'reopened' AND NOT {is_record_out("fact", "r.was")} ORDER BY r.ref
"""  # noqa: S608  # literals
_FORGET: LiteralString = "DELETE FROM withdrawn_records WHERE kind = 'reopened' AND ref = ?"


def follow_withdrawals(tx: Transaction, tenant: str, at: int) -> None:
    """Reopen what hidden facts replaced, and replace it again by those that are back.

    Args:
        tx: A write transaction, in which facts follow their links.
        tenant: The tenant.
        at: The time of the change, ms UTC.
    """
    rows = typed_rows(tx.all(_REPLACED, (tenant,)), tuple[str, str, str])
    for operation, older, newer in rows:
        tx.execute(_NOTE, (older, operation, newer, newer))
    scope = Scope(tenant=tenant)
    hidden = sorted({newer for _, _, newer in rows})
    reopen(tx, facts_by_id(tx, scope, hidden, deleted=True) if hidden else [], at)
    for older, newer in typed_rows(tx.all(_BACK, (tenant,)), tuple[str, str]):
        tx.execute(_FORGET, (older,))
        pair = {each.id: each for each in facts_by_id(tx, scope, [older, newer], deleted=True)}
        if newer in pair and pair[older].status == "current":
            _replace(tx, pair[older], pair[newer], at)


def _replace(tx: Transaction, older: Fact, newer: Fact, at: int) -> None:
    closed = {"status": "replaced", "replaced_by": newer.id, "valid_to": newer.valid_from}
    change_fact(tx, older, "replaced", at, **closed)
