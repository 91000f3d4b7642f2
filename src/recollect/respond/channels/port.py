"""The port of channels: what brings messages in and takes answers out.

A package brings one as an entry point of the group `GROUP`: a function
``create(parts: ChannelParts) -> Channel``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from recollect.core.plugins import load_plugin
from recollect.core.settings import ChannelSettings
from recollect.respond.channels.deliveries import ChannelCursor
from recollect.respond.inbound import Inbound
from recollect.respond.reply import ReplyEvent

GROUP = "recollect.channels"
TIMESTAMP = "x-recollect-timestamp"
SIGNATURE = "x-recollect-signature"
"""The headers of what is signed."""

Address: TypeAlias = Mapping[str, Any]
"""Where an answer goes, in words of the channel that JSON can hold."""
Taken: TypeAlias = Literal["taken", "repeated", "unknown", "denied", "limited"]
"""What became of a message: ``repeated``: its id was taken before; ``unknown``: its sender was not
allowed; ``limited``: too many came."""
OnEvent: TypeAlias = Callable[[ReplyEvent], None]
KeyFor: TypeAlias = Callable[..., str]
"""Makes the session key of a conversation: `Sessions.key_for`."""


class SendRejected(Exception):
    """The other side refused a message, and does not show it.

    Args:
        code: Why, a word of ours or of the other side; never a text of a user.
        retry_s: Seconds after which it may be sent again; None: never.
    """

    def __init__(self, code: str, retry_s: float | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.retry_s = retry_s


class SendUnknown(Exception):
    """The connection broke: a message may have arrived or not."""


class Receive(Protocol):
    """Takes a message in; returns once it is stored, or refused."""

    def __call__(
        self, inbound: Inbound, address: Address, on_event: OnEvent | None = None
    ) -> Taken:
        """Return what became of it; a message whose id was taken before is not taken again.

        Args:
            inbound: The message.
            address: Where its answer goes.
            on_event: Called too with each event of the answer, from any thread.

        Raises:
            InvalidInput: it cannot be stored.
            StoreError: it is not stored; it must be given again.
        """


class Channel(Protocol):
    """A channel. Threads may share it.

    Attributes:
        name: As in ``channels.enabled``; the channel in session keys.
        is_piecewise: Whether an answer is sent in blocks as it comes, or whole at its end.
    """

    name: str
    is_piecewise: bool

    def run(self, receive: Receive, stopping: Callable[[float], bool]) -> None:
        """Take messages in until it is stopped; raise what makes that impossible.

        Args:
            receive: Takes a message in.
            stopping: Waits so many seconds; returns at once, and True, when it is to stop.

        Raises:
            RecollectError: it cannot go on; it is run again after a while.
        """

    def parts(self, text: str) -> Sequence[str]:
        """Return an answer in parts that fit into one message each."""

    def send(self, address: Address, text: str) -> None:
        """Send one part of an answer.

        Raises:
            SendRejected: it was refused, and is not shown.
            SendUnknown: whether it arrived is not known.
        """

    def typing(self, address: Address) -> None:
        """Show for some seconds that an answer is written. Never raises."""

    def close(self) -> None:
        """Give up connections, after everything else; `run` may still be waiting."""


class ChannelParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a channel is made of.

    Attributes:
        settings: Of all channels.
        key_for: Makes session keys.
        cursor: Kept for it in the records: up to where it has taken messages in.
        now_ms: The time, ms UTC.
    """

    settings: ChannelSettings
    key_for: KeyFor
    cursor: ChannelCursor
    now_ms: Callable[[], int]


def create_channel(name: str, parts: ChannelParts) -> Channel:
    """Return the channel with a name.

    Raises:
        InvalidInput: no package has a channel with that name.
        ConfigError: its settings do not let it start.
        ProviderError: it cannot be imported.
    """
    channel: Channel = load_plugin(GROUP, name, "channel", ())(parts)
    return channel
