"""What every part of the sessions works with: the database, and on whose behalf."""

from __future__ import annotations

from typing import Protocol

import msgspec

from recollect.core.clock import Clock, IdSource
from recollect.core.scope import Scope
from recollect.core.settings import SessionSettings
from recollect.sessions.record.draft import DraftMaker
from recollect.store.engine import Database


class MirrorSignal(Protocol):
    """Whoever wants to know that transcripts grew."""

    def notify(self) -> None:
        """Return at once."""


class SilentMirror:
    """Does not pass the news on."""

    def notify(self) -> None:
        """Do nothing."""


class SessionAccess(msgspec.Struct, frozen=True, kw_only=True):
    """The records of one scope, and what is needed to write them.

    Attributes:
        database: ``records.db``.
        clock: Tells the time.
        ids: Gives rows their ids.
        settings: The section ``sessions``.
        drafts: Checks and cleans what callers pass.
        mirror: Is notified after each commit that added messages.
        scope: Whose sessions these are.
    """

    database: Database
    clock: Clock
    ids: IdSource
    settings: SessionSettings
    drafts: DraftMaker
    mirror: MirrorSignal = SilentMirror()
    scope: Scope = Scope()
