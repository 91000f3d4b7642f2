"""Visibility: which conversations hear of each other, who asks, and what of the records they hear.

What is said stays within its visibility group; `visibility_group_of` decides it all. The columns of
a session decide, so that its forks, which have no key, are in its group too. One that is read by
many, or of a kind that is not understood, is a group of its own: the conversation with its threads
and all the sessions that it ever had. In a session that people share one by one, as all direct
chats of OpenClaw share ``agent:main:main``, the sender of each turn decides.

Who asks is known at the edge: the arguments ``for_session`` and ``for_sender`` become one `Asker`
in the first lines of a public call. What an asker hears may change with every message and every
setting, so each read resolves it again, inside its own snapshot, and keeps it for no other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import LiteralString, Protocol, TypeAlias

import msgspec

from recollect.audience.account import (
    DEFAULT_ACCOUNT,
    NO_CHANNEL,
    SUBAGENT,
    Account,
    account,
    stored_account,
    unescaped,
)
from recollect.audience.identity_links import NOBODY_LINKED, IdentityLinks
from recollect.audience.owner import OWNER_HINT, OWNER_ID, Owner
from recollect.audience.session_key import DIRECT, GROUP, is_group_id, without_thread
from recollect.core.decoding import json_decoder
from recollect.core.errors import Denied
from recollect.core.scope import ConversationTurn
from recollect.core.settings import matches
from recollect.store.columns import Condition
from recollect.store.engine import Transaction

OPERATORS = "*"
"""The key of what the owner hears without an account."""
MAIN_AGENT = "main"
"""The agent of conversations whose key names none, as in OpenClaw."""
JOB = "cron"
"""The chat type of scheduled jobs."""
_parts = json_decoder(list[str | None]).decode


class Conversation(Protocol):
    """Anything with the columns that say who hears it: a session, its row in part, a turn."""

    @property
    def agent(self) -> str | None:
        """Who speaks."""

    @property
    def user(self) -> str | None:
        """Its owner."""

    @property
    def channel(self) -> str | None:
        """Where, such as ``telegram``."""

    @property
    def account(self) -> str | None:
        """The account of the agent there."""

    @property
    def chat_type(self) -> str | None:
        """The kind of chat, such as ``direct``."""

    @property
    def peer(self) -> str | None:
        """The other side: a person, a group, a job."""


class Speakers(msgspec.Struct, frozen=True, kw_only=True):
    """The columns of a session that say who hears it; fields as in `Conversation`."""

    agent: str | None = None
    user: str | None = None
    channel: str | None = None
    account: str | None = None
    chat_type: str | None = None
    peer: str | None = None


class VisibilityGroup(msgspec.Struct, frozen=True):
    """Those who hear of each other.

    Attributes:
        name: Equal for two turns if they do.
        is_private: Whether it is one person's.
        is_owners: Whether that is the owner of the home, whose the memory files are.
    """

    name: str
    is_private: bool
    is_owners: bool = False


def visibility_group_of(
    session: Conversation, owner: Owner, sender: str | None = None
) -> VisibilityGroup:
    """Return the visibility group of a session, or of a turn in it.

    The owner has one group for all agents that are not apart, and one for each that is: of sessions
    without a channel and a user, scheduled jobs and the command line, and of the accounts that the
    settings name or link. Everybody else is a guest of one agent: in the group of their person
    where the links know one, else of their account.

    Args:
        session: The session in which it is said.
        owner: The owner of the agent, and who is linked to whom.
        sender: The sender of the turn, as `Message.turn_sender`; if not known, the one that the
            session is with.
    """
    agent = (session.agent or MAIN_AGENT).lower()
    if not _is_personal(session):
        return _shared_group(agent, session)
    who = stored_account(sender) if sender is not None else _partner(session, owner.links)
    if who is None or owner.owns(who):
        side = owner.walls.side(agent)
        return VisibilityGroup(_name("operator", side, None), is_private=True, is_owners=True)
    person = owner.links.known(who)
    if person is None and sender is None and session.chat_type != DIRECT:
        person = session.user
    if person is not None:
        return VisibilityGroup(_name("person", agent, person), is_private=True)
    parts = (who.channel, who.network, who.id)
    return VisibilityGroup(_name("account", agent, *parts), is_private=True)


def agent_of_group(name: str) -> str | None:
    """Return the agent that the name of a visibility group names; None without one.

    >>> agent_of_group('["operator","work",null]')
    'work'
    """
    try:
        return _parts(name)[1]
    except (msgspec.DecodeError, IndexError):
        return None


def _indexed_names(group: VisibilityGroup, owner: Owner, agents: Collection[str]) -> frozenset[str]:
    """Return what the index calls a group, of which it names each agent: see `with_walls`."""
    if not group.is_private:
        return frozenset({group.name})
    kind, agent, *parts = _parts(group.name)
    links = owner.links
    people, accounts = [*parts], frozenset[Account]()
    if kind == "account":
        return frozenset({group.name})
    sharing = [agent] if agent else [each for each in agents if owner.walls.side(each) is None]
    if kind == "operator":
        people = [name for name in links.added if owner.owns_person(name)]
        people += [name for name in links.names if owner.owns_person(name)]
        accounts = owner.accounts
    linked = [account for name in people for account in links.added.get(name or "", ())]
    own = [(kind, *parts), *(("person", name) for name in people)]
    own += [("account", a.channel, a.network, a.id) for a in (*accounts, *linked)]
    own += [("person", a.id) for a in (*accounts, *linked) if a.channel is None]
    return frozenset(_name(first, each, *rest) for first, *rest in own for each in sharing)


def group_of_turn(turn: ConversationTurn, owner: Owner) -> VisibilityGroup:
    """Return the visibility group of what happens at a place."""
    return visibility_group_of(turn, owner, turn.turn_sender)


def account_of_turn(turn: ConversationTurn, owner: Owner) -> str | None:
    """Return the account that speaks in a turn; None if it is not known.

    The owner without an account is `OWNER_ID`, a user without a channel their name.
    """
    if turn.turn_sender is not None:
        return str(stored_account(turn.turn_sender))
    if not _is_personal(turn):
        return None
    who = _partner(turn, owner.links)
    return OWNER_ID if who is None else str(who)


def speaker_of(turn: ConversationTurn, group: VisibilityGroup, owner: Owner) -> str | None:
    """Return who speaks in a turn, within its group; empty in a private one, None if not known."""
    if group.is_private:
        return ""
    if turn.turn_sender is None:
        return None
    who = stored_account(turn.turn_sender)
    return "owner" if owner.owns(who) else owner.links.known(who) or str(who)


def hearer_of(turn: ConversationTurn) -> str:
    """Return a key of who hears what happens at a place, whoever is linked to whom.

    Different groups may have the same one, so it narrows a look-up, and decides nothing. It is the
    id of the account or person, or the name of the group.

    >>> hearer_of(ConversationTurn(None, None, "telegram", None, "direct", "7", None))
    '7'
    """
    if not _is_personal(turn):
        return _shared_group((turn.agent or MAIN_AGENT).lower(), turn).name
    if turn.turn_sender is not None:
        return stored_account(turn.turn_sender).id
    who = _partner(turn, NOBODY_LINKED)
    return OPERATORS if who is None else who.id


def hearers_of(group: VisibilityGroup, owner: Owner) -> frozenset[str]:
    """Return all keys that turns of a group can have, see `hearer_of`."""
    if not group.is_private:
        return frozenset({group.name})
    kind, _, *parts = _parts(group.name)
    if kind == "account":
        return frozenset({parts[-1] or ""})
    links, people = owner.links, {name for name in parts if name}
    keys = {*people}
    if kind == "operator":
        people |= {name for name in (*links.names, *links.added) if owner.owns_person(name)}
        keys |= {OPERATORS, *people, *(each.id for each in owner.accounts)}
    keys.update(each.id for each, name in links.people.items() if name in people)
    keys.update(id_ for id_, name in links.anywhere.items() if name in people)
    return frozenset(keys)


def is_owners(session: Conversation, owner: Owner) -> bool:
    """Return whether a session is the owner's, as far as it names its partner."""
    return visibility_group_of(session, owner).is_owners


