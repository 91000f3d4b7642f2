"""A home with a session, and a project folder whose states can be compared."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

import recollect
from recollect.checkpoints.capture.capture import CheckpointParts, SessionMoment
from recollect.checkpoints.checkpoints import Checkpoints, MessageMoment, SessionPorts
from recollect.checkpoints.files.tree import Staging, Tree
from recollect.checkpoints.record.contents import Contents
from recollect.checkpoints.record.rows import SharedPart
from recollect.core.clock import IdSource, SystemClock
from recollect.core.scope import Scope
from recollect.core.settings import StoreSettings
from recollect.store.sqlite.database import open_contents, open_records
from tests.support.no_messages import NoMessages

Snapshot = dict[str, tuple[str, int, bytes]]


class Project(msgspec.Struct, frozen=True):
    """A folder, and the checkpoints of two sessions in it."""

    root: Path
    checkpoints: Checkpoints
    contents: Contents
    session: str
    other_session: str

    def snapshot(self) -> Snapshot:
        """Return kind, mode and bytes of all that the folder holds."""
        paths = sorted(self.root.rglob("*"))
        return {path.relative_to(self.root).as_posix(): _state(path) for path in paths}


def _state(path: Path) -> tuple[str, int, bytes]:
    if path.is_symlink():
        return "symlink", 0, os.fsencode(os.readlink(path))
    mode = stat.S_IMODE(path.stat().st_mode)
    return ("folder", mode, b"") if path.is_dir() else ("file", mode, path.read_bytes())


class Killed(BaseException):
    """Ends an operation as a kill does: nothing of ours runs after it."""


class Deaths:
    """Kills the process, as it were, at the n-th change of a file."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = 0
        for owner, names in (
            (Tree, ("put", "remove", "make_folder", "set_mode")),
            (Staging, ("write", "link")),
        ):
            for name in names:
                monkeypatch.setattr(owner, name, self._counted(getattr(owner, name)))

    def _counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                raise Killed
            return call(*args, **kwargs)

        return counted


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """An empty project."""
    with opened_project(tmp_path) as opened:
        yield opened


class TickingClock:
    """Never tells the same time twice: two calls in one millisecond count as overlapping."""

    def __init__(self) -> None:
        self._clock = SystemClock()
        self._last = 0

    def now_ms(self) -> int:
        """Return a later time than ever before."""
        self._last = max(self._last + 1, self._clock.now_ms())
        return self._last


@contextmanager
def opened_project(folder: Path) -> Iterator[Project]:
    """Make a home and an empty project in a folder, and open them."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    (folder / "project").mkdir()
    (home / "config.yaml").write_text("embedding: {provider: none}\n")
    with recollect.open(home, live=False) as memory:
        session = memory.sessions.create(title="Files").id
        other = memory.sessions.create(title="The same files").id
    with reopened_project(folder, session, other) as project:
        yield project


@contextmanager
def reopened_project(folder: Path, session: str, other: str = "") -> Iterator[Project]:
    """Open a home and a project again, as a process after a crash does."""
    home, root, clock = folder / "home", folder / "project", TickingClock()
    records = open_records(home, StoreSettings(), clock)
    database = open_contents(home, StoreSettings(), clock)
    contents = Contents(lambda: database, "local", clock)
    parts = CheckpointParts(
        database=records, contents=contents, clock=clock, ids=IdSource(clock), tenant="local"
    )
    ports = SessionPorts(
        moment=lambda id_: SessionMoment(session_id=id_),
        lineage=lambda id_: [SharedPart(id_)],
        message=lambda name: MessageMoment(name, 0),
        conversation=NoMessages(),
        scope=Scope(),
    )
    try:
        yield Project(root, Checkpoints(parts, ports, home / "locks"), contents, session, other)
    finally:
        records.close()
        database.close()
