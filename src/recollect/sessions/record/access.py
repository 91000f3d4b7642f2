"""What all parts of the sessions share: the database, and the scope that they work in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import msgspec

from recollect.core.clock import Clock, IdSource
from recollect.core.scope import Scope
from recollect.core.settings import SessionSettings
from recollect.sessions.record.draft import DraftMaker
from recollect.sessions.record.session import Session, require_session
from recollect.store.engine import Database, Transaction

T = TypeVar("T")


class MirrorSignal(Protocol):
    """Is notified when transcripts grow."""

    def notify(self) -> None:
        """Return at once."""


class SilentMirror:
    """Passes no notification on."""

    def notify(self) -> None:
        """Do nothing."""


class ProjectNames(Protocol):
    """Knows which paths are one project."""

    def note(self, path: str, label: str | None = None) -> None:
        """Record the path of a session's project, and the label that it is stored under."""

    def find(self, name: str) -> str:
        """Return a path of the project that a path, a name or an id refers to."""


class PlainProjects:
    """Treats each path as a project of its own."""

    def note(self, path: str, label: str | None = None) -> None:
        """Do nothing."""

    def find(self, name: str) -> str:
        """Return the name."""
        return name


class SessionAccess(msgspec.Struct, frozen=True, kw_only=True):
    """The records of one scope, and what is needed to write them.

    Attributes:
        database: ``records.db``.
        clock: Tells the time.
        ids: Gives rows their ids.
        settings: The section ``sessions``.
        drafts: Checks and cleans what callers pass.
        mirror: Is notified after each commit that added messages.
        scope: The owner of the sessions.
        projects: Returns the object that knows which paths are one project.
    """

    database: Database
    clock: Clock
    ids: IdSource
    settings: SessionSettings
    drafts: DraftMaker
    mirror: MirrorSignal = SilentMirror()
    scope: Scope = Scope()
    projects: Callable[[], ProjectNames] = PlainProjects

    def read_session(self, session_id: str, query: Callable[[Transaction, Session], T]) -> T:
        """Return the result of a query about a session, in one snapshot with the session.

        Raises:
            NotFound: the scope has no such session.
        """
        return self.database.read(lambda tx: query(tx, require_session(tx, self.scope, session_id)))

    def write(self, unit: Callable[[Transaction], T]) -> T:
        """Run a durable transaction, notify the mirror, and return the result."""
        result = self.database.write(unit)
        self.mirror.notify()
        return result

    def project_label(self, project: str | None) -> str | None:
        """Return the label that a project is stored under, and record the project.

        Raises:
            InvalidInput: it is not a text, or too long.
        """
        if project is None:
            return None
        label = self.drafts.label(project, "project")
        self.projects().note(project, label)
        return label
