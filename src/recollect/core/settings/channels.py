"""Settings of the channels over which people write to the agent, and are answered."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field


class TelegramSettings(Struct, frozen=True, kw_only=True):
    """A bot of Telegram."""

    token: Annotated[
        str | None,
        Meta(extra={"secret": True}),
        "Token of the bot, as @BotFather gives it: 123456:ABC… It is never shown or logged.",
    ] = None
    account: Annotated[
        str,
        Meta(min_length=1, max_length=64),
        "Name of the bot in session keys, where there are several.",
    ] = "default"
    base_url: Annotated[
        str,
        Meta(min_length=1, max_length=500),
        "Address of the Bot API; another one for a server of your own.",
    ] = "https://api.telegram.org"
    mode: Annotated[
        Literal["polling", "webhook"],
        "polling: we ask for messages; nothing must be reachable from outside. webhook: Telegram "
        "calls POST /api/channels/telegram of the worker, behind a proxy with TLS.",
    ] = "polling"
    webhook_url: Annotated[
        str | None,
        "Address that Telegram is given in mode webhook. Unset: you register it yourself.",
    ] = None
    webhook_secret: Annotated[
        str | None,
        Meta(extra={"secret": True}),
        "Secret that Telegram sends along in mode webhook: 16 or more letters, digits, _ and -. "
        "Without it the mode does not start.",
    ] = None
    groups: Annotated[
        Literal["mention", "all", "none"],
        "Which messages of allowed groups call the agent. mention: those with its name, replies to "
        "it and commands; others are history for the next answer. all: each. none: groups are "
        "left alone.",
    ] = "mention"


class WebhookSettings(Struct, frozen=True, kw_only=True):
    """Programs that pass messages on, each request signed."""

    secret: Annotated[
        str | None,
        Meta(extra={"secret": True}),
        "Shared secret of the signatures, 16 characters or more. Without it the channel does not "
        "start.",
    ] = None
    reply_url: Annotated[
        str | None,
        "Where answers are posted, signed too. Unset: each is in the answer to its request.",
    ] = None


class ChannelSettings(Struct, frozen=True, kw_only=True):
    """Over which channels `recollect serve` answers, and whom."""

    enabled: Annotated[
        tuple[str, ...],
        Meta(max_length=50),
        "Channels that the worker starts: telegram, webhook, or one of an installed package. A "
        "change counts from its next start.",
    ] = ()
    agent: Annotated[
        str, Meta(min_length=1, max_length=64), "The agent in the session keys of channels."
    ] = "main"
    rate_per_minute: Annotated[
        int,
        Meta(ge=1, le=10_000, extra={"unit": "messages"}),
        "Messages that a sender may write in a minute, at once or spread. More are left out, after "
        "one line that says so.",
    ] = 30
    unknown_senders: Annotated[
        int,
        Meta(ge=1, le=100_000, extra={"unit": "senders"}),
        "Senders that were not allowed whose number of messages is kept; of more the oldest go.",
    ] = 1_000
    telegram: TelegramSettings = field(default_factory=TelegramSettings)
    webhook: WebhookSettings = field(default_factory=WebhookSettings)
