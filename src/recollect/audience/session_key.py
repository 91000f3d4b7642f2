"""Session keys: who and where a conversation is, written as one text.

Understood are the long form, ``agent:{agentId}:{channel}:{accountId}:{chatType}:{userId}``, the
short ``{channel}:{userId}`` of OpenClaudeCode, the forms between that OpenClaw writes
(``agent:main:main``, ``agent:main:telegram:group:-100``), and any plain name. A key names
a conversation; which session is its current one is not known here.
"""

from __future__ import annotations

import re

import msgspec

from recollect.audience.account import DEFAULT_ACCOUNT, GLOBAL, account, escaped, unescaped
from recollect.core.errors import InvalidInput

MAX_KEY_CHARS = 512
"""Longest key. Real ones stay under 200; a longer one is a mistake or an attack on the index."""

DIRECT = "direct"
"""The chat type of a conversation with one person."""
GROUP = "group"
"""The chat type of a conversation of several people."""
MAIN = "main"
"""Names the session of an agent that all direct chats may share."""
UNKNOWN = "unknown"
"""The chat type of what was imported without a record of who heard it."""

_TYPES = (DIRECT, "group", "channel", "room", "thread", "cron", "subagent", "acp")
_TYPE_WORDS = dict(zip(_TYPES, _TYPES, strict=True), dm=DIRECT)
GROUPS = frozenset({"group", "channel", "room", "thread"})
"""Chat types that more than one person reads."""
_THREAD = ":thread:"
AUTOMATIC = frozenset({"cron", "hook", "subagent", "acp"})
"""Chat types without a person in them."""
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class SessionKey(msgspec.Struct, frozen=True, kw_only=True):
    """Who and where, read from the text of a key.

    Attributes:
        text: The normalised key; two keys are the same conversation if their texts are equal.
        agent: The agent that speaks, where the key names one.
        channel: The medium (``telegram``, ``slack`` ...), where the key names one.
        account: The account of the agent on that channel.
        chat_type: ``direct``, ``group``, ``channel`` ..., where it is known.
        peer: The other side: a person, a group, a job.
    """

    text: str
    agent: str | None = None
    channel: str | None = None
    account: str | None = None
    chat_type: str | None = None
    peer: str | None = None

    @property
    def user(self) -> str | None:
        """Who owns the session: the account of a direct chat; None elsewhere.

        >>> parse_key("agent:main:telegram:direct:42:thread:7").user
        'telegram:42'
        >>> parse_key("agent:main:direct:ann").user
        'ann'
        """
        if self.chat_type != DIRECT:
            return None
        return user_at(self.channel, self.account, self.peer)

    @property
    def is_bare(self) -> bool:
        """Whether it is a plain name, which says neither who speaks nor where.

        >>> parse_key("notes").is_bare, parse_key("agent:main:main").is_bare
        (True, False)
        """
        return self.agent is None and self.channel is None and self.chat_type is None

    @property
    def plain_name(self) -> str | None:
        """The plain name that it is, of an agent or of none: no main session, no job, no chat.

        >>> parse_key("alice").plain_name, parse_key("agent:main:alice").plain_name
        ('alice', 'alice')
        >>> parse_key("agent:main:main").plain_name, parse_key("slack:42").plain_name
        (None, None)
        """
        if self.channel is not None or self.chat_type is not None:
            return None
        is_main = self.agent is not None and without_thread(self.peer) == MAIN
        return None if is_main else self.peer or self.text or None

    @property
    def is_group(self) -> bool:
        """Whether more than one person can read it."""
        return self.chat_type in GROUPS

    @property
    def thread(self) -> str | None:
        """The thread of a group or channel, where the key names one.

        >>> parse_key("agent:main:slack:channel:C1:thread:9").thread
        '9'
        """
        _, mark, thread = (self.peer or "").partition(_THREAD)
        return thread if mark else None

    @property
    def place(self) -> SessionKey:
        """The key of the conversation that a thread is in; itself without one."""
        if self.thread is None:
            return self
        return parse_key(self.text[: -len(f"{_THREAD}{self.thread}")])

    @property
    def depth(self) -> int:
        """The number of agents between the user and this one: 0, or the sub-agents in the key."""
        return sum(part == "subagent" for part in self.text.split(":"))

    @property
    def is_automatic(self) -> bool:
        """Whether no person speaks in it: a job, a hook or a sub-agent."""
        return self.chat_type in AUTOMATIC or self.depth > 0


