"""Retention: removes what is above the caps of `sessions.retention`, on request or once a day."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import LiteralString, TypeAlias

import msgspec
from msgspec import structs

from recollect.checkpoints.record.removal import (
    checkpoints_of_sessions,
    clear_incoming,
    collect,
    let_go,
)
from recollect.core.clock import DAY_MS, Clock
from recollect.core.errors import StoreCorrupt
from recollect.core.scope import Scope
from recollect.core.settings import RecordLimits
from recollect.core.settings.sessions import RetentionSettings
from recollect.governance.plan import (
    PruneReport,
    RemovalPlan,
    SessionRemoval,
    make_plan,
    report_of,
)
from recollect.governance.record_limits import (
    CHECKPOINTS,
    Capped,
    Stores,
    amount_of,
    excess,
    remove,
)
from recollect.governance.removal import begin, finish_all
from recollect.governance.sweep import Copies, is_unswept, mark_unswept, sweep
from recollect.observations.blobs import remove_unused
from recollect.sessions.context.episode_writer import EpisodeWriter
from recollect.sessions.record.session import find_session
from recollect.store.columns import text
from recollect.store.engine import Database, Transaction
from recollect.store.recognised import drop_idle

LARGEST_BYTES = 400_000_000
"""A larger database is not rewritten in the background: writers would wait for more than some
four seconds, and those of other processes give up after ten."""
_LAST = "retention.last_at"
"""In ``meta``, followed by the owner: when the background last pruned, ms UTC."""
_READ: LiteralString = "SELECT value FROM meta WHERE key = ?"
_WRITE: LiteralString = """
    INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = ?
"""

Stopping: TypeAlias = Callable[[], bool]


class PruneProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a prune: finished sessions, of all in the plan."""

    done: int
    total: int


OnPrune: TypeAlias = Callable[[PruneProgress], object]


class Retention:
    """Keeps a home within its caps.

    Args:
        copies: The records, and the stores that copy them.
        caps: The section ``sessions.retention``.
        scope: Of the sessions that count.
        episodes: Writes the summaries that are kept.
        clock: The time.
        limits: The section ``retention``, by kind.
    """

    def __init__(
        self,
        copies: Copies,
        caps: RetentionSettings,
        scope: Scope,
        *,
        episodes: EpisodeWriter,
        clock: Clock,
        limits: dict[str, RecordLimits] | None = None,
    ) -> None:
        self._copies = copies
        self._records: Database = copies.records
        self._caps = caps
        self._scope = scope
        self._episodes = episodes
        self._clock = clock
        self._limits = limits or {}
        self._looked_at = 0
        owner = (scope.tenant, scope.agent, scope.user, scope.project, scope.session)
        self._last = f"{_LAST} {hashlib.sha256(repr(owner).encode()).hexdigest()[:12]}"

    def preview(self) -> PruneReport:
        """Return the report that `prune` would give now; nothing is changed.

        Raises:
            StoreError: the records cannot be read.
        """
        now = self._clock.now_ms()
        plan = self._plan(now)
        records = {name: amount_of(excess) for name, excess in self._excess(now).items()}
        report = report_of(plan, plan.removals, at=now, dry_run=True)
        return structs.replace(report, records=records)

    def prune(
        self, on_progress: OnPrune | None = None, stopping: Stopping = lambda: False
    ) -> PruneReport:
        """Remove what is above the caps, and finish earlier runs.

        Args:
            on_progress: Called after each session.
            stopping: Called often; after True the rest is left for the next time.

        Raises:
            StoreError: the records refused; what was removed so far stays removed.
        """
        return self._prune(on_progress, stopping, None)

    def _prune(
        self, on_progress: OnPrune | None, stopping: Stopping, most_bytes: int | None
    ) -> PruneReport:
        now = self._clock.now_ms()
        finish_all(self._records, self._clock, stopping)
        plan = self._plan(now)
        removals: list[SessionRemoval] = []
        for position, removal in enumerate(plan.removals):
            if stopping():
                break
            if self._remove(removal):
                removals.append(removal)
            if on_progress is not None:
                on_progress(PruneProgress(done=position + 1, total=len(plan.removals)))
        finish_all(self._records, self._clock, stopping)
        excess = self._excess(now)
        self._let_go([text(each.key) for each in excess.get(CHECKPOINTS, ())])
        records = remove(self._records, self._scope, excess, now, stopping)
        remove_unused(self._records, self._copies.blobs)
        self._collect(now)
        warnings = () if stopping() else sweep(self._copies, most_bytes=most_bytes)
        report = report_of(plan, removals, at=now, dry_run=False)
        is_clean = not self._records.read(is_unswept)
        return structs.replace(
            report, is_clean=is_clean and not warnings, warnings=warnings, records=records
        )

    def prune_daily(self, stopping: Stopping = lambda: False) -> PruneReport | None:
        """Prune if the last time was a day ago and there is a cap, or something is unfinished.

        Secrets remembered for idle sessions are forgotten in any case.

        Cheap to call: the records are read once a day as well.
        """
        now = self._clock.now_ms()
        if now < self._looked_at + DAY_MS:
            return None
        drop_idle(self._records, now)
        if not self._records.read(lambda tx: self._is_due(tx, now)):
            self._looked_at = now
            return None
        report = self._prune(None, stopping, LARGEST_BYTES)
        if not stopping():
            self._looked_at = now
            value = str(now)
            self._records.write(lambda tx: tx.execute(_WRITE, (self._last, value, value)))
        return report

    def _plan(self, now: int) -> RemovalPlan:
        return self._records.read(lambda tx: make_plan(tx, self._scope, self._caps, now))

    def _excess(self, now: int) -> dict[str, list[Capped]]:
        copies = self._copies
        stores = Stores(blobs=copies.blobs, contents=copies.contents, clock=self._clock)
        return self._records.read(lambda tx: excess(tx, self._scope, stores, self._limits, now))

    def _let_go(self, checkpoint_ids: Sequence[str]) -> None:
        with suppress(StoreCorrupt):  # then the sweep says so
            contents = self._copies.contents() if checkpoint_ids else None
            if contents is not None:
                let_go(self._records, contents, checkpoint_ids, self._clock)

    def _collect(self, now: int) -> None:
        """Remove contents of files that no checkpoint came to name."""
        try:
            contents = self._copies.contents()
            is_left = contents is not None and collect(self._records, contents, self._clock) > 0
        except StoreCorrupt:
            is_left = True
        if is_left:
            self._records.write(mark_unswept)
        incoming, limits = self._copies.incoming, self._limits.get(CHECKPOINTS)
        if incoming is not None and limits is not None and limits.days:
            clear_incoming(incoming, now - limits.days * DAY_MS)

    def _is_due(self, tx: Transaction, now: int) -> bool:
        if is_unswept(tx):
            return True
        caps = self._caps
        row = tx.row(_READ, (self._last,))
        last = int(text(row[0])) if row else 0
        limits = [limit for each in self._limits.values() for limit in structs.astuple(each)]
        is_capped = any((caps.days, caps.max_sessions, caps.max_messages, *limits))
        return is_capped and now >= last + DAY_MS

    def _remove(self, removal: SessionRemoval) -> bool:
        session = self._records.read(lambda tx: find_session(tx, self._scope, removal.session_id))
        if session is None:
            return False
        if removal.is_whole:
            self._let_go(self._records.read(lambda tx: checkpoints_of_sessions(tx, [session.id])))
        episodes = self._episodes.write(session, removal.through_seq)
        now = self._clock.now_ms()
        return self._records.write(lambda tx: begin(tx, removal, session, episodes, now))
