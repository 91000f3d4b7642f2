"""Whether the server answers, how much the home holds, and what models cost."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from recollect import __version__
from recollect.answers.model import SpendingList, spending_list
from recollect.caller import Caller
from recollect.core.errors import Denied
from recollect.recall.record_counts import RecordCounts
from recollect.server.route import Fields, Nothing, Routes
from recollect.store.usage_ledger import MOST_DAYS

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


class LastDays(Fields, frozen=True, kw_only=True):
    """How far back.

    Attributes:
        days: Of the last days (UTC), today included.
    """

    days: Annotated[int, Meta(ge=1, le=MOST_DAYS)] = 30


@ROUTES.add("GET", "/api/models/spending", "read")
def spending(caller: Caller, fields: LastDays) -> SpendingList:
    """List what models used and cost, by day, provider, model and use."""
    caller.require_operator("home")
    return spending_list(caller.memory.spending(fields.days))
