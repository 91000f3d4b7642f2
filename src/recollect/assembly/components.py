"""Everything a memory is made of, put together.

Nothing else decides which implementation is used.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from recollect.assembly.activity import context_parts, observation_parts
from recollect.assembly.indexes import HomeIndexes, make_index
from recollect.assembly.resources import OpenOptions, Resources, open_resources
from recollect.assembly.sources import (
    LateNotes,
    capture_controls,
    extra_paths,
    followed_transcripts,
    memory_files,
    memory_paths,
    reading,
    recalls,
    search_backend,
    transcript_importer,
)
from recollect.core.clock import to_datetime
from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.index.index import Index
from recollect.index.model.locks import IndexLocks
from recollect.recall.audience import asking_of, check_may_read, readable_paths
from recollect.recall.healing import healer, is_damaged
from recollect.recall.maintenance import Arrivals, Kept, Maintenance, Synced, worker_lock
from recollect.recall.ownership import lost_messages
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.record.tombstone import has_unfinished_erasure
from recollect.store.locks import TicketQueue
from recollect.store.sqlite.home import BLOBS, GUEST_NOTES
from recollect.store.streams import EventStream

if TYPE_CHECKING:  # imported where they are asked for: an opening takes 40 ms less
    from recollect.core.scope import Scope
    from recollect.governance.backup import BackupOrder, BackupReport, OnBackup
    from recollect.governance.erasure import Eraser, ErasureReceipt
    from recollect.governance.retention import Retention
    from recollect.governance.scrubbing import Scrubber
    from recollect.governance.sweep import Copies
    from recollect.governance.use_preview import UsePreview
    from recollect.index.build.preview import Preview
    from recollect.index.query.hit import SearchResult
    from recollect.index.query.search_service import SearchOptions
    from recollect.models.language.model import LanguageModel
    from recollect.observations.controls import CaptureControls
    from recollect.observations.observations import ObservationParts, Observations
    from recollect.recall.audience import Asking
    from recollect.recall.context.contexts import ContextParts, Contexts
    from recollect.recall.probe import EmbedderProbe
    from recollect.recall.search_port import SearchBackend
    from recollect.recall.status import Reported
    from recollect.recall.steps.details import Records
    from recollect.recall.steps.lines import IndexLines
    from recollect.recall.steps.timeline import ObservationRecall, Search
    from recollect.sessions.context.episode import Episode
    from recollect.sessions.context.episode_writer import EpisodeWriter
    from recollect.sessions.exchange.importer import TranscriptImporter
    from recollect.sessions.policy.visibility import VisibilityGroup
    from recollect.sessions.sessions import Sessions
    from recollect.workspace.reading import Extent, MemoryReader, ReadResult


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
    observation_parts: Callable[[], ObservationParts]
    context_parts: Callable[[], ContextParts]
    events: EventStream
    digest: Callable[[Callable[[], bool]], int] | None
    """Lets the language model rewrite what it is used for; None without one."""
    retention: Callable[[], Retention]
    scrubber: Callable[[], Scrubber]
    probe: Callable[[], EmbedderProbe]
    eraser: Callable[[], Eraser]
    capture: Callable[[], CaptureControls]
    importer: Callable[[], TranscriptImporter]

    def watch(self) -> Iterator[Synced]:
        """Yield what each sync in the background did; see `Memory.watch`."""
        if not (self.resources.order.live and self.resources.resolved.settings.sync.watch):
            hint = "set sync.watch to true, and open the memory with live=True"
            raise InvalidInput("this memory does not watch", hint=hint)
        return self.maintenance.watch()

    def backup(self, order: BackupOrder, path: Path, *, replace: bool) -> BackupReport:
        """Write the home into one file; see `Memory.backup`."""
        from recollect.governance.backup import back_up

        return back_up(order, self.resources.records, self.resources.clock, path, replace=replace)

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

    def preview(self, *, rebuild: bool) -> Preview:
        """Return what a sync would read, embed and cost; see `Memory.preview`."""
        from recollect.store.usage_ledger import UsageLedger

        found, base = self.index.preview(rebuild=rebuild), self.resources
        limit = base.resolved.settings.embedding.remote.daily_tokens
        if not (found.is_paid and limit):
            return found
        today = to_datetime(base.clock.now_ms()).date().isoformat()
        left = max(0, limit - UsageLedger(base.records).spent(today))
        return msgspec.structs.replace(found, tokens_left_today=left)

    def without_notes(self, receipt: ErasureReceipt) -> ErasureReceipt:
        """Return a receipt after another search back end let go of the notes that were erased."""
        backend = self.search_backend
        failure = backend.refresh() if backend is not None and receipt.notes else None
        warnings = receipt.warnings if failure is None else (*receipt.warnings, failure)
        return msgspec.structs.replace(receipt, is_clean=not warnings, warnings=warnings)

    def observations(self) -> Observations:
        """Return the observations."""
        from recollect.observations.observations import Observations

        return Observations(self.observation_parts())

    def recall(self, search: Search) -> ObservationRecall:
        """Return the observations, and what was around one of them."""
        from recollect.recall.steps.timeline import ObservationRecall

        return ObservationRecall(self.observation_parts(), search, self.resources.owner)

    def contexts(self, search: Search) -> Contexts:
        """Return what makes context blocks."""
        from recollect.recall.context.contexts import Contexts

        return Contexts(self.context_parts(), search)

    def lines(
        self, result: SearchResult, for_session: str | None, for_sender: str | None
    ) -> IndexLines:
        """Return the index lines of hits; see `Memory.lines`."""
        from recollect.recall.steps.lines import lines_of

        base, hearer = self.resources, None
        if for_session is not None or for_sender is not None:
            hearer = self.observations().hearer(for_session, for_sender)
        return base.records.read(lambda tx: lines_of(tx, base.scope, result, hearer))

    def stored(self) -> Records:
        """Return where records of each kind are, for their details."""
        from recollect.recall.steps.details import Records
        from recollect.sessions.context.episode import hearers_of, require_episode

        base = self.resources

        def episode(name: str) -> tuple[Episode, VisibilityGroup]:
            found = base.records.read(lambda tx: require_episode(tx, base.scope, name))
            return found, hearers_of(found, base.owner)

        return Records(observations=self.observations, sessions=self.sessions, episode=episode)

    def read(self, path: str, extent: Extent, asking: Asking | None) -> ReadResult:
        """Return lines of a memory file, as far as somebody may read it; see `Memory.read`."""
        reading = self.reading
        if path.startswith(f"{GUEST_NOTES}/"):
            from recollect.recall.note_source import read_note

            note = read_note(self.notes.found, path, extent, self.sessions, asking)
            if note is not None:
                return note
        if asking is not None:
            ref = path if reading is None or not asking.shared else reading.ref_of(path)
            check_may_read(self.sessions, asking, ref)
        if reading is None:
            raise NotFound("this memory has no workspace", hint="give one with --workspace")
        return reading.read(path, extent)

    def files(self, *, for_session: str | None = None, for_sender: str | None = None) -> list[str]:
        """Return the paths of the memory files that can be read, sorted; nothing is opened.

        Args:
            for_session: Only those that may be read on behalf of this session.
            for_sender: Whom that session answers, as for `Memory.search`.

        Raises:
            NotFound: there is no such session in the scope.
            InvalidInput: a sender is given without a session, or cannot be an account.
        """
        asking = asking_of(for_session, for_sender, self.resources.resolved.settings)
        paths = [] if self.reading is None else self.reading.paths()
        return readable_paths(self.sessions, asking, paths)

    def named(
        self,
        result: SearchResult,
        query: str,
        seen: Scope,
        options: SearchOptions,
        asking: Asking | None,
    ) -> SearchResult:
        """Return what was found behind the record that the question names; see `Named`."""
        from recollect.recall.steps.named import Named

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

    def preview_uses(self) -> list[UsePreview]:
        """Return what each use of a language model would take in a day; nothing is asked."""
        from recollect.assembly.digests import preview_of

        return preview_of(self.resources)

    def reported(self) -> Reported:
        """Return what a status tells of."""
        from recollect.recall.status import Reported

        base = self.resources
        return Reported(
            home=base.home,
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
            capture=self.capture(),
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
        known = resources.index_incompatibility
        lost = None if known else lost_messages(mirror, resources.index_database)
        if lost is not None:
            index.tell_once(lost)
        mirror.catch_up()
    controls = functools.cache(lambda: capture_controls(resources))
    retention = functools.cache(lambda: _retention(resources, index, mirror))
    kept = Kept(
        index=index,
        lock=worker_lock(resources.index_home, files, resources.scope, clock),
        sync_lock=locks.sync,
        files=files,
        followed=followed_transcripts(resources, mirror, controls),
        is_live=resources.order.live,
        heal=healer(
            resources.records,
            resources.index_database,
            index,
            lambda: is_damaged(resources.index_home, settings.store, clock),
        ),
        daily=lambda stopping: _daily(resources, sessions, retention, stopping),
    )
    maintenance = Maintenance(kept, settings.sync, clock)
    sessions = functools.cache(lambda: _sessions(resources, mirror, maintenance, controls))
    language = None if resources.language is None else resources.language.model
    return Components(
        resources=resources,
        index=index,
        reading=reading(resources, files),
        notes=notes,
        search_backend=search_backend(resources, files, index),
        mirror=mirror,
        maintenance=maintenance,
        sessions=sessions,
        observation_parts=functools.cache(
            # The mirror keeps the numbers of what it has not, for a recovery.
            lambda: observation_parts(resources, sessions, Arrivals(mirror, maintenance), controls)
        ),
        context_parts=functools.cache(lambda: context_parts(resources, sessions, controls)),
        events=EventStream(resources.records, resources.scope),
        digest=None if language is None else partial(_digest, resources, language),
        retention=retention,
        eraser=functools.cache(lambda: _eraser(resources, index, mirror)),
        probe=functools.cache(lambda: _probe(resources)),
        scrubber=lambda: _scrubber(resources, index, mirror),
        capture=controls,
        importer=functools.cache(lambda: transcript_importer(resources, mirror, controls())),
    )


def _daily(
    resources: Resources,
    sessions: Callable[[], Sessions],
    retention: Callable[[], Retention],
    stopping: Callable[[], bool],
) -> None:
    """Do what a program that stays does beside indexing."""
    sessions().finish_endings()
    language = None if resources.language is None else resources.language.model
    if language is not None:
        _digest(resources, language, stopping)
    retention().prune_daily(stopping)


def _digest(resources: Resources, model: LanguageModel, stopping: Callable[[], bool]) -> int:
    from recollect.assembly.digests import digest_with

    return digest_with(resources, model, stopping)


def _episode_writer(resources: Resources) -> EpisodeWriter:
    from recollect.assembly.digests import episode_writer

    return episode_writer(resources)


def _retention(resources: Resources, index: Index, mirror: TranscriptMirror | None) -> Retention:
    from recollect.governance.retention import Retention

    settings, clock = resources.resolved.settings.sessions, resources.clock
    kinds = resources.resolved.settings.retention
    caps, copies = settings.retention, _copies_of(resources, index, mirror)
    episodes = _episode_writer(resources)
    limits = {name: getattr(kinds, name) for name in kinds.__struct_fields__}
    return Retention(copies, caps, resources.scope, episodes=episodes, clock=clock, limits=limits)


def _copies_of(resources: Resources, index: Index, mirror: TranscriptMirror | None) -> Copies:
    from recollect.governance.sweep import Copies, copies_elsewhere
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


def _probe(resources: Resources) -> EmbedderProbe:
    from recollect.recall.probe import EmbedderProbe

    choice = resources.choice
    return EmbedderProbe(choice.embedder, choice.hint, resources.clock)


def _scrubber(resources: Resources, index: Index, mirror: TranscriptMirror | None) -> Scrubber:
    from recollect.governance.scrubbing import Scrubber

    if resources.redactor is None:
        raise InvalidInput("privacy.redact is off", hint="set it to true, and scrub again")
    return Scrubber(
        resources.home,
        _copies_of(resources, index, mirror),
        resources.redactor,
        clock=resources.clock,
        indexes=HomeIndexes(resources, index),
        memory_files=lambda: memory_paths(resources),
    )


def _sessions(
    resources: Resources,
    mirror: TranscriptMirror | None,
    maintenance: Maintenance,
    controls: Callable[[], CaptureControls],
) -> Sessions:
    from recollect.sessions.context.summary import WindowParts, with_model
    from recollect.sessions.policy.conversation import TURNS
    from recollect.sessions.record.access import SessionAccess
    from recollect.sessions.record.draft import DraftMaker
    from recollect.sessions.sessions import Sessions

    settings, language = resources.resolved.settings, resources.language
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
            settings=settings.sessions,
            drafts=DraftMaker(
                resources.clock, resources.ids, resources.redactor, recalls(resources)
            ),
            mirror=Arrivals(mirror, maintenance),
            scope=resources.scope,
            projects=lambda: controls().projects,
        ),
        opened=maintenance.session_started,
        window=with_model(
            parts, None if language is None else language.model, settings.language.uses
        ),
        turns=TicketQueue(resources.home / TURNS),
        episodes=partial(_episode_writer, resources),
    )
