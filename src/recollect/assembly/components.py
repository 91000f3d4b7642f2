"""Everything a memory is made of, put together.

Nothing else decides which implementation is used.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from recollect.assembly.indexes import HomeIndexes, make_index
from recollect.assembly.resources import OpenOptions, Resources, open_resources
from recollect.assembly.sources import (
    LateNotes,
    extra_paths,
    followed_transcripts,
    memory_files,
    own_calls,
    reading,
    search_backend,
)
from recollect.core.clock import to_datetime
from recollect.core.errors import InvalidInput, RecollectError
from recollect.index.index import Index
from recollect.index.model.locks import IndexLocks
from recollect.recall.healing import healer, is_damaged
from recollect.recall.maintenance import Arrivals, Kept, Maintenance, worker_lock
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.record.tombstone import has_unfinished_erasure
from recollect.store.locks import TicketQueue
from recollect.store.meta import REDACTION_SALT, persisted_random
from recollect.store.sqlite.home import BLOBS
from recollect.store.streams import EventStream
from recollect.store.usage_ledger import UsageLedger

if TYPE_CHECKING:  # imported where they are asked for: an opening takes 40 ms less
    from recollect.core.scope import Scope
    from recollect.governance.backup import BackupOrder, OnBackup
    from recollect.governance.erasure import Eraser
    from recollect.governance.removal import Copies
    from recollect.governance.retention import Retention
    from recollect.index.build.preview import Preview
    from recollect.index.query.hit import SearchResult
    from recollect.index.query.search_service import SearchOptions
    from recollect.observations.observations import Observations
    from recollect.recall.audience import Asking
    from recollect.recall.context.contexts import ContextParts, Contexts, Search
    from recollect.recall.search_port import SearchBackend
    from recollect.recall.status import Reported
    from recollect.sessions.sessions import Sessions
    from recollect.workspace.reading import MemoryReader


class Components(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a memory is made of."""

    resources: Resources
    index: Index
    reading: MemoryReader | None
    notes: LateNotes
    search_backend: SearchBackend | None
    mirror: TranscriptMirror | None
    maintenance: Maintenance
    sessions: Callable[[], Sessions]
    observations: Callable[[], Observations]
    contexts: Callable[[Search], Contexts]
    events: EventStream
    retention: Callable[[], Retention]
    eraser: Callable[[], Eraser]

    def refresh_backend(self) -> str | None:
        """Let another back end than the index read its files again; return why it could not."""
        return None if self.search_backend is None else self.search_backend.refresh()

    def within_budget(self, found: Preview) -> Preview:
        """Return a preview with what is left of the tokens of today."""
        limit = self.resources.resolved.settings.embedding.remote.daily_tokens
        if not (found.is_paid and limit):
            return found
        today = to_datetime(self.resources.clock.now_ms()).date().isoformat()
        left = max(0, limit - UsageLedger(self.resources.records).spent(today))
        return msgspec.structs.replace(found, tokens_left_today=left)

    def backup_order(
        self, secrets: bool, workspace: bool, on_progress: OnBackup | None
    ) -> BackupOrder:
        """Return what is backed up, with mirrors that are up to date; see `Memory.backup`."""
        from recollect.governance.backup import BackupOrder, ignore_progress

        base = self.resources
        if workspace and base.workspace is None:
            raise InvalidInput("this memory has no workspace", hint="give one with --workspace")
        if self.mirror is not None:
            self.mirror.flush()
        return BackupOrder(
            home=base.home,
            secrets=secrets,
            workspace=base.workspace if workspace else None,
            redactor=base.redactor,
            on_progress=on_progress or ignore_progress,
        )

    def named(
        self,
        result: SearchResult,
        query: str,
        seen: Scope,
        options: SearchOptions,
        asking: Asking | None,
    ) -> SearchResult:
        """Return what was found behind the record that the question names; see `Named`."""
        from recollect.recall.named import Named

        named = Named(
            sessions=self.sessions,
            observations=self.observations,
            scope=seen,
            options=options,
            asking=asking,
        )
        return named.first(result, query)

    def close(self) -> None:
        """Finish writing and let go of the files. A second call does nothing."""
        base = self.resources
        self.maintenance.close()
        language = base.language.model if base.language is not None else None
        closing = (
            self.search_backend, self.mirror, base.choice.embedder, base.choice.fallback, language,
            self.index.near, self.events, base.index_database, base.records,
        )  # fmt: skip
        for part in closing:
            if part is not None:
                part.close()

    def reported(self) -> Reported:
        """Return what a status tells of."""
        from recollect.recall.status import Reported

        base = self.resources
        return Reported(
            home=base.home,
            warning=base.warning,
            workspace=base.workspace,
            extra=tuple(extra_paths(base)),
            settings=base.resolved.settings,
            clock=base.clock,
            records=base.records,
            index_database=base.index_database,
            index=self.index,
            choice=base.choice,
            language=base.language,
            search_backend=self.search_backend,
            mirror=self.mirror,
            maintenance=self.maintenance,
            events=self.events,
        )


