"""What other programs post for channels: open routes that check a secret or a signature."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, cast

import msgspec

from recollect.core.errors import NotFound
from recollect.core.loops import result_of
from recollect.respond.channels.port import SIGNATURE, TIMESTAMP, Channel, Taken
from recollect.respond.reply import Reply
from recollect.server.chat.chat import SUBMITTING, ReplyEvents
from recollect.server.route import AnyRoute, SignedFields, route_of

if TYPE_CHECKING:  # imported by a worker where they run
    from recollect.respond.channels.telegram.channel import TelegramChannel
    from recollect.respond.channels.webhook import WebhookChannel

ANSWER_S = 120.0
"""How long the request of a webhook waits for its answer."""


class TakenUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """What became of what another program passed on.

    Attributes:
        taken: ``taken``, ``repeated``, ``unknown``, ``denied`` or ``limited``; None: nothing in it
            is for us.
    """

    taken: Taken | None


class WebhookAnswer(TakenUpdate, frozen=True, kw_only=True):
    """What became of a message, and the answer.

    Attributes:
        status: Of the reply, see `Reply`; None where it is posted, or not there in time.
        text: The answer.
    """

    status: str | None = None
    text: str = ""


class TelegramPost(SignedFields, frozen=True, kw_only=True):
    """An update that Telegram posts.

    Attributes:
        secret: Of the header, as the webhook was registered with.
    """

    secret: str | None = None


class WebhookPost(SignedFields, frozen=True, kw_only=True):
    """A message that a program passes on: the JSON object `WebhookMessage`, signed.

    Attributes:
        timestamp: Seconds since 1970 UTC, which the signature has, too.
        signature: ``v1=`` and the hex HMAC-SHA256 of ``<timestamp>.<body>``.
    """

    timestamp: str | None = None
    signature: str | None = None


class ChannelHooks:
    """Takes what other programs post for channels.

    Attributes:
        channels: Those that run, by name; the worker sets them.
    """

    def __init__(self) -> None:
        self.channels: dict[str, Channel] = {}

    def routes(self) -> tuple[AnyRoute, ...]:
        """Return the routes."""
        secret = {"x-telegram-bot-api-secret-token": "secret"}
        signed = {TIMESTAMP: "timestamp", SIGNATURE: "signature"}
        return (
            route_of(self.telegram, "POST", "/api/channels/telegram", None, headers=secret),
            route_of(self.webhook, "POST", "/api/channels/webhook", None, headers=signed),
        )

    def telegram(self, _caller: None, fields: TelegramPost) -> TakenUpdate:
        """Take in an update of Telegram.

        Raises:
            NotFound: the channel does not run in mode webhook.
            Denied: the secret is another one.
        """
        channel = cast("TelegramChannel", self._channel("telegram"))
        return TakenUpdate(taken=channel.hook(fields.body, fields.secret))

    async def webhook(self, _caller: None, fields: WebhookPost) -> WebhookAnswer:
        """Take in a signed message, and answer it unless answers are posted.

        Raises:
            NotFound: the channel does not run.
            Denied: the signature is missing, wrong or old.
            Conflict: the event id was taken before.
        """
        channel = cast("WebhookChannel", self._channel("webhook"))
        events = ReplyEvents(asyncio.get_running_loop())
        signed = (fields.body, fields.timestamp, fields.signature)
        outcome = await result_of(SUBMITTING.submit(partial(channel.hook, *signed, events.put)))
        is_posted = outcome != "taken" or channel.reply_url is not None
        reply = None if is_posted else await _reply(events)
        if reply is None:
            return WebhookAnswer(taken=outcome)
        return WebhookAnswer(taken=outcome, status=reply.status, text=reply.text)

    def _channel(self, name: str) -> Channel:
        channel = self.channels.get(name)
        if channel is None:
            hint = "name it in channels.enabled, and start the worker again"
            raise NotFound(f"the webhook of {name} is not open", hint=hint)
        return channel


async def _reply(events: ReplyEvents) -> Reply | None:
    """Return the reply; None where it does not come in time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(ANSWER_S):
            while True:
                event = await events.next(None)
                if event is not None and event.reply is not None:
                    return event.reply
    return None
