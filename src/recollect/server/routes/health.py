"""Whether the server answers, and how much the home holds."""

from __future__ import annotations

from typing import Literal

import msgspec

from recollect import __version__
from recollect.caller import Caller
from recollect.core.errors import Denied
from recollect.recall.record_counts import RecordCounts
from recollect.server.route import Nothing, Routes

ROUTES = Routes()


class HealthAnswer(msgspec.Struct, frozen=True):
    """That it answers; nothing that needs a token."""

    status: Literal["ok"] = "ok"
    version: str = __version__


@ROUTES.add("GET", "/api/health", None)
async def health(_caller: None, _fields: Nothing) -> HealthAnswer:
    """Tell that the server answers; no database is asked."""
    return HealthAnswer()


@ROUTES.add("GET", "/api/stats", "read")
def stats(caller: Caller, _fields: Nothing) -> RecordCounts:
    """Count the records within the scope of the token.

    Raises:
        Denied: the token hears only a part of it.
    """
    if not caller.token.is_owners:
        raise Denied(
            "only the operator may read the statistics",
            hint="use a token that was added with --as owner",
        )
    return caller.memory.counts()
