"""The session and the paths that a command means by the folder in which it is run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.core.errors import NotFound

if TYPE_CHECKING:  # for a name only
    from recollect.memory import Memory


def session_here(memory: Memory, name: str | None) -> str:
    """Return the id of a session; without a name, of the newest in the project of this folder.

    Raises:
        NotFound: there is none.
        Conflict: several sessions have this name.
    """
    if name is not None:
        return memory.sessions.find(name).id
    project = memory.projects.known(str(Path.cwd()))
    session = None if project is None else memory.sessions.latest(project.paths[0])
    if session is None:
        raise NotFound(
            "this folder has no session",
            hint="name one: `recollect sessions` lists them,"
            " `recollect sessions start --project .` begins one here",
        )
    return session.id


def paths_here(paths: Sequence[str] | None, root: Path) -> list[str] | None:
    """Return paths as they are below a root; below this folder, where that is in the root."""
    if not paths:
        return None
    here = Path.cwd()
    base = here if here.is_relative_to(root) else root
    return [str(base / path) for path in paths]
