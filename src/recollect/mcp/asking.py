"""Who asks: the caller of the request at hand. Everything here hears what the caller hears."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for a name only
    from recollect.caller import Caller
    from recollect.memory import Memory

CALLER: ContextVar[Caller] = ContextVar("caller")
"""Set for each request by the server; threads that work for it inherit it."""


def project_of(memory: Memory, asked: str | None) -> str | None:
    """Return a path of the project that is asked for; None for what the memory is of anyway.

    What no project is called is returned as it is: it finds nothing.
    """
    if asked is None:
        return None
    path, own = memory.projects.find(asked), memory.scope.project
    return None if own is not None and path in memory.projects.paths(own) else path
