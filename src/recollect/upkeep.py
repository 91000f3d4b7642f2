"""What is derived and removed for all rows that an index covers: summaries, caps, copies elsewhere.

The background does it once a day, erasing and scrubbing do the rest on request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, LiteralString

import msgspec

from recollect.audience.visibility import group_of_turn
from recollect.core.clock import DAY_MS
from recollect.core.scope import Scope, ScopeWithout
from recollect.governance.retention import Retention
from recollect.governance.sweep import Copies, clear_index, copies_elsewhere
from recollect.governance.use_preview import UsePreview, preview_uses
from recollect.index.model.document import DocumentSource
from recollect.knowledge.fading import archive_faded
from recollect.models.prices import Price, language_price
from recollect.observations.deeds import deeds_of
from recollect.sessions.context.episode_writer import EpisodeWriter
from recollect.sessions.sessions import Sessions
from recollect.store.blobs import Blobs
from recollect.store.columns import text
from recollect.store.engine import Transaction
from recollect.store.sqlite.copies import remove_copy
from recollect.store.sqlite.home import AGENTS, BLOBS, CHECKPOINTS, INCOMING, INDEX_FILE

if TYPE_CHECKING:
    from recollect.home_index import HomeIndex

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

    The rows of agents with settings of their own are left to the indexes of those agents: only
    their caps and their model apply.

    Args:
        opened: The index whose rows they are.
    """

    def __init__(self, opened: HomeIndex) -> None:
        self._opened = opened
        self._kept: dict[Scope, tuple[Sessions, Retention]] = {}
        """By scope, since it looks after every sync whether something is due."""
        self._faded_at: dict[Scope, int] = {}
        """When facts faded last, by scope, ms UTC."""

    def run(self, stopping: Callable[[], bool]) -> None:
        """Do what is due; what is left after `stopping` is due the next time."""
        opened = self._opened
        for scope in self._scopes():
            if stopping():
                return
            if scope not in self._kept:
                sessions = opened.own_rooms.sessions.within(scope)
                self._kept[scope] = sessions, retention_of(opened, scope)
            sessions, retention = self._kept[scope]
            sessions.note_idle()
            sessions.finish_endings()
            digest(opened, scope, stopping)
            retention.prune_daily(stopping)
            self._fade(scope, stopping)

    def _fade(self, scope: Scope, stopping: Callable[[], bool]) -> None:
        """Archive the facts that faded, once a day."""
        opened, now = self._opened, self._opened.home.clock.now_ms()
        if now >= self._faded_at.get(scope, 0) + DAY_MS and not opened.home.records.is_read_only:
            formula = opened.settings.knowledge.decay
            archive_faded(opened.home.records, scope, now, formula, stopping=stopping)
            self._faded_at[scope] = now

    def _scopes(self) -> list[Scope]:
        """Return the scopes whose rows are maintained."""
        opened = self._opened
        tenants = dict.fromkeys((opened.scope.tenant, *opened.home.records.read(_tenants)))
        if opened.agent is not None:
            return [Scope(tenant=each, agent=opened.agent) for each in tenants]
        left_out = tuple(opened.resolved.agents)
        return [ScopeWithout(tenant=each, agents_left_out=left_out) for each in tenants]


def _tenants(tx: Transaction) -> list[str]:
    return [text(row[0]) for row in tx.rows(_TENANTS)]


def classify_again(opened: HomeIndex, stopping: Callable[[], bool]) -> int:
    """Make again what older rules made of observations; return how many changed.

    Of every tenant of the home: no setting of an index decides it.
    """
    from recollect.observations.reclassification import Reclassification

    home = opened.home
    if home.records.is_read_only:
        return 0
    again = Reclassification(home.records, Blobs(home.folder / BLOBS), home.clock)
    return sum(again.run(tenant, stopping) for tenant in home.records.read(_tenants))


def episode_writer(opened: HomeIndex) -> EpisodeWriter:
    """Return the writer of the summaries of sessions."""
    home, tokens = opened.home, opened.settings.sessions.retention.episode_tokens
    return EpisodeWriter(home.records, home.clock, home.ids, tokens, deeds_of)


