"""The sources of texts and answers besides our own sessions and index."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from recollect.assembly.resources import Resources, has_files, own_index_of
from recollect.index.index import Index
from recollect.index.model.document import FILES, DocumentBatch, SourceState
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.store.sqlite.home import GUEST_NOTES
from recollect.workspace.extra_paths import ExtraPath, extra_path

if TYPE_CHECKING:
    from pathlib import Path

    from recollect.exchange.importer import TranscriptImporter

    # imported on first use: opening a memory takes 40 ms less
    from recollect.observations.controls import CaptureControls
    from recollect.observations.recalled import OwnCalls
    from recollect.observations.recorder import ObservationParts
    from recollect.recall.followed import FollowedTranscripts
    from recollect.recall.memory_source import MemorySource, NoteSource
    from recollect.recall.search_port import SearchBackend
    from recollect.sessions.record.recalled import IsRecall
    from recollect.workspace.reading import MemoryReader

BUILTIN = "builtin"


def memory_files(resources: Resources) -> MemorySource | None:
    """Return the memory files of the workspace and the extra paths; None without either."""
    extra = extra_paths(resources)
    if resources.workspace is None and not extra:
        return None
    from recollect.recall.memory_source import MemorySource
    from recollect.recall.note_source import withheld_lines
    from recollect.workspace.memory_folder import MemoryFolder

    withheld = withheld_lines(resources.records, resources.home)
    folder = MemoryFolder(
        resources.workspace, extra, redactor=resources.redactor, withheld=withheld
    )
    return MemorySource(folder, resources.scope)


def memory_paths(resources: Resources) -> set[tuple[Path, str]]:
    """Return the existing memory files: folders, and the paths in them."""
    from recollect.workspace.memory_folder import MemoryFolder

    folder = MemoryFolder(resources.workspace, extra_paths(resources), redactor=None)
    return {(file.root, file.path) for file in folder.listing().files}


class LateNotes:
    """The notes of guests: looked for before each search, at no other cost where there are none.

    Args:
        resources: The home that may have them.
    """

    name, source = "guest-notes", FILES

    def __init__(self, resources: Resources) -> None:
        self.tenant: str | None = resources.scope.tenant
        self._resources = resources
        self._folder = resources.home / GUEST_NOTES

    @functools.cached_property
    def found(self) -> NoteSource:
        """The source that hands them to the index."""
        from recollect.recall.note_source import guest_notes_source

        resources = self._resources
        return guest_notes_source(
            resources.records,
            resources.home,
            resources.scope,
            resources.owner,
            redactor=resources.redactor,
            agent=own_index_of(resources.resolved, resources.scope),
        )

    def is_behind(self, cursor: int) -> bool:
        """Return whether notes were written, changed or hidden since the last scan."""
        is_there = "found" in self.__dict__ or os.path.lexists(self._folder)
        return is_there and self.found.is_behind(cursor)

    def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
        """Yield new and changed notes, and with the last batch those that are gone."""
        is_known = any(ref.startswith(f"{GUEST_NOTES}:") for ref in state.stamps)
        if is_known or os.path.lexists(self._folder):
            yield from self.found.batches(state)


def extra_paths(resources: Resources) -> list[ExtraPath]:
    """Return the extra paths of the settings, relative ones from the workspace on."""
    if not has_files(resources.order, resources.scope):
        return []
    named = resources.resolved.settings.workspace.extra_paths
    return [extra_path(each, resources.workspace) for each in named]


def shown_extra_paths(resources: Resources) -> tuple[str, ...]:
    """Return the extra paths as they may be shown."""
    shown = str if resources.redactor is None else resources.redactor.path
    return tuple(shown(str(each.path / each.pattern)) for each in extra_paths(resources))


def reading(resources: Resources, files: MemorySource | None) -> MemoryReader | None:
    """Return the reader of memory files for people; None where there are none."""
    if files is None:
        return None
    from recollect.workspace.reading import MemoryReader

    extra = [each.path for each in extra_paths(resources)]
    return MemoryReader(files.folder, resources.workspace, extra)


def recalls(resources: Resources) -> IsRecall:
    """Return a test whether a call asks this memory; its data is loaded by the first call."""

    @functools.cache
    def known() -> OwnCalls:
        return own_calls(resources)

    return lambda tool_name, arguments: known().includes(tool_name, arguments)


def own_calls(resources: Resources) -> OwnCalls:
    """Return the calls that ask this memory."""
    from recollect.observations.recalled import PORT, OwnCalls, names_of

    return OwnCalls(names_of(resources.home), frozenset({PORT}))


def followed_transcripts(
    resources: Resources,
    mirror: TranscriptMirror | None,
    controls: Callable[[], CaptureControls],
    observed: Callable[[], ObservationParts],
    trunk: Resources | None,
) -> FollowedTranscripts | None:
    """Return the transcripts of other programs that are followed; None where none are.

    Those that the memory open beside this one follows are left to it.
    """
    left = () if trunk is None else trunk.resolved.settings.workspace.transcripts
    named = [each for each in resources.resolved.settings.workspace.transcripts if each not in left]
    if not named:
        return None
    from recollect.recall.followed import LEDGER, FollowedTranscripts, followed_places

    reader = transcript_importer(resources, mirror, controls(), observed, LEDGER)
    return FollowedTranscripts(followed_places(named), reader)


def transcript_importer(
    resources: Resources,
    mirror: TranscriptMirror | None,
    controls: CaptureControls,
    observed: Callable[[], ObservationParts],
    ledger: str = "",
) -> TranscriptImporter:
    """Return the importer of other programs' transcripts; with a ledger, one that follows them."""
    from recollect.assembly.exchange import destination
    from recollect.exchange.formats.registry import FORMATS
    from recollect.exchange.importer import TranscriptImporter
    from recollect.recall.following import following_formats
    from recollect.sessions.record.access import SilentMirror

    place = destination(resources, controls, mirror or SilentMirror(), observed)
    formats = following_formats() if ledger else tuple(FORMATS.values())
    return TranscriptImporter(place, formats, ledger)


def capture_controls(resources: Resources) -> CaptureControls:
    """Return the controls of the projects and of what is captured of them."""
    from recollect.observations.controls import CaptureControls
    from recollect.observations.projects import Projects
    from recollect.sessions.record.tombstone import PROJECT, is_buried

    redactor, settings = resources.redactor, resources.resolved.settings
    tenant = resources.scope.tenant
    projects = Projects(
        resources.records,
        resources.clock,
        resources.ids,
        resources.scope,
        redactor.label if redactor is not None else str,
        was_erased=lambda tx, path: is_buried(tx, tenant, [(PROJECT, path)]),
    )
    return CaptureControls(projects, settings.privacy.exclude_projects, settings.capture)


def search_backend(
    resources: Resources, files: MemorySource | None, index: Index
) -> SearchBackend | None:
    """Return the search back end of memory files; None where that is the builtin index."""
    settings = resources.resolved.settings
    if settings.search.backend == BUILTIN:
        return None
    from recollect.recall.search_port import SearchContext, find_factory

    make = find_factory(settings.search.backend, BUILTIN)  # a wrong name is refused in any case
    if files is None:
        return None
    context = SearchContext(
        settings=settings,
        builtin=index,
        files=files.folder,
        owner=resources.scope,
        home=resources.index_home,
        clock=resources.clock,
    )
    return make(context)