def _partner(session: Conversation, links: IdentityLinks) -> Account | None:
    """Return the partner of a private session; None if that is the owner.

    A key without a channel may hold the name of a linked person, as `key_for` puts it there.
    """
    if session.chat_type == DIRECT:
        peer = unescaped(without_thread(session.peer) or "")
        channel = session.channel or (None if peer in links.names else NO_CHANNEL)
        return account(channel, _unescaped(session.account), peer)
    return None if session.user is None else account(None, None, session.user)


def may_be_with(session: Conversation, who: Account, links: IdentityLinks) -> bool:
    """Return whether a key without a channel names an account: by its id, or by its person."""
    peer = unescaped(without_thread(session.peer) or "")
    is_open = session.chat_type == DIRECT and session.channel is None
    return is_open and peer in {who.id, links.known(who)}


def _is_personal(session: Conversation) -> bool:
    """Return whether a kind of chat is known to have one person in it; an unknown one has not."""
    peer = session.peer or ""
    if SUBAGENT in peer.split(":") or is_group_id(session.channel, peer):
        return False
    if session.chat_type == DIRECT:
        return bool(peer)
    return session.chat_type in {None, JOB} and session.channel in {None, session.chat_type}


def _shared_group(agent: str, session: Conversation) -> VisibilityGroup:
    peer = without_thread(session.peer)
    is_group = session.chat_type == DIRECT and is_group_id(session.channel, peer or "")
    parts = (
        session.channel,
        None if session.account == DEFAULT_ACCOUNT else _unescaped(session.account),
        GROUP if is_group else session.chat_type,
        _unescaped(peer),
    )
    return VisibilityGroup(_name("place", agent, *parts), is_private=False)


