"""The audit: actions with the rights of an operator, done or refused, and their actors.

An entry has ids and names, never content. Only retention removes one.
"""

from __future__ import annotations

from typing import Literal, LiteralString, TypeAlias

import msgspec

from recollect.core.actor import ACTOR
from recollect.core.checks import check_count, checked
from recollect.core.clock import Clock
from recollect.core.scope import Scope
from recollect.store.columns import Condition, decode
from recollect.store.engine import Database, Transaction
from recollect.store.twins import compared_rows

Outcome: TypeAlias = Literal["done", "refused"]
DONE: Outcome = "done"
REFUSED: Outcome = "refused"

_WRITE: LiteralString = """
    INSERT INTO audit (tenant, agent, user_id, project, actor, action, outcome, target, at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_COLUMNS: LiteralString = "seq, tenant, agent, project, actor, action, outcome, target, at"
_FROM: LiteralString = "FROM audit INDEXED BY audit_twin"
_RECENT: LiteralString = """
    SELECT 1 FROM audit
    WHERE tenant = ? AND actor IS ? AND action = ? AND outcome = 'refused' AND at > ?
    ORDER BY seq DESC LIMIT 1
"""
_REFUSED_EVERY_MS = 60_000
"""How often a token that repeats a forbidden request gets an entry."""
_LATEST: LiteralString = " ORDER BY seq DESC LIMIT ?"


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An action that was done or refused.

    Attributes:
        seq: Ascends with time.
        actor: The name of the token; None for a user of the home's files.
        action: Such as ``token.add``, ``erase`` or ``export``.
        outcome: ``done`` or ``refused``.
        target: The id or name of its target, if it has one.
        at: Ms UTC.
        tenant: Owner.
        agent: Owner.
        project: Owner.
    """

    seq: int
    tenant: str
    agent: str | None
    project: str | None
    actor: str | None
    action: str
    outcome: str
    target: str | None
    at: int


def record_audit(
    tx: Transaction,
    scope: Scope,
    action: str,
    at: int,
    *,
    target: str | None = None,
    outcome: str = DONE,
) -> None:
    """Write an entry; it names the token of the request that the transaction serves.

    Args:
        tx: The transaction of the action.
        scope: Its owner.
        action: The action; a word of ours.
        at: When, ms UTC.
        target: An id or a name of ours, never a user's text.
        outcome: ``done`` or ``refused``.
    """
    owner = (scope.tenant, scope.agent, scope.user, scope.project)
    tx.execute(_WRITE, (*owner, tx.actor, action, outcome, target, at))


@checked
class Audit:
    """Writes and reads the audit; `memory.audit` is one of these objects.

    Args:
        records: ``records.db``.
        clock: Tells the time.
        scope: Whose entries are written; only its entries are read, and those of the whole home
            where nothing narrows it.
    """

    def __init__(self, records: Database, clock: Clock, scope: Scope) -> None:
        self._records = records
        self._clock = clock
        self._scope = scope

    def record(self, action: str, *, target: str | None = None, outcome: Outcome = DONE) -> None:
        """Write an entry of what was done, or refused; see `record_audit`.

        Raises:
            StoreError: it could not be written.
        """
        now, scope = self._clock.now_ms(), self._scope
        self._records.write(
            lambda tx: record_audit(tx, scope, action, now, target=target, outcome=outcome)
        )

    def refused(self, action: str) -> None:
        """Write an entry of what was refused to the token in play, at most once a minute.

        Raises:
            StoreError: it could not be written.
        """
        now, actor = self._clock.now_ms(), ACTOR.get()
        params = (self._scope.tenant, actor, action, now - _REFUSED_EVERY_MS)
        if self._records.read(lambda tx: tx.row(_RECENT, params)) is None:
            self.record(action, outcome=REFUSED)

    def latest(
        self,
        limit: int = 50,
        *,
        tenant: str | None = None,
        before_seq: int | None = None,
        action: str | None = None,
        actor: str | None = None,
        outcome: Outcome | None = None,
    ) -> list[AuditEntry]:
        """Return the newest entries, up to ``limit``, oldest first.

        Args:
            limit: How many.
            tenant: Only of this tenant.
            before_seq: Only older ones than this.
            action: Only of this action, ``token.add``, or of all below it, ``token``.
            actor: Only of this token.
            outcome: Only ``done`` or ``refused`` ones.

        Raises:
            InvalidInput: the limit is below 0.
            StoreError: the database cannot be read.
        """
        check_count(limit, "a limit")
        where = Condition(self._scope)
        if self._scope == Scope():
            where.sql, where.params = "true", []
        where.equal("tenant", tenant).equal("actor", actor).equal("outcome", outcome)
        if before_seq is not None:
            where.also("seq < ?", before_seq)
        if action is not None:
            where.also("instr(action || '.', ?) = 1", f"{action}.")
        of: LiteralString = _FROM + " WHERE " + where.sql + _LATEST
        rows = self._records.read(
            lambda tx: compared_rows(tx, _COLUMNS, of, [*where.params, limit])
        )
        names = AuditEntry.__struct_fields__
        return [decode(AuditEntry, names, row) for row in reversed(rows)]