def assemble(order: OpenOptions) -> Components:
    """Build the parts of a memory; its home is made when it is missing.

    Raises:
        ConfigError: a setting is wrong.
        InvalidInput: no package brings the model or back end that the settings name.
        NotFound: the workspace is not a folder.
        ProviderError: a model or back end cannot be imported.
        StoreError: a database cannot be opened.
    """
    resources = open_resources(order)
    try:
        parts = _assemble(resources)
        if resources.records.read(has_unfinished_erasure):
            with suppress(RecollectError):  # the next opening tries again
                parts.eraser().finish()
    except RecollectError:
        resources.index_database.close()
        resources.records.close()
        raise
    return parts


def _assemble(resources: Resources) -> Components:
    settings, clock = resources.resolved.settings, resources.clock
    files = memory_files(resources)
    locks = IndexLocks(resources.index_home, clock)
    notes = LateNotes(resources)
    index = make_index(resources, files, notes, locks)
    if resources.warning:
        index.tell_once(resources.warning)
    mirror = (
        TranscriptMirror(resources.home, resources.records) if settings.sessions.mirror else None
    )
    if mirror is not None:
        mirror.catch_up()
    retention = functools.cache(lambda: _retention(resources, index, mirror))
    kept = Kept(
        index=index,
        lock=worker_lock(resources.index_home, files, resources.scope, clock),
        sync_lock=locks.sync,
        files=files,
        followed=followed_transcripts(resources, mirror),
        is_live=resources.order.live,
        heal=healer(
            resources.records,
            resources.index_database,
            index,
            lambda: is_damaged(resources.index_home, settings.store, clock),
        ),
        daily=lambda stopping: retention().prune_daily(stopping),
    )
    maintenance = Maintenance(kept, settings.sync, clock)
    sessions = functools.cache(lambda: _sessions(resources, mirror, maintenance))
    return Components(
        resources=resources,
        index=index,
        reading=reading(resources, files),
        notes=notes,
        search_backend=search_backend(resources, files, index),
        mirror=mirror,
        maintenance=maintenance,
        sessions=sessions,
        observations=functools.cache(lambda: _observations(resources, sessions, maintenance)),
        contexts=_contexts(resources, sessions),
        events=EventStream(resources.records, resources.scope),
        retention=retention,
        eraser=functools.cache(lambda: _eraser(resources, index, mirror)),
    )


def _retention(resources: Resources, index: Index, mirror: TranscriptMirror | None) -> Retention:
    from recollect.governance.episode import EpisodeWriter
    from recollect.governance.retention import Retention

    settings, clock = resources.resolved.settings.sessions, resources.clock
    caps, copies = settings.retention, _copies_of(resources, index, mirror)
    episodes = EpisodeWriter(resources.records, clock, resources.ids, caps.episode_tokens)
    return Retention(copies, caps, resources.scope, episodes=episodes, clock=clock)