def _unescaped(part: str | None) -> str | None:
    return None if part is None else unescaped(part)


@functools.lru_cache(maxsize=1024)
def _name(kind: str, *parts: str | None) -> str:
    # As JSON no part can look like two.
    return msgspec.json.encode([kind, *parts]).decode()


class Asker(msgspec.Struct, frozen=True):
    """On whose behalf a request is made: a session's or, without one, the operator's.

    Attributes:
        session_id: The session that gets the answer.
        sender: The account that gets it; None for the sender of the turn of its newest message.
    """

    session_id: str | None = None
    sender: str | None = None


OPERATOR = Asker()


class Audience(msgspec.Struct, frozen=True, kw_only=True):
    """What an asker hears.

    Attributes:
        owner: The owner of the agent, and who is linked to whom.
        group: The visibility group; None for the operator.
        shares_observations: Whether guests and groups hear what the agent did for them.
        guests_read: Patterns of the memory files that guests see, relative to the workspace.
    """

    owner: Owner
    group: VisibilityGroup | None = None
    shares_observations: bool = False
    guests_read: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash((self.group, self.shares_observations, self.guests_read))  # links are a dict

    @property
    def name(self) -> str:
        """The name of the visibility group; empty for the operator."""
        return "" if self.group is None else self.group.name

    def names(self, agents: Collection[str]) -> frozenset[str]:
        """Return the visibility groups of the index that are heard: it has no links of the records.

        What it calls an account's, or another name's, is the person's as long as that is linked.

        Args:
            agents: Those of which the index has groups.
        """
        return frozenset() if self.group is None else _indexed_names(self.group, self.owner, agents)

    @property
    def is_owners(self) -> bool:
        """Whether the operator or the owner asks: they see memory files, inputs and outputs."""
        return self.group is None or self.group.is_owners

    @property
    def hears_deeds(self) -> bool:
        """Whether the agent's actions in the turns that are heard are heard, too."""
        return self.is_owners or self.shares_observations

    def hears(self, session: Conversation, sender: str | None = None) -> bool:
        """Return whether a sender's turns in a session are heard; None means unknown senders."""
        return self.group is None or visibility_group_of(session, self.owner, sender) == self.group

    def hears_record(self, kind: str, turn: ConversationTurn) -> bool:
        """Return whether a message or an observation of a place is heard."""
        is_kind = kind != "observation" or self.hears_deeds
        return is_kind and self.hears(turn, turn.turn_sender)

    def sees_file(self, path: str) -> bool:
        """Return whether a memory file is seen, by its path relative to the workspace."""
        if self.group is None or self.group.is_owners:
            return True
        return self.group.is_private and any(matches(path, each) for each in self.guests_read)

    def require_file(self, path: str) -> None:
        """Refuse a memory file that may not be seen.

        Raises:
            Denied: it is the owner's, and the settings do not share it with guests.
        """
        if self.sees_file(path):
            return
        if self.group is not None and not self.group.is_private:
            raise Denied(
                "a group does not see memory files",
                hint="read them in a direct chat, or without for_session as their owner",
            )
        shares = "share files with guests by sessions.guests_read"
        raise Denied(
            "a guest does not see memory files",
            hint=shares if self.owner.is_named else f"{OWNER_HINT}; or {shares}",
        )


Resolve: TypeAlias = Callable[[Transaction, Asker], Audience]
"""Returns what an asker hears, in the snapshot of a read; raises `NotFound` without the session,
`InvalidInput` for a sender that cannot be an account or has no session, `Denied` for one whom the
session is not with."""


class HeardTurns(msgspec.Struct, frozen=True):
    """Which turns of a session are heard: of these senders, and whether of unknown ones."""

    senders: tuple[str, ...]
    unnamed: bool
    is_all: bool = False
    """No message is left out, whatever turn it belongs to."""

    def includes(self, sender: str | None) -> bool:
        """Return whether a turn of a sender is one of them; None means an unknown sender."""
        return self.is_all or (self.unnamed if sender is None else sender in self.senders)

    def narrow(self, where: Condition) -> None:
        """Narrow a condition to the messages of these turns."""
        if self.is_all:
            return
        by_sender: LiteralString = " OR turn_sender = ?" * len(self.senders)
        unnamed: LiteralString = "turn_sender IS NULL" if self.unnamed else "1 = 0"
        where.sql += " AND (" + unnamed + by_sender + ")"
        where.params += self.senders


EVERY_TURN = HeardTurns((), unnamed=True, is_all=True)
NO_TURN = HeardTurns((), unnamed=False)
