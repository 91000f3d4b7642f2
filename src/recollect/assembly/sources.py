"""Where texts and answers come from besides our own sessions and index."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.assembly.resources import Resources, has_files, own_index_of
from recollect.index.index import Index
from recollect.index.model.document import FILES, DocumentBatch, SourceState
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.record.identity_links import read_links
from recollect.store.sqlite.home import GUEST_NOTES
from recollect.workspace.extra_paths import ExtraPath, extra_path

if TYPE_CHECKING:  # imported where they are asked for: an opening takes 40 ms less
    from recollect.recall.followed import FollowedTranscripts
    from recollect.recall.memory_source import MemorySource, NoteSource
    from recollect.recall.search_port import SearchBackend
    from recollect.workspace.reading import MemoryReader

BUILTIN = "builtin"


def memory_files(ground: Resources) -> MemorySource | None:
    """Return the memory files of the workspace and the extra paths; None without either."""
    extra = extra_paths(ground)
    if ground.workspace is None and not extra:
        return None
    from recollect.recall.memory_source import MemorySource
    from recollect.recall.note_source import withheld_lines
    from recollect.workspace.memory_folder import MemoryFolder

    withheld = withheld_lines(ground.records, ground.home)
    folder = MemoryFolder(ground.workspace, extra, redactor=ground.redactor, withheld=withheld)
    return MemorySource(folder, ground.scope)


class LateNotes:
    """The notes of guests: looked for before each search, and nothing more where there are none.

    Args:
        ground: The home that may have them.
    """

    name, source = "guest-notes", FILES

    def __init__(self, ground: Resources) -> None:
        self.tenant: str | None = ground.scope.tenant
        self._ground = ground
        self._folder = ground.home / GUEST_NOTES

    @functools.cached_property
    def found(self) -> NoteSource:
        """What hands them to the index."""
        from recollect.recall.note_source import guest_notes_source

        ground = self._ground
        return guest_notes_source(
            ground.records,
            ground.home,
            ground.scope,
            ground.owner,
            redactor=ground.redactor,
            agent=own_index_of(ground.resolved, ground.scope),
        )

    def is_behind(self, cursor: int) -> bool:
        """Return whether notes were written, changed or hidden since the last scan."""
        is_there = "found" in self.__dict__ or os.path.lexists(self._folder)
        return is_there and self.found.is_behind(cursor)

    def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
        """Yield new and changed notes, and with the last of them those that are gone."""
        is_known = any(ref.startswith(f"{GUEST_NOTES}:") for ref in state.stamps)
        if is_known or os.path.lexists(self._folder):
            yield from self.found.batches(state)


def extra_paths(ground: Resources) -> list[ExtraPath]:
    """Return the extra paths of the settings, relative ones from the workspace on."""
    if not has_files(ground.order, ground.scope):
        return []
    named = ground.resolved.settings.workspace.extra_paths
    return [extra_path(each, ground.workspace) for each in named]


def reading(ground: Resources, files: MemorySource | None) -> MemoryReader | None:
    """Return what reads memory files for people; None where there are none."""
    if files is None:
        return None
    from recollect.workspace.reading import MemoryReader

    extra = [each.path for each in extra_paths(ground)]
    return MemoryReader(files.folder, ground.workspace, extra)


def followed_transcripts(
    ground: Resources, mirror: TranscriptMirror | None
) -> FollowedTranscripts | None:
    """Return the transcripts of other programs that are followed; None where none are."""
    named = ground.resolved.settings.workspace.transcripts
    if not named:
        return None
    from recollect.recall.followed import LEDGER, FollowedTranscripts, followed_places
    from recollect.recall.following import following_formats
    from recollect.sessions.exchange.formats.registry import STORES
    from recollect.sessions.exchange.importer import TranscriptImporter

    importer = TranscriptImporter(
        database=ground.records,
        clock=ground.clock,
        ids=ground.ids,
        redactor=ground.redactor,
        formats=following_formats(),
        stores=STORES,
        mirror=mirror,
        scope=ground.scope,
        links=read_links(ground.resolved.settings.sessions.identity_links),
        ledger=LEDGER,
    )
    return FollowedTranscripts(followed_places(named), importer)


def search_backend(
    ground: Resources, files: MemorySource | None, index: Index
) -> SearchBackend | None:
    """Return what answers for memory files; None where that is the builtin index."""
    settings = ground.resolved.settings
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
        owner=ground.scope,
        home=ground.index_home,
        clock=ground.clock,
    )
    return make(context)
