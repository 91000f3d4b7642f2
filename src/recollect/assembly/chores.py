"""The background work beside indexing, for all rows that an index covers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, LiteralString

import msgspec

from recollect.assembly.resources import Resources, own_index_of
from recollect.core.scope import Scope, ScopeWithout
from recollect.index.index import Index
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.store.columns import text
from recollect.store.engine import Transaction

if TYPE_CHECKING:  # imported on first use
    from recollect.governance.retention import Retention
    from recollect.sessions.sessions import Sessions

_TENANTS: LiteralString = """
    WITH RECURSIVE found (tenant) AS (
        SELECT min(tenant) FROM sessions
        UNION ALL
        SELECT (SELECT min(s.tenant) FROM sessions s WHERE s.tenant > found.tenant)
        FROM found WHERE found.tenant IS NOT NULL
    )
    SELECT tenant FROM found WHERE tenant IS NOT NULL
"""
"""One index look-up for each tenant: the sessions themselves are not read."""


class Chores:
    """Summarizes ended sessions, lets the model rewrite, and enforces caps, for every tenant.

    The rows of agents with settings of their own are left to the memories of those agents: only
    their caps and their model apply.

    Args:
        resources: Those of the memory.
        index: Its index.
        mirror: Its readable transcripts, if there are any.
        sessions: Returns its sessions.
    """

    def __init__(
        self,
        resources: Resources,
        index: Index,
        mirror: TranscriptMirror | None,
        sessions: Callable[[], Sessions],
    ) -> None:
        self._resources = resources
        self._index = index
        self._mirror = mirror
        self._sessions = sessions
        self._retentions: dict[Scope, Retention] = {}

    def run(self, stopping: Callable[[], bool]) -> None:
        """Do what is due; what is left after `stopping` is due the next time."""
        from recollect.assembly.digests import digest_with

        language = self._resources.language
        for scope in self._scopes():
            if stopping():
                return
            resources = msgspec.structs.replace(self._resources, scope=scope)
            self._sessions().within(scope).finish_endings()
            if language is not None and language.model is not None:
                digest_with(resources, language.model, stopping)
            self._retention(resources).prune_daily(stopping)

    def _scopes(self) -> list[Scope]:
        """Return the scopes whose rows are maintained."""
        base = self._resources
        tenants = dict.fromkeys((base.scope.tenant, *base.records.read(_tenants)))
        agent = own_index_of(base.resolved, base.scope)
        if agent is not None:
            return [Scope(tenant=each, agent=agent) for each in tenants]
        left_out = tuple(base.resolved.agents)
        return [ScopeWithout(tenant=each, agents_left_out=left_out) for each in tenants]

    def _retention(self, resources: Resources) -> Retention:
        from recollect.assembly.removal import retention_of

        known = self._retentions.get(resources.scope)
        if known is None:
            known = retention_of(resources, self._index, self._mirror)
            self._retentions[resources.scope] = known
        return known


def _tenants(tx: Transaction) -> list[str]:
    return [text(row[0]) for row in tx.rows(_TENANTS)]