def digest(opened: HomeIndex, scope: Scope, stopping: Callable[[], bool]) -> int:
    """Run the enabled uses of the language model, if any; return how many records it rewrote."""
    model, records, count = opened.model, opened.home.records, 0
    if model is None or records.is_read_only:
        return count
    clock, uses = opened.home.clock, opened.settings.language.uses
    redacted = str if opened.redactor is None else opened.redactor.text
    if "episodes" in uses:
        from recollect.sessions.context.episode_writer import EpisodeDigest

        writer = episode_writer(opened)
        episodes = EpisodeDigest(records, clock, writer, model, redacted=redacted, scope=scope)
        count += episodes.run(stopping)
    if "observations" in uses:
        from recollect.observations.digest import ObservationDigest

        count += ObservationDigest(
            records,
            clock,
            model,
            group_of=lambda turn: group_of_turn(turn, opened.owner).name,
            redacted=redacted,
            scope=scope,
        ).run(stopping)
    if "facts" in uses:
        from recollect.recall.statements.model_facts import ModelFacts

        count += ModelFacts(records, opened.people, clock, model, scope).run(stopping)
    return count


def preview_of(opened: HomeIndex, tenant: str) -> list[UsePreview]:
    """Return what each use of a language model takes in a day; see `Memory.preview_uses`."""
    settings, model = opened.settings, opened.model
    price: Price | None = None
    if model is not None:
        is_billed = model.is_remote
        price = language_price(model.name, settings.language) if is_billed else Price(0.0)
    return preview_uses(
        opened.home.records,
        tenant,
        settings.language,
        now_ms=opened.home.clock.now_ms(),
        episode_tokens=settings.sessions.retention.episode_tokens,
        price=price,
    )


def retention_of(opened: HomeIndex, scope: Scope) -> Retention:
    """Return the retention that keeps a scope within its caps."""
    kinds = opened.settings.retention
    return Retention(
        copies_of(opened),
        opened.settings.sessions.retention,
        scope,
        episodes=episode_writer(opened),
        clock=opened.home.clock,
        limits={name: getattr(kinds, name) for name in kinds.__struct_fields__},
    )


def copies_of(opened: HomeIndex) -> Copies:
    """Return where copies of what is removed from the records may be."""
    from recollect.home import mirror_of

    home = opened.home
    return Copies(
        records=home.records,
        clock=home.clock,
        index_database=opened.database,
        blobs=Blobs(home.folder / BLOBS),
        mirror=home.mirror or mirror_of(home.folder, home.records),
        is_mirrored=home.mirror is not None,
        catch_up=opened.index.catch_up,
        elsewhere=lambda: copies_elsewhere(home.folder, opened.folder),
        contents=home.contents_if_any,
        incoming=home.folder / CHECKPOINTS / INCOMING,
    )


def memory_paths(opened: HomeIndex) -> set[tuple[Path, str]]:
    """Return the existing memory files: folders, and the paths in them."""
    from recollect.workspace.memory_folder import MemoryFolder

    extra = opened.extra_paths(opened.scope)
    folder = MemoryFolder(opened.workspace, extra, redactor=None)
    return {(file.root, file.path) for file in folder.listing().files}


class EveryIndex:
    """The indexes of a home; implements `recollect.governance.erasure.Indexes`.

    Args:
        opened: The one that is open.
    """

    def __init__(self, opened: HomeIndex) -> None:
        self._opened = opened

    def drop(self, feed: DocumentSource) -> None:
        """Apply the removals of a source to every index."""
        self._opened.index.take(feed)
        for other in self._others():
            other.index.take(feed)

    def clear_others(self) -> Iterator[str]:
        """Let the others drop what was removed from the records; yield what failed."""
        for other in self._others():
            failed = clear_index(other.database, other.index.catch_up)
            if failed is not None:
                yield failed

    def _others(self) -> Iterator[HomeIndex]:
        """Yield each of the others, open until the next iteration.

        The index of an agent that no longer has settings is removed: it would never be opened
        again.
        """
        opened, folder = self._opened, self._opened.home.folder
        agents = {path.parent.name for path in (folder / AGENTS).glob(f"*/{INDEX_FILE}")}
        main = {None} if (folder / INDEX_FILE).exists() else set()
        for agent in (agents | main) - {opened.agent}:
            if agent is not None and agent not in opened.resolved.agents:
                remove_copy(folder / AGENTS / agent / INDEX_FILE)
                continue
            options = msgspec.structs.replace(opened.options, live=False)
            other = opened.home.open_other(agent, options)
            try:
                yield other
            finally:
                other.close()
