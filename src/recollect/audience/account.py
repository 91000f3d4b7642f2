"""Accounts: one user of one channel. Who says a message, whom a direct chat is with, who owns.

Two accounts are one if channel, network and id are equal. The ids of some channels are the same all
over the world; elsewhere an id counts within its network, workspace or account of the agent only,
so that bob on two IRC networks is two people.
"""

from __future__ import annotations

import re

import msgspec

from recollect.core.errors import InvalidInput

GLOBAL = frozenset({"discord", "matrix", "signal", "telegram", "whatsapp"})
"""Channels whose user ids are unique without the account of the agent."""
DEFAULT_ACCOUNT = "default"
"""The account of an agent that has only one on a channel; equal to none."""
NO_CHANNEL = "unknown"
"""The channel of an account that came without one."""
MAX_CHARS = 512

_HINT = "write channel:id, such as telegram:42, or channel:network:id, such as irc:libera:bob"
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

SUBAGENT = "subagent"
"""The part of a key after which the name of a sub-agent comes."""
_SUBAGENT_ESCAPED = "%73ubagent"


class Account(msgspec.Struct, frozen=True):
    """One user of one channel.

    Attributes:
        channel: ``telegram``, ``irc`` …; None for a name without one.
        network: The network, workspace or account of the agent; None for the only one.
        id: The id of the user there.
    """

    channel: str | None
    network: str | None
    id: str

    def __str__(self) -> str:
        parts = (self.channel, self.network, self.id)
        return ":".join(escaped(part) for part in parts if part is not None)


def account(channel: str | None, network: str | None, user: str) -> Account:
    """Return an account in its one spelling.

    >>> account("Telegram", "work", "42") == account("telegram", None, "42")
    True
    """
    channel = None if channel is None else channel.strip().lower()
    is_plain = channel is None or channel in GLOBAL or network == DEFAULT_ACCOUNT
    return Account(channel, None if is_plain else network, user)


def sender_of(name: object) -> str:
    """Return the account of a sender as it is stored; a name alone gets a channel of its own.

    Raises:
        InvalidInput: see `parse_account`.

    >>> sender_of("Telegram: 42"), sender_of("ann")
    ('telegram:42', 'unknown:ann')
    """
    who = parse_account(name)
    return str(who if who.channel is not None else account(NO_CHANNEL, None, who.id))


def parse_account(name: object) -> Account:
    """Return the account of ``channel:id`` or ``channel:network:id``; a name alone has no channel.

    A colon within a part is written ``%3A``, and a percent sign ``%25``.

    Raises:
        InvalidInput: it is not a printable text of at most `MAX_CHARS`, or a part is empty.

    >>> str(parse_account("matrix:@bob:example.org")), str(parse_account("irc:libera:bob"))
    ('matrix:@bob%3Aexample.org', 'irc:libera:bob')
    """
    if not isinstance(name, str) or not 0 < len(name) <= MAX_CHARS:
        raise InvalidInput("a sender must be a text", hint=_HINT)
    if _UNPRINTABLE.search(name):
        raise InvalidInput("a sender must be printable", hint=_HINT)
    channel, colon, rest = (part.strip() for part in name.partition(":"))
    if not channel or (colon and not rest):
        raise InvalidInput("a sender must be an account", hint=_HINT)
    if not colon:
        return account(None, None, unescaped(channel))
    network, mark, user = rest.partition(":")
    if channel.lower() in GLOBAL or not mark:
        return account(unescaped(channel), None, unescaped(rest))
    if not network.strip() or not user.strip():
        raise InvalidInput("a sender must be an account", hint=_HINT)
    return account(unescaped(channel), unescaped(network.strip()), unescaped(user))


def stored_account(sender: str) -> Account:
    """Return the account of a stored sender; one that was damaged is a guest's."""
    try:
        return parse_account(sender)
    except InvalidInput:
        return Account(NO_CHANNEL, None, sender)


def escaped(part: str) -> str:
    """Return a part of a key or account in which no colon can be taken for the end of it.

    Nor is a person whose name is the word for a sub-agent taken for one.

    >>> escaped("direct:U7"), unescaped("direct%3AU7"), escaped("subagent")
    ('direct%3AU7', 'direct:U7', '%73ubagent')
    """
    plain = part.replace("%", "%25").replace(":", "%3A")
    return _SUBAGENT_ESCAPED if plain == SUBAGENT else plain


def unescaped(part: str) -> str:
    """Return the part that `escaped` was given."""
    if part == _SUBAGENT_ESCAPED:
        return SUBAGENT
    return part.replace("%3A", ":").replace("%25", "%")
