"""Assembles a memory, and memories of narrower scopes over what it has open.

Nothing else decides which implementation is used.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Protocol

import msgspec

from recollect.assembly.activity import context_parts, observation_parts
from recollect.assembly.components import Components, Dependants
from recollect.assembly.indexes import make_index
from recollect.assembly.resources import OpenOptions, Resources, open_resources
from recollect.assembly.sources import (
    LateNotes,
    capture_controls,
    followed_transcripts,
    memory_files,
    reading,
    recalls,
    search_backend,
    transcript_importer,
)
from recollect.core.errors import RecollectError, StoreCorrupt
from recollect.index.index import Index
from recollect.index.model.document import DocumentSource
from recollect.index.model.locks import IndexLocks
from recollect.recall.healing import healer, is_damaged
from recollect.recall.maintenance import Arrivals, Kept, Maintenance
from recollect.recall.ownership import lost_messages
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.record.tombstone import has_unfinished_erasure
from recollect.store.background import BackgroundClaim, home_locks
from recollect.store.locks import TicketQueue
from recollect.store.streams import EventStream

if TYPE_CHECKING:  # imported on first use: opening a memory takes 40 ms less
    from recollect.assembly.chores import Chores
    from recollect.governance.erasure import Eraser
    from recollect.governance.retention import Retention
    from recollect.governance.scrubbing import Scrubber
    from recollect.models.language.model import LanguageModel
    from recollect.observations.controls import CaptureControls
    from recollect.observations.recorder import ObservationParts
    from recollect.recall.memory_source import MemorySource
    from recollect.recall.probe import EmbedderProbe
    from recollect.sessions.context.episode_writer import EpisodeWriter
    from recollect.sessions.sessions import Sessions


def assemble(order: OpenOptions) -> Components:
    """Build the parts of a memory; its home is created when it is missing.

    Raises:
        ConfigError: a setting is wrong.
        InvalidInput: no package provides the model or back end that the settings name.
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


def assemble_beside(trunk: Components, order: OpenOptions) -> Components:
    """Build the parts of an agent that has an index of its own, over the records of a memory.

    Raises:
        As `assemble`.
    """
    resources = open_resources(order, trunk.resources)
    try:
        return msgspec.structs.replace(_assemble(resources, trunk), beside=trunk)
    except RecollectError:
        resources.index_database.close()
        raise


def assemble_narrowed(root: Components, resources: Resources) -> Components:
    """Build the parts of a narrower scope, over what other parts have open.

    They have memory files and notes of their own, and share index, mirror and background.

    Args:
        root: The parts that share.
        resources: Those of the narrower scope.
    """
    files, notes = memory_files(resources), LateNotes(resources)
    is_same_tenant = resources.scope.tenant == root.resources.scope.tenant
    scans: list[DocumentSource] = [] if files is None else [files]
    scans.append(root.notes if is_same_tenant else notes)
    index = root.index.within(scans, files.origin if files else None)
    ground = _Ground(
        resources=resources,
        index=index,
        files=files,
        notes=notes,
        mirror=root.mirror,
        controls=functools.cache(lambda: capture_controls(resources)),
        events=root.events.within(resources.scope),
    )
    sessions = ground.sessions(root.maintenance)
    observed = ground.observations(root.maintenance, sessions)
    parts = _components(ground, root.maintenance, sessions, observed)
    if parts.search_backend is not None:
        root.dependants.add(parts.search_backend)
    return msgspec.structs.replace(parts, root=root, closed=root.closed)


class _Ground(msgspec.Struct, frozen=True, kw_only=True):
    """What the parts of a memory are made of."""

    resources: Resources
    index: Index
    files: MemorySource | None
    notes: LateNotes
    mirror: TranscriptMirror | None
    controls: Callable[[], CaptureControls]
    events: EventStream

    def sessions(self, maintenance: Maintenance) -> Callable[[], Sessions]:
        """Return a factory of the sessions, which makes them once."""
        resources, mirror, controls = self.resources, self.mirror, self.controls
        return functools.cache(lambda: _sessions(resources, mirror, maintenance, controls))

    def observations(
        self, maintenance: Maintenance, sessions: Callable[[], Sessions]
    ) -> Callable[[], ObservationParts]:
        """Return a factory of the parts that record and read observations; it makes them once."""
        resources, controls = self.resources, self.controls
        # The mirror records the numbers of observations, which it does not hold, for a recovery.
        arrivals = Arrivals(self.mirror, maintenance)
        return functools.cache(lambda: observation_parts(resources, arrivals, controls))


def _assemble(resources: Resources, trunk: Components | None = None) -> Components:
    files, notes = memory_files(resources), LateNotes(resources)
    locks = IndexLocks(resources.index_home, resources.clock)
    index = make_index(resources, files, notes, locks)
    if resources.warning:
        index.tell_once(resources.warning)
    mirror = _mirror(resources, index) if trunk is None else trunk.mirror
    controls, others = functools.cache(lambda: capture_controls(resources)), _Others()
    ground = _Ground(
        resources=resources,
        index=index,
        files=files,
        notes=notes,
        mirror=mirror,
        controls=controls,
        events=EventStream(resources.records, resources.scope)
        if trunk is None
        else trunk.events.within(resources.scope),
    )
    kept = Kept(
        index=index,
        claim=_claim(resources, files),
        sync_lock=locks.sync,
        files=files,
        followed=followed_transcripts(
            resources, mirror, controls, lambda: observed(), trunk.resources if trunk else None
        ),
        is_live=resources.order.live,
        heal=_healer(resources, index),
        daily=lambda stopping: chores().run(stopping),
        others=others.begin,
    )
    chores = functools.cache(lambda: _chores(resources, index, mirror, sessions))
    maintenance = Maintenance(kept, resources.resolved.settings.sync, resources.clock)
    sessions = ground.sessions(maintenance)
    observed = ground.observations(maintenance, sessions)
    parts = _components(ground, maintenance, sessions, observed)
    closing = partial(_close, maintenance, parts.dependants, parts.closed, _owned(parts, trunk))
    parts = msgspec.structs.replace(parts, closing=closing)
    if trunk is None:
        others.trunk = weakref.ref(parts)
    return parts


