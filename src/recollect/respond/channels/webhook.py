"""The channel webhook: a program passes messages on and gets the answers, both signed.

The signature of a body at a time, seconds UTC, is ``v1=`` and the hex HMAC-SHA256 of
``<time>.<body>`` with the shared secret. One that is older than `FRESH_S` is refused, and so is an
event id that was taken before: a request that somebody recorded gets nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import threading
from collections.abc import Callable, Sequence

import httpx
import msgspec

from recollect.audience.account import account
from recollect.core.decoding import decode_json
from recollect.core.errors import ConfigError, Conflict, Denied, InvalidInput, NotFound
from recollect.models.http.auth import is_private
from recollect.models.http.retry import retry_after_s
from recollect.respond.channels.port import (
    SIGNATURE,
    TIMESTAMP,
    Address,
    ChannelParts,
    OnEvent,
    Receive,
    SendRejected,
    SendUnknown,
    Taken,
)
from recollect.respond.inbound import Inbound

FRESH_S = 300
_LEAST_SECRET = 16
_RETRY_S = 10.0
_HINT = "use channels.webhook.secret and the current time, see docs/channels.md"


class WebhookMessage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message that a program passes on.

    Attributes:
        event_id: Its id, never used again.
        sender: The id of who wrote it.
        text: What was written; empty for a message without a text.
        group: The id of the group, for one that several people read.
        thread: The thread within the conversation.
        name: The name of who wrote it.
        edits: The event id of the message that this one replaces.
        called: Whether a message of a group calls the agent.
    """

    event_id: str
    sender: str
    text: str = ""
    group: str | None = None
    thread: str | None = None
    name: str | None = None
    edits: str | None = None
    called: bool = False


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return the signature of a body at a time.

    >>> signature("secret", "1764288000", b"{}")[:11]
    'v1=253b1781'
    """
    digest = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256)
    return f"v1={digest.hexdigest()}"


def create(parts: ChannelParts) -> WebhookChannel:
    """Return the channel, from ``channels.webhook``.

    Raises:
        ConfigError: the secret is missing, or too short.
    """
    secret = parts.settings.webhook.secret or ""
    if len(secret) < _LEAST_SECRET:
        hint = f"set {_LEAST_SECRET} characters or more, such as `openssl rand -hex 32` prints"
        raise ConfigError("channels.webhook.secret must be set", hint=hint)
    return WebhookChannel(parts, secret)


class WebhookChannel:
    """The channel. Threads may share it.

    Args:
        parts: Settings, keys and time.
        secret: Shared with the other program.
    """

    name = "webhook"
    is_piecewise = False

    def __init__(self, parts: ChannelParts, secret: str) -> None:
        self._parts = parts
        self._secret = secret
        self.reply_url = parts.settings.webhook.reply_url
        """Where answers are posted; None: each is in the answer to its request."""
        self._receive: Receive | None = None
        self._open: set[tuple[str, str]] = set()
        """Messages that are being taken in."""
        self._lock = threading.Lock()

    def run(self, receive: Receive, stopping: Callable[[float], bool]) -> None:
        """Take requests in; see `port.Channel`."""
        self._receive = receive
        try:
            while not stopping(60):
                pass
        finally:
            self._receive = None

    def hook(
        self, body: bytes, timestamp: str | None, signed: str | None, on_event: OnEvent
    ) -> Taken:
        """Take in a message that a program posted.

        Args:
            body: Of the request.
            timestamp: Of its header `TIMESTAMP`.
            signed: Of its header `SIGNATURE`.
            on_event: Called with each event of the answer, from any thread.

        Raises:
            NotFound: the channel is not open.
            Denied: the signature is missing, wrong or old.
            InvalidInput: it is not a `WebhookMessage`.
            Conflict: the event id was taken before.
        """
        receive = self._receive
        if receive is None:
            raise NotFound("the webhook is not open", hint="try again later")
        self._check(body, timestamp or "", signed or "")
        inbound = self._inbound(body)
        name = (inbound.key, inbound.event_id or "")
        with self._lock:
            is_repeated = name in self._open
            self._open.add(name)
        try:
            outcome: Taken = (
                "repeated" if is_repeated else receive(inbound, {"id": name[1]}, on_event)
            )
        finally:
            with self._lock:
                self._open.discard(name)
        if outcome == "repeated":
            raise Conflict("the event id was taken before", hint="give each message its own")
        return outcome

    def parts(self, text: str) -> Sequence[str]:
        """Return the answer in one part; see `port.Channel`."""
        return (text,)

    def send(self, address: Address, text: str) -> None:
        """Post an answer; without an address to post to, the answer to the request has it."""
        if self.reply_url is None:
            return
        body = msgspec.json.encode({"event_id": address["id"], "text": text})
        timestamp = str(self._parts.now_ms() // 1_000)
        headers = {
            "content-type": "application/json",
            TIMESTAMP: timestamp,
            SIGNATURE: signature(self._secret, timestamp, body),
        }
        status, retry_after = self._post(self.reply_url, body, headers)
        if status in {429, 503}:
            raise SendRejected(f"http_{status}", retry_after)
        if 400 <= status < 500:
            raise SendRejected(f"http_{status}")
        if not 200 <= status < 300:
            raise SendUnknown

    def typing(self, address: Address) -> None:
        """Do nothing: a program does not watch."""

    def close(self) -> None:
        """Do nothing: each answer has a connection of its own."""

    def _post(self, url: str, body: bytes, headers: dict[str, str]) -> tuple[int, float | None]:
        try:
            answer = httpx.post(
                url,
                content=body,
                headers=headers,
                timeout=httpx.Timeout(30.0, connect=5.0),
                trust_env=not is_private(url),
            )
        except (httpx.ConnectError, httpx.ConnectTimeout):
            raise SendRejected("unreached", _RETRY_S) from None
        except httpx.HTTPError:
            raise SendUnknown from None
        pause_s = retry_after_s(answer.headers.get("retry-after"), self._parts.now_ms())
        return answer.status_code, pause_s if pause_s is not None else _RETRY_S

    def _check(self, body: bytes, timestamp: str, signed: str) -> None:
        expected = signature(self._secret, timestamp, body)
        if not hmac.compare_digest(signed.encode(), expected.encode()):
            raise Denied("the signature of the webhook is not right", hint=_HINT)
        now_s = self._parts.now_ms() // 1_000
        if (
            not timestamp.isascii()
            or not timestamp.isdecimal()
            or abs(now_s - int(timestamp)) > FRESH_S
        ):
            raise Denied("the signature of the webhook is old", hint=_HINT)

    def _inbound(self, body: bytes) -> Inbound:
        try:
            message = decode_json(body, WebhookMessage)
        except (msgspec.DecodeError, UnicodeDecodeError):
            fields = ", ".join(WebhookMessage.__struct_fields__)
            raise InvalidInput(
                "the body must be a message of a webhook", hint=f"give the fields {fields}"
            ) from None
        key = self._parts.key_for(
            self._parts.settings.agent,
            self.name,
            message.group or message.sender,
            chat_type="direct" if message.group is None else "group",
            thread=message.thread,
        )
        return Inbound(
            key=key,
            text=message.text,
            sender=str(account(self.name, None, message.sender)),
            event_id=message.event_id,
            edits=message.edits,
            name=message.name,
            reply_to_agent=message.called,
        )
