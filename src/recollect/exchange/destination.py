"""Where an import writes, and the rules that what comes in has to pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from recollect.core.clock import Clock, IdSource
from recollect.core.scope import Scope
from recollect.observations.controls import CaptureControls
from recollect.observations.recorder import ObservationParts
from recollect.sessions.record.access import MirrorSignal
from recollect.sessions.record.draft import DraftMaker
from recollect.store.blobs import Blobs
from recollect.store.engine import Database
from recollect.text.secret_redactor import SecretRedactor


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """The home that an import writes into.

    Attributes:
        database: ``records.db``.
        blobs: The store of long payloads.
        clock: Dates what is new.
        ids: Gives rows their ids.
        drafts: Checks and redacts messages.
        redactor: Takes secrets out of all else; None stores texts as they come.
        scope: The owner of all records.
        controls: Decides what is not captured, and knows which paths are one project.
        arrived: Notified after each transaction that added something.
        observed: Returns what records the tools of transcripts; None records none.
        workspace: The folder for memory files; None for nowhere.
    """

    database: Database
    blobs: Blobs
    clock: Clock
    ids: IdSource
    drafts: DraftMaker
    redactor: SecretRedactor | None
    scope: Scope
    controls: CaptureControls
    arrived: MirrorSignal
    observed: Callable[[], ObservationParts] | None = None
    workspace: Path | None = None
