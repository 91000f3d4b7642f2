"""Who asks: the caller of the request at hand. Everything here hears what the caller hears."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for a name only
    from recollect.caller import Caller

CALLER: ContextVar[Caller] = ContextVar("caller")
"""Set for each request by the server; threads that work for it inherit it."""
