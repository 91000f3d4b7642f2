"""Removal: retention, erasure, and the scrubbing of what an older rule let through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.assembly.digests import episode_writer
from recollect.assembly.indexes import HomeIndexes
from recollect.assembly.resources import Resources
from recollect.assembly.sources import memory_paths
from recollect.core.errors import InvalidInput
from recollect.index.index import Index
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.store.sqlite.home import BLOBS

if TYPE_CHECKING:  # imported on first use: opening a memory takes 40 ms less
    from recollect.governance.erasure import Eraser
    from recollect.governance.retention import Retention
    from recollect.governance.scrubbing import Scrubber
    from recollect.governance.sweep import Copies


def retention_of(resources: Resources, index: Index, mirror: TranscriptMirror | None) -> Retention:
    """Return the retention that keeps a scope within its caps."""
    from recollect.governance.retention import Retention

    settings, clock = resources.resolved.settings.sessions, resources.clock
    kinds = resources.resolved.settings.retention
    caps, copies = settings.retention, _copies_of(resources, index, mirror)
    episodes = episode_writer(resources)
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


def eraser_of(resources: Resources, index: Index, mirror: TranscriptMirror | None) -> Eraser:
    """Return the eraser of the conversations of a scope."""
    from recollect.governance.erasure import Eraser

    return Eraser(
        resources.home,
        _copies_of(resources, index, mirror),
        resources.scope,
        clock=resources.clock,
        ids=resources.ids,
        indexes=HomeIndexes(resources, index),
    )


def scrubber_of(resources: Resources, index: Index, mirror: TranscriptMirror | None) -> Scrubber:
    """Return the scrubber that redacts the home by the current rules.

    Raises:
        InvalidInput: redaction is turned off.
    """
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
