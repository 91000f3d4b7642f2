"""Where texts come from besides our own sessions: memory files, followed transcripts, qmd."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.assembly.resources import Resources
from recollect.core.settings import models_folder, program_path
from recollect.index.index import Index
from recollect.recall.memory_source import MemorySource
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.record.identity_links import read_links
from recollect.workspace.extra_paths import ExtraPath, extra_path
from recollect.workspace.memory_folder import MemoryFolder

if TYPE_CHECKING:  # imported where they are asked for: an opening takes 40 ms less
    from recollect.backends.qmd.backend import QmdBackend
    from recollect.recall.followed import FollowedTranscripts
    from recollect.workspace.reading import MemoryReader

QMD = "qmd"
"""Folder beside an index that holds what the external command keeps for its workspaces."""


def memory_files(ground: Resources) -> MemorySource | None:
    """Return the memory files of the workspace and the extra paths; None without either."""
    extra = extra_paths(ground)
    if ground.workspace is None and not extra:
        return None
    return MemorySource(
        MemoryFolder(ground.workspace, extra, redactor=ground.redactor), ground.scope
    )


def extra_paths(ground: Resources) -> list[ExtraPath]:
    """Return the extra paths of the settings, relative ones from the workspace on."""
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


def qmd_backend(ground: Resources, files: MemorySource | None, index: Index) -> QmdBackend | None:
    """Return the external command that answers for memory files; None where it is not chosen."""
    settings = ground.resolved.settings
    if settings.search.backend != "qmd" or files is None:
        return None
    from recollect.backends.qmd.backend import QmdBackend
    from recollect.backends.qmd.collections import Collections
    from recollect.backends.qmd.engine import QmdEngine

    collections = Collections(
        ground.index_home / QMD,
        ground.workspace,
        extra_paths(ground),
        cache=models_folder() / QMD,
        program_path=program_path(),
    )
    return QmdBackend(
        QmdEngine(settings.qmd, collections, ground.clock),
        collections,
        files.folder,
        index,
        settings=settings.search,
        owner=ground.scope,
        mode=settings.qmd.mode,
    )
