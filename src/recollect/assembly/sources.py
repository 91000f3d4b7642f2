"""Where texts and answers come from besides our own sessions and index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.assembly.resources import Resources, has_files
from recollect.index.index import Index
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.record.identity_links import read_links
from recollect.workspace.extra_paths import ExtraPath, extra_path

if TYPE_CHECKING:  # imported where they are asked for: an opening takes 40 ms less
    from recollect.recall.followed import FollowedTranscripts
    from recollect.recall.memory_source import MemorySource
    from recollect.recall.search_port import SearchBackend
    from recollect.workspace.reading import MemoryReader

BUILTIN = "builtin"


def memory_files(ground: Resources) -> MemorySource | None:
    """Return the memory files of the workspace and the extra paths; None without either."""
    extra = extra_paths(ground)
    if ground.workspace is None and not extra:
        return None
    from recollect.recall.memory_source import MemorySource
    from recollect.workspace.memory_folder import MemoryFolder

    folder = MemoryFolder(ground.workspace, extra, redactor=ground.redactor)
    return MemorySource(folder, ground.scope)


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
    from recollect.recall.followed import (
        LEDGER,
        FollowedTranscripts,
        followed_places,
        following_formats,
    )
    from recollect.sessions.exchange.importer import TranscriptImporter

    formats = following_formats()
    importer = TranscriptImporter(
        database=ground.records,
        clock=ground.clock,
        ids=ground.ids,
        redactor=ground.redactor,
        formats=formats,
        mirror=mirror,
        scope=ground.scope,
        links=read_links(ground.resolved.settings.sessions.identity_links),
        ledger=LEDGER,
    )
    return FollowedTranscripts(followed_places(named, formats), importer)


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
