"""Where memory files come from: the workspace is part of the name of a file in the index.

Two workspaces of one home both have a `MEMORY.md`. The index knows them as
`/home/ann/work//MEMORY.md` and `/home/ann/play//MEMORY.md`; people and programs see `MEMORY.md`. A
scan adds and removes what its own workspace holds, and a search sees only that.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from recollect.core.scope import Scope

_BETWEEN = "//"
"""No normalised absolute path contains it, so its first occurrence is the border."""

SOURCE = "memory"


def origin_name(workspace: Path | None, scope: Scope) -> str:
    """Return the origin of the files of a workspace; empty for extra paths without one.

    Files have an owner, so two agents with one workspace have the files of it twice.

    >>> origin_name(Path("/home/ann/work"), Scope(agent="writer"))
    'agent=writer@/home/ann/work'
    """
    owner = [("agent", scope.agent), ("user", scope.user), ("project", scope.project)]
    owner_text = ";".join(f"{kind}={quote(value, safe='')}" for kind, value in owner if value)
    folder = "" if workspace is None else str(workspace.resolve())
    return f"{owner_text}@{folder}" if owner_text else folder


def qualified(origin: str, path: str) -> str:
    """Return the ref of a file.

    Args:
        origin: See `origin_name`.
        path: As people see it.

    >>> qualified("/home/ann/work", "memory/tea.md")
    '/home/ann/work//memory/tea.md'
    """
    return f"{origin}{_BETWEEN}{path}"


def origin_of(ref: str) -> str | None:
    """Return the workspace of a ref; None for a ref that names none.

    >>> origin_of("/home/ann/work///home/ann/notes/tea.md")
    '/home/ann/work'
    """
    origin, between, _ = ref.partition(_BETWEEN)
    return origin if between else None


def path_of(ref: str) -> str:
    """Return a ref as people see it.

    >>> path_of("/home/ann/work///home/ann/notes/tea.md")
    '/home/ann/notes/tea.md'
    """
    _, between, path = ref.partition(_BETWEEN)
    return path if between else ref
