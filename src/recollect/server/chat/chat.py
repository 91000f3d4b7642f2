"""The responder over HTTP: a message in, its answer as JSON or as it is written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from recollect.caller import Caller
from recollect.core.errors import InvalidInput
from recollect.core.loops import result_of
from recollect.core.threads import ThreadPool
from recollect.respond.inbound import Inbound
from recollect.respond.reply import Reply, ReplyEvent
from recollect.server.route import Fields, Piece, Routes
from recollect.server.values import moment_of

if TYPE_CHECKING:  # imported with the first message
    from recollect.respond.pending import Pending

EVENTS = "text/event-stream"
HEARTBEAT_S = 15.0

_encode = msgspec.json.Encoder().encode

ROUTES = Routes()
SUBMITTING = ThreadPool("recollect-chat", 4)
"""Messages are stored on threads of their own, and leave those of calls to the others."""


class ReplyEvents:
    """Events that other threads put, taken on the event loop in their order."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._queue: asyncio.Queue[ReplyEvent] = asyncio.Queue()

    def put(self, event: ReplyEvent) -> None:
        """Put one, from any thread."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._queue.put_nowait, event)

    async def next(self, timeout_s: float | None) -> ReplyEvent | None:
        """Return the next one; None if none comes within the timeout."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                return await self._queue.get()
        return None


class ChatMessage(Fields, frozen=True, kw_only=True):
    """A message to be answered; fields as in `Memory.respond`.

    Attributes:
        session_key: The conversation, by key or id; one that is not there is begun.
        text: What is said; empty for a message without a text.
        sender: The account that says it, in a group.
        event_id: An id of your own, unique in the conversation; the same id twice is answered once.
        edits: The event id of the message that this one replaces.
        name: The name of the speaker, if known.
        created_at: When it was said, ISO 8601 or ms; now if not given.
        reply_to_agent: Whether it replies to the agent: in a group that calls it.
        accept: ``text/event-stream`` for the answer as it is written.
    """

    session_key: str
    text: str = ""
    sender: str | None = None
    event_id: str | None = None
    edits: str | None = None
    name: str | None = None
    created_at: int | str | None = None
    reply_to_agent: bool = False
    accept: str | None = None


@ROUTES.add("POST", "/api/chat", "write", headers={"accept": "accept"}, media=EVENTS, answer=Reply)
def chat(caller: Caller, fields: ChatMessage) -> AsyncGenerator[Piece, None]:
    """Answer a message, as JSON or as server-sent events.

    A client that leaves cancels the answer; the message stays.

    Raises:
        Denied: the token does not speak for the channel of the key.
        NotFound: the session is not one that the token may hear.
    """
    session = caller.writes_to(fields.session_key)
    # Who writes for a channel need not hear it, and an answer tells what its session hears.
    caller.for_session(session.id)
    if session.key is None:
        raise InvalidInput("the session has no key", hint="name a conversation by a session key")
    inbound = Inbound(
        key=session.key,
        text=fields.text,
        sender=caller.sender(fields.sender, session),
        event_id=fields.event_id,
        edits=fields.edits,
        name=fields.name,
        at=None if fields.created_at is None else moment_of(fields.created_at),
        reply_to_agent=fields.reply_to_agent,
    ).checked()
    is_streamed = EVENTS in (fields.accept or "")
    return _answer(caller, inbound, is_streamed=is_streamed)


async def _answer(
    caller: Caller, inbound: Inbound, *, is_streamed: bool
) -> AsyncGenerator[Piece, None]:
    events = ReplyEvents(asyncio.get_running_loop())
    submit = partial(caller.memory.responder.submit, inbound, events.put)
    submitted = SUBMITTING.submit(submit)
    is_over = False
    try:
        await result_of(submitted)
        while not is_over:
            event = await events.next(HEARTBEAT_S if is_streamed else None)
            if event is None:
                yield b": still here\n\n"
                continue
            is_over = event.reply is not None
            if is_streamed:
                yield _sent(event)
            elif event.reply is not None:
                yield _encode(event.reply)
    finally:
        if not is_over:
            submitted.add_done_callback(_cancel)


def _cancel(submitted: Future[Pending]) -> None:
    if submitted.exception() is None:
        submitted.result().cancel()


def _sent(event: ReplyEvent) -> Piece:
    data = _encode(event.reply if event.reply is not None else {"text": event.text})
    return b"event: %s\ndata: %s\n\n" % (event.kind.encode(), data)