def parse_key(text: str) -> SessionKey:
    """Return the key that a text denotes, normalised.

    Agent, channel and chat type lose their case and surrounding blanks; an account or peer keeps
    its case, because two people may differ in nothing else. A peer may hold colons; what comes from
    outside must not, so write them there as ``%3A``, and a percent sign as ``%25``, as `key_for`
    does. A direct chat with the id of a group is a group: negative ones of Telegram, ``…@g.us``.

    Raises:
        InvalidInput: not a text, empty, longer than `MAX_KEY_CHARS`, with control characters, with
            an empty part between colons, or an agent without a conversation.

    >>> parse_key("agent:Main:telegram:acc:direct:42").peer
    '42'
    >>> parse_key("telegram:42").channel
    'telegram'
    """
    parts = _parts(text)
    if parts[0].lower() == "agent":
        return _agent_key(parts)
    if len(parts) == 2:
        return _channel_key(parts[0].lower(), parts[1])
    if len(parts) > 2:
        return _agentless_key(parts)
    return SessionKey(text=parts[0])


def direct_key(
    agent: str,
    channel: str,
    peer: str,
    *,
    account: str = "default",
    scope: str = "per-account-channel-peer",
) -> SessionKey:
    """Return the key of a direct chat, under the rule that says which chats share a session.

    Args:
        agent: Who speaks.
        channel: Where; empty for an unknown one.
        peer: To whom: a person's name where links know it. Empty for the agent's main session.
        account: The agent's account there.
        scope: ``main``, ``per-peer``, ``per-channel-peer`` or ``per-account-channel-peer``. Where
            ids count within an account only, the third names the account too: bob on another
            network is another person.

    Raises:
        InvalidInput: a part cannot be one, or the rule is unknown.

    >>> direct_key("main", "telegram", "123", scope="per-peer").text
    'agent:main:direct:123'
    """
    channel = channel or "unknown"
    is_one = account == DEFAULT_ACCOUNT or channel.strip().lower() in GLOBAL
    channel_parts: dict[str, tuple[str, ...]] = {
        "main": (),
        "per-peer": (),
        "per-channel-peer": (channel,) if is_one else (channel, account),
        "per-account-channel-peer": (channel, account),
    }
    if scope not in channel_parts:
        raise InvalidInput(
            "unknown scope of direct chats", hint=f"use one of {', '.join(channel_parts)}"
        )
    if scope == "main" or not peer.strip():
        return parse_key(f"agent:{agent}:main")
    return parse_key(joined("agent", agent, *channel_parts[scope], DIRECT, peer))


def joined(*parts: str) -> str:
    """Return parts as one key, in which none can be taken for two.

    >>> joined("agent", "main", "slack", "group", "direct:U7")
    'agent:main:slack:group:direct%3AU7'
    """
    return ":".join(escaped(part.strip()) for part in parts)


def check_chat_type(word: str) -> str:
    """Return a kind of chat as keys name it.

    Raises:
        InvalidInput: no key can name it.
    """
    chat_type = _TYPE_WORDS.get(word.strip().lower())
    if chat_type is None:
        kinds = ", ".join(sorted(set(_TYPE_WORDS.values())))
        raise InvalidInput("unknown kind of chat", hint=f"use one of {kinds}")
    return chat_type


def is_group_id(channel: str | None, peer: str) -> bool:
    """Return whether an id is that of a group, whatever the kind of chat is said to be."""
    if channel == "telegram":
        return peer.startswith("-")
    return channel == "whatsapp" and (without_thread(peer) or "").lower().endswith("@g.us")


def without_thread(peer: str | None) -> str | None:
    """Return a peer without the thread that its text may end with."""
    return None if peer is None else peer.partition(_THREAD)[0]


