"""The channel Telegram: messages by long polling or a webhook, answers by `sendMessage`."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec

from recollect.core.decoding import decode_json
from recollect.core.errors import (
    ConfigError,
    Conflict,
    Denied,
    InvalidInput,
    NotFound,
    ProviderError,
    ProviderUnavailable,
)
from recollect.respond.channels.port import (
    Address,
    ChannelParts,
    Receive,
    SendRejected,
    SendUnknown,
    Taken,
)
from recollect.respond.channels.telegram.api import BotApi, BotRefusal
from recollect.respond.channels.telegram.updates import Update, UpdateReader, User, parts_of

POLL_S = 20
"""How long Telegram holds a request for updates that has none; a stop does not wait for it."""
HELD_S = 2.0
"""After so long a message whose session another program holds is taken again."""
KINDS = ["message", "edited_message"]
_SECRET = re.compile(r"[A-Za-z0-9_-]{16,256}")


def create(parts: ChannelParts) -> TelegramChannel:
    """Return the channel, from ``channels.telegram``.

    Raises:
        ConfigError: the token is missing, or in mode webhook the secret.
    """
    settings = parts.settings.telegram
    if settings.token is None:
        hint = "run `recollect config set channels.telegram.token`, with what @BotFather gave"
        raise ConfigError("channels.telegram.token must be set", hint=hint)
    is_secret = _SECRET.fullmatch(settings.webhook_secret or "") is not None
    if settings.mode == "webhook" and not is_secret:
        hint = "set 16 to 256 letters, digits, _ or -"
        raise ConfigError("channels.telegram.webhook_secret must be set", hint=hint)
    return TelegramChannel(parts, BotApi(settings.token, settings.base_url))


class TelegramChannel:
    """The channel. Threads may share it.

    Args:
        parts: Settings, keys and the cursor: the id of the next update.
        api: Calls Telegram.
    """

    name = "telegram"
    is_piecewise = True
    parts = staticmethod(parts_of)

    def __init__(self, parts: ChannelParts, api: BotApi) -> None:
        self._parts = parts
        self._settings = parts.settings.telegram
        self._api = api
        self._hooked: tuple[UpdateReader, Receive] | None = None

    def run(self, receive: Receive, stopping: Callable[[float], bool]) -> None:
        """Take updates in; see `port.Channel`."""
        me = self._call("getMe", User)
        settings, reader = self._settings, UpdateReader(me, self._parts)
        if settings.mode == "polling":
            self._call("deleteWebhook", bool)
            while not stopping(0):
                if not self._poll(reader, receive):
                    stopping(HELD_S)
            return
        if settings.webhook_url is not None:
            own = {"url": settings.webhook_url, "secret_token": settings.webhook_secret}
            self._call("setWebhook", bool, allowed_updates=KINDS, **own)
        self._hooked = (reader, receive)
        try:
            while not stopping(60):
                pass
        finally:
            self._hooked = None

    def hook(self, body: bytes, secret: str | None) -> Taken | None:
        """Take in an update that Telegram posted; None: it holds no message for us.

        Args:
            body: Of the request.
            secret: Of its header ``X-Telegram-Bot-Api-Secret-Token``.

        Raises:
            NotFound: the channel does not take updates this way.
            Denied: the secret is another one.
            InvalidInput: it is not an update.
        """
        hooked, expected = self._hooked, self._settings.webhook_secret
        if hooked is None or expected is None:
            raise NotFound("the webhook of telegram is not open", hint="let Telegram try again")
        if not hmac.compare_digest((secret or "").encode(), expected.encode()):
            raise Denied(
                "the secret of the webhook is another one",
                hint="start the worker with webhook_url to set it again",
            )
        try:
            update = decode_json(body, Update)
        except msgspec.DecodeError:
            hint = "leave this address to Telegram"
            raise InvalidInput("the body is not an update of Telegram", hint=hint) from None
        return _take(update, *hooked)

    def send(self, address: Address, text: str) -> None:
        """Send one part; see `port.Channel`."""
        reply_to = address.get("reply_to")
        replied = {"message_id": reply_to, "allow_sending_without_reply": True}
        fields = {
            "chat_id": address["chat"],
            "message_thread_id": address.get("thread"),
            "reply_parameters": None if reply_to is None else replied,
        }
        self._api.call("sendMessage", msgspec.Raw, text=text, **fields)

    def typing(self, address: Address) -> None:
        """Show that an answer is written; see `port.Channel`."""
        fields = {"chat_id": address["chat"], "message_thread_id": address.get("thread")}
        with suppress(SendRejected, SendUnknown):
            self._api.call("sendChatAction", msgspec.Raw, action="typing", **fields)

    def close(self) -> None:
        """Close the connections."""
        self._api.close()

    def _poll(self, reader: UpdateReader, receive: Receive) -> bool:
        """Take in what waits; its offset is stored once all of it is stored.

        Returns:
            False: another program holds the session of a message, which comes again.
        """
        cursor = self._parts.cursor
        offset = cursor.load()
        updates = self._call(
            "getUpdates",
            list[Update],
            read_s=POLL_S + 10.0,
            offset=offset or None,
            timeout=POLL_S,
            allowed_updates=KINDS,
        )
        updates = [each for each in updates if each.update_id >= offset]
        held_ids = [each.update_id for each in updates if not _is_taken(each, reader, receive)]
        if updates:
            cursor.store(min([*held_ids, 1 + max(each.update_id for each in updates)]))
        return not held_ids

    def _call(self, method: str, kind: Any, **fields: Any) -> Any:
        """Return the result of a method; an error says what to do."""
        try:
            return self._api.call(method, kind, **fields)
        except BotRefusal as error:
            raise _refusal(error) from None
        except (SendRejected, SendUnknown):
            hint = "check the network and channels.telegram.base_url; another try follows"
            raise ProviderUnavailable("telegram cannot be reached", hint=hint) from None


def _is_taken(update: Update, reader: UpdateReader, receive: Receive) -> bool:
    try:
        _take(update, reader, receive)
    except Conflict:
        return False
    return True


def _take(update: Update, reader: UpdateReader, receive: Receive) -> Taken | None:
    """Take in the message of an update; one that cannot be stored would come again for ever."""
    message = reader.read(update)
    if message is None:
        return None
    try:
        return receive(*message)
    except (InvalidInput, Denied):
        return None


def _refusal(error: BotRefusal) -> ConfigError | Conflict | ProviderError:
    if error.status in {401, 404}:
        hint = "set channels.telegram.token to the one that @BotFather shows"
        return ConfigError("telegram does not know the token", hint=hint)
    if error.status == 409:
        hint = "end the other program that asks for the messages of this bot"
        return Conflict("another program takes the messages of this bot", hint=hint)
    return ProviderUnavailable(
        f"telegram refuses with status {error.status}", hint="wait; another try follows"
    )
