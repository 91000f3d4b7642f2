"""A home as an import writes into it, of parts that a test has at hand."""

from __future__ import annotations

from pathlib import Path

from recollect.core.clock import Clock, IdSource
from recollect.core.scope import Scope
from recollect.core.settings import CaptureSettings
from recollect.exchange.gate import Destination
from recollect.observations.controls import CaptureControls
from recollect.observations.projects import Projects
from recollect.sessions.record.access import SilentMirror
from recollect.sessions.record.draft import DraftMaker, TextRedactor
from recollect.store.blobs import Blobs
from recollect.store.engine import Database


def destination_of(
    database: Database,
    home: Path,
    clock: Clock,
    *,
    scope: Scope | None = None,
    redactor: TextRedactor | None = None,
) -> Destination:
    """Return a destination that records no tools, and from which nothing is left out."""
    ids, owner = IdSource(clock), scope or Scope()
    return Destination(
        database=database,
        blobs=Blobs(home / "blobs"),
        clock=clock,
        ids=ids,
        drafts=DraftMaker(clock, ids, redactor),
        redactor=None,
        scope=owner,
        controls=CaptureControls(Projects(database, clock, ids, owner), (), CaptureSettings()),
        arrived=SilentMirror(),
    )
