"""Calls an ASGI application in process, with messages that no real server would make."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from recollect.server.response import AsgiApp, Message
from tests.support.wire import Reply

GONE = {"type": "http.disconnect"}


def answer_of(
    app: AsgiApp, scope: dict[str, Any], messages: Sequence[Message] = ()
) -> Reply | None:
    """Return what an application answers; None where it says nothing.

    Args:
        app: The application.
        scope: Replaces parts of a good request: GET / from this machine.
        messages: What it receives; then the client is gone.
    """
    sent: list[Message] = []
    given = list(messages)

    async def receive() -> Message:
        return given.pop(0) if given else GONE

    async def send(message: Message) -> None:
        sent.append(message)

    good = {
        "type": "http",
        "method": "GET",
        "raw_path": b"/",
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
    }
    asyncio.run(app(good | scope, receive, send))  # type: ignore[arg-type]
    if not sent:
        return None
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Reply(sent[0]["status"], headers, b"".join(each.get("body", b"") for each in sent))