def user_at(channel: str | None, network: str | None, peer: str | None) -> str:
    """Return the user of a direct chat: its account, or, without a channel, a name or id alone.

    >>> user_at("slack", "acme", "U7"), user_at(None, None, "ann")
    ('slack:acme:U7', 'ann')
    """
    id_ = unescaped(without_thread(peer) or "")
    if channel is None:
        return id_
    return str(account(channel, None if network is None else unescaped(network), id_))


_SHAPE = "Write agent:<agent>:<channel>:<account>:<chat type>:<peer>, <channel>:<peer> or a name."


def _parts(text: object) -> list[str]:
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput("the session key is empty", hint=_SHAPE)
    if len(text) > MAX_KEY_CHARS:
        raise InvalidInput(
            f"the session key is longer than {MAX_KEY_CHARS} characters",
            hint="shorten it; a key names a conversation, it does not describe it",
            length=len(text),
        )
    if _UNPRINTABLE.search(text):
        raise InvalidInput("the session key holds a control character", hint=_SHAPE)
    parts = [part.strip() for part in text.split(":")]
    if not all(parts):
        raise InvalidInput("the session key has an empty part", hint=_SHAPE)
    return parts


def _agent_key(parts: list[str]) -> SessionKey:
    if len(parts) < 3:
        raise InvalidInput("the session key names an agent but no conversation", hint=_SHAPE)
    agent, rest = parts[1].lower(), parts[2:]
    conversation = _conversation(rest)
    return msgspec.structs.replace(
        conversation, text=":".join(["agent", agent, *_spelt(conversation)]), agent=agent
    )


def _agentless_key(parts: list[str]) -> SessionKey:
    """Read a key that names no agent: a kind of chat is understood, any other name kept."""
    if _is_typed(parts[:-1]):
        conversation = _conversation(parts)
        return msgspec.structs.replace(conversation, text=":".join(_spelt(conversation)))
    return SessionKey(text=":".join(parts), channel=parts[0].lower(), peer=":".join(parts[1:]))


def _spelt(conversation: SessionKey) -> list[str]:
    every = (conversation.channel, conversation.account, conversation.chat_type, conversation.peer)
    return [part for part in every if part]


def _conversation(rest: list[str]) -> SessionKey:
    """Read what follows the agent; the position of the chat type decides the form."""
    is_thread = len(rest) > 2 and rest[-2].lower() == "thread"
    if is_thread and (_is_typed(rest[:-3]) or rest[:-2] == [MAIN]):
        conversation = _conversation(rest[:-2])
        return msgspec.structs.replace(conversation, peer=f"{conversation.peer}{_THREAD}{rest[-1]}")
    typed = [part.lower() in _TYPE_WORDS for part in rest[:-1]]
    # The long form comes first: an account may be called "group".
    if len(rest) >= 4 and (typed[2] or not any(typed[:2])):
        return _typed(rest, 2)
    for position in (1, 0):
        if len(typed) > position and typed[position]:
            return _typed(rest, position)
    if len(rest) == 1:
        return SessionKey(text="", peer=rest[0].lower())
    return SessionKey(text="", channel=rest[0].lower(), peer=":".join(rest[1:]))


def _is_typed(parts: list[str]) -> bool:
    return any(part.lower() in _TYPE_WORDS for part in parts)


def _typed(rest: list[str], position: int) -> SessionKey:
    word = rest[position].lower()
    channel = rest[0].lower() if position else None
    peer = ":".join(rest[position + 1 :])
    return SessionKey(
        text="",
        channel=channel,
        account=rest[1] if position == 2 else None,
        chat_type=_kind(_TYPE_WORDS.get(word, word), channel, peer),
        peer=peer,
    )


def _kind(chat_type: str, channel: str | None, peer: str) -> str:
    return GROUP if chat_type == DIRECT and is_group_id(channel, peer) else chat_type


def _channel_key(channel: str, peer: str) -> SessionKey:
    chat_type = channel if channel in AUTOMATIC | GROUPS else _kind(DIRECT, channel, peer)
    return SessionKey(text=f"{channel}:{peer}", channel=channel, chat_type=chat_type, peer=peer)
