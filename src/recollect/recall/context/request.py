"""The request for a context block: its session, reason, client and budget."""

from __future__ import annotations

import re
from typing import Literal, get_args

import msgspec

from recollect.audience.visibility import Asker
from recollect.core.checks import check_count, check_text
from recollect.core.errors import InvalidInput
from recollect.recall.context.block import Room
from recollect.sessions.record.session import Session

Reason = Literal["startup", "clear", "compact", "resume", "fork", "prompt"]
_CLIENT = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


class BlockRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What one block is made for; the fields are arguments of `Contexts.block`, resolved.

    Attributes:
        asker: On whose behalf it is read; for the operator the key of the session decides what is
            heard.
        room: What it may cost.
        since: What is in the prompt since then is left out, ms UTC; None: as the session records.
    """

    session: Session
    asker: Asker
    query: str | None
    reason: Reason
    client: str | None
    room: Room
    sources: tuple[str, ...] = ()
    since: int | None = None


def check_request(query: str | None, budget: int | None, reason: str, client: str | None) -> None:
    """Refuse a request that no block can be made for.

    Raises:
        InvalidInput: the reason is unknown, the client is not a short name, or a prompt has no
            query.
    """
    for given, what in ((query, "query"), (client, "client")):
        if given is not None:
            check_text(given, what)
    known = get_args(Reason)
    if reason not in known:
        raise InvalidInput("unknown reason of a context", hint=f"use one of {', '.join(known)}")
    if client is not None and not _CLIENT.fullmatch(client):
        raise InvalidInput(
            "the client must be a short name", hint="use small letters, as claude-code"
        )
    if reason == "prompt" and not (query or "").strip():
        raise InvalidInput("a prompt needs a query", hint="pass its text as query")
    check_count(budget, "a budget", 1)