def _copies_of(resources: Resources, index: Index, mirror: TranscriptMirror | None) -> Copies:
    from recollect.governance.removal import Copies, copies_elsewhere
    from recollect.store.blobs import Blobs

    return Copies(
        records=resources.records,
        index_database=resources.index_database,
        blobs=Blobs(resources.home / BLOBS),
        mirror=mirror or TranscriptMirror(resources.home, resources.records),
        is_mirrored=mirror is not None,
        catch_up=index.catch_up,
        elsewhere=lambda: copies_elsewhere(resources.home, resources.index_home),
    )


def _eraser(resources: Resources, index: Index, mirror: TranscriptMirror | None) -> Eraser:
    from recollect.governance.erasure import Eraser

    return Eraser(
        resources.home,
        _copies_of(resources, index, mirror),
        resources.scope,
        clock=resources.clock,
        ids=resources.ids,
        indexes=HomeIndexes(resources, index),
    )


def _sessions(
    resources: Resources, mirror: TranscriptMirror | None, maintenance: Maintenance
) -> Sessions:
    from recollect.sessions.context.summary import WindowParts, with_model
    from recollect.sessions.policy.conversation import TURNS
    from recollect.sessions.record.access import SessionAccess
    from recollect.sessions.record.draft import DraftMaker
    from recollect.sessions.sessions import Sessions

    settings, language = resources.resolved.settings.sessions, resources.language
    parts = WindowParts(
        workspace=resources.workspace,
        home=resources.home,
        count=resources.order.count_tokens,
        owner=resources.owner,
    )
    return Sessions(
        SessionAccess(
            database=resources.records,
            clock=resources.clock,
            ids=resources.ids,
            settings=settings,
            drafts=DraftMaker(
                resources.clock,
                resources.ids,
                resources.redactor,
                own_calls(resources).includes,
            ),
            mirror=Arrivals(mirror, maintenance),
            scope=resources.scope,
        ),
        opened=maintenance.session_started,
        window=with_model(parts, language.model if language is not None else None),
        turns=TicketQueue(resources.home / TURNS),
    )


def _observations(
    resources: Resources, sessions: Callable[[], Sessions], maintenance: Maintenance
) -> Observations:
    from recollect.observations.draft import ObservationDrafts
    from recollect.observations.observations import ObservationParts, Observations
    from recollect.recall.hearer import group_at, hearer_of
    from recollect.store.blobs import Blobs

    shared = resources.resolved.settings.observations.shared
    return Observations(
        ObservationParts(
            database=resources.records,
            blobs=Blobs(resources.home / BLOBS),
            clock=resources.clock,
            drafts=ObservationDrafts(resources.clock, resources.ids, resources.redactor),
            hearing=lambda session, sender: hearer_of(sessions, session, sender, shared=shared),
            is_owners=lambda place: group_at(place, resources.owner).is_owners,
            own_calls=own_calls(resources),
            arrived=Arrivals(None, maintenance).notify,
            scope=resources.scope,
        )
    )


def _contexts(
    resources: Resources, sessions: Callable[[], Sessions]
) -> Callable[[Search], Contexts]:
    """Return what makes a `Contexts`; the memory's own search must not keep the memory alive."""

    @functools.cache
    def parts() -> ContextParts:
        from recollect.recall.context.contexts import ContextParts
        from recollect.sessions.context.size import Sizer

        settings = resources.resolved.settings
        return ContextParts(
            database=resources.records,
            clock=resources.clock,
            ids=resources.ids,
            sessions=sessions,
            settings=settings.context,
            shared=settings.observations.shared,
            scope=resources.scope,
            sizer=Sizer(resources.order.count_tokens),
            secret=bytes.fromhex(persisted_random(resources.records, REDACTION_SALT)),
            paths=lambda path: (path,),
        )

    def made(search: Search) -> Contexts:
        from recollect.recall.context.contexts import Contexts

        return Contexts(parts(), search)

    return made
