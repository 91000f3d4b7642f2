"""Who asks: the caller of the request at hand. Everything here hears what the caller hears."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for a name only
    from recollect.caller import Caller

CALLER: ContextVar[Caller] = ContextVar("caller")
"""Set for each request by the server; threads that work for it inherit it."""


def project_of(caller: Caller, name: str | None) -> str | None:
    """Return a path of the requested project; None for the project of the memory.

    Raises:
        NotFound: the operator names none that there is.
    """
    if name is None:
        return None
    memory = caller.memory
    path, own = caller.project_path(name), memory.scope.project
    return None if own is not None and path in memory.projects.paths(own) else path