class _Others:
    """Starts keeping the other indexes of a home in step; holds no parts."""

    trunk: Callable[[], Components | None] = staticmethod(lambda: None)

    def begin(self) -> None:
        """Open the other indexes, and keep them in step."""
        from recollect.assembly.narrowing import begin_others

        trunk = self.trunk()
        if trunk is not None:
            begin_others(trunk)


def _components(
    ground: _Ground,
    maintenance: Maintenance,
    sessions: Callable[[], Sessions],
    observed: Callable[[], ObservationParts],
) -> Components:
    resources, index, mirror = ground.resources, ground.index, ground.mirror
    controls, language = ground.controls, resources.language
    return Components(
        resources=resources,
        index=index,
        reading=reading(resources, ground.files),
        notes=ground.notes,
        search_backend=search_backend(resources, ground.files, index),
        mirror=mirror,
        maintenance=maintenance,
        sessions=sessions,
        observation_parts=observed,
        context_parts=functools.cache(lambda: context_parts(resources, sessions, controls)),
        events=ground.events,
        digest=partial(_digest, resources, language.model) if language and language.model else None,
        retention=functools.cache(lambda: _retention(resources, index, mirror)),
        eraser=functools.cache(lambda: _eraser(resources, index, mirror)),
        probe=functools.cache(lambda: _probe(resources)),
        scrubber=lambda: _scrubber(resources, index, mirror),
        capture=controls,
        importer=functools.cache(
            lambda: transcript_importer(resources, mirror, controls(), observed)
        ),
    )


class _Closes(Protocol):
    def close(self) -> object: ...


def _owned(parts: Components, trunk: Components | None) -> tuple[_Closes | None, ...]:
    """Return what the parts opened themselves, in the order of closing; nothing that they share."""
    base = parts.resources
    language = None if base.language is None else base.language.model
    own = (parts.search_backend, base.choice.fallback, language, parts.index.near)
    if trunk is not None:
        embedder = None if base.order.embedder is not None else base.choice.embedder
        return (*own, embedder, base.index_database)
    shared = (base.choice.embedder, parts.events, base.index_database, base.records)
    return (parts.mirror, *own, *shared)


def _close(
    maintenance: Maintenance,
    dependants: Dependants,
    closed: threading.Event,
    owned: tuple[_Closes | None, ...],
) -> None:
    closed.set()
    maintenance.close()
    dependants.close()
    for part in owned:
        if part is not None:
            part.close()


def _mirror(resources: Resources, index: Index) -> TranscriptMirror | None:
    """Return the mirror of readable transcripts, up to date; None where it is off."""
    if not resources.resolved.settings.sessions.mirror:
        return None
    mirror = TranscriptMirror(resources.home, resources.records)
    known = resources.index_incompatibility
    lost = None if known else lost_messages(mirror, resources.index_database)
    if lost is not None:
        index.tell_once(lost)
    mirror.catch_up()
    return mirror


def _claim(resources: Resources, files: MemorySource | None) -> BackgroundClaim:
    """Return the claim that decides whether the background work of a memory is ours.

    Of several memories of one process with the same index, files and scope, one does it.
    """
    scope, origin = resources.scope, files.origin if files else ""
    owner = (scope.tenant, scope.agent, scope.user, scope.project, scope.session)
    locks = home_locks(resources.home, resources.clock)
    return BackgroundClaim(locks, repr((str(resources.index_home), origin, owner)))


def _healer(resources: Resources, index: Index) -> Callable[[StoreCorrupt], bool]:
    settings, clock = resources.resolved.settings.store, resources.clock
    return healer(
        resources.records,
        resources.index_database,
        index,
        lambda: is_damaged(resources.index_home, settings, clock),
    )


def _retention(resources: Resources, index: Index, mirror: TranscriptMirror | None) -> Retention:
    from recollect.assembly.removal import retention_of

    return retention_of(resources, index, mirror)


def _eraser(resources: Resources, index: Index, mirror: TranscriptMirror | None) -> Eraser:
    from recollect.assembly.removal import eraser_of

    return eraser_of(resources, index, mirror)


def _scrubber(resources: Resources, index: Index, mirror: TranscriptMirror | None) -> Scrubber:
    from recollect.assembly.removal import scrubber_of

    return scrubber_of(resources, index, mirror)


def _probe(resources: Resources) -> EmbedderProbe:
    from recollect.recall.probe import EmbedderProbe

    choice = resources.choice
    return EmbedderProbe(choice.embedder, choice.hint, resources.clock)


def _chores(
    resources: Resources,
    index: Index,
    mirror: TranscriptMirror | None,
    sessions: Callable[[], Sessions],
) -> Chores:
    from recollect.assembly.chores import Chores

    return Chores(resources, index, mirror, sessions)


def _digest(resources: Resources, model: LanguageModel, stopping: Callable[[], bool]) -> int:
    from recollect.assembly.digests import digest_with

    return digest_with(resources, model, stopping)


def _episode_writer(resources: Resources) -> EpisodeWriter:
    from recollect.assembly.digests import episode_writer

    return episode_writer(resources)


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
