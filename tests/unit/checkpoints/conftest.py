"""A home with a session, and a project folder whose states can be compared."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import recollect
from recollect.checkpoints.capture import CheckpointParts, SessionMoment
from recollect.checkpoints.checkpoints import Checkpoints, SessionPorts
from recollect.checkpoints.contents import Contents
from recollect.checkpoints.rows import SharedPart
from recollect.core.clock import IdSource, SystemClock
from recollect.core.settings import StoreSettings
from recollect.store.sqlite.database import open_contents, open_records

Snapshot = dict[str, tuple[str, int, bytes]]


class Project(msgspec.Struct, frozen=True):
    """A folder, and the checkpoints of one session in it."""

    root: Path
    checkpoints: Checkpoints
    contents: Contents
    session: str

    def snapshot(self) -> Snapshot:
        """Return kind, mode and bytes of all that the folder holds."""
        paths = sorted(self.root.rglob("*"))
        return {path.relative_to(self.root).as_posix(): _state(path) for path in paths}


def _state(path: Path) -> tuple[str, int, bytes]:
    if path.is_symlink():
        return "symlink", 0, os.fsencode(os.readlink(path))
    mode = stat.S_IMODE(path.stat().st_mode)
    return ("folder", mode, b"") if path.is_dir() else ("file", mode, path.read_bytes())


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """An empty project."""
    home, root = tmp_path / "home", tmp_path / "project"
    home.mkdir(mode=0o700)
    root.mkdir()
    (home / "config.yaml").write_text("embedding: {provider: none}\n")
    with recollect.open(home, live=False) as memory:
        session = memory.sessions.create(title="Files").id
    clock = SystemClock()
    records = open_records(home, StoreSettings(), clock)
    database = open_contents(home, StoreSettings(), clock)
    contents = Contents(lambda: database, "local", clock)
    parts = CheckpointParts(
        database=records, contents=contents, clock=clock, ids=IdSource(clock), tenant="local"
    )
    ports = SessionPorts(
        moment=lambda id_: SessionMoment(session_id=id_),
        lineage=lambda id_: [SharedPart(id_)],
    )
    yield Project(root, Checkpoints(parts, ports, home / "locks"), contents, session)
    records.close()
    database.close()
