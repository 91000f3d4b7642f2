"""Visibility groups: which conversations hear of each other. `visibility_group_of` decides it all.

Search, read, view, flush and whoever else asks who hears something asks it. What is said stays
within its group. The columns of a session decide, so that its forks, which have no key, are in
its group too. One that is read by many, or of a kind that is not understood, is a group of
its own: the place with its threads and all the sessions that it ever had. In a session that people
share one by one, as all direct chats of OpenClaw share ``agent:main:main``, the sender of each
turn decides.
"""

from __future__ import annotations

import functools
from typing import Protocol

import msgspec

from recollect.audience.account import (
    DEFAULT,
    NO_CHANNEL,
    SUBAGENT,
    Account,
    account,
    stored_account,
    unescaped,
)
from recollect.audience.identity_links import IdentityLinks
from recollect.audience.owner import Owner
from recollect.audience.session_key import DIRECT, GROUP, is_group_id, without_thread
from recollect.core.scope import Place

MAIN_AGENT = "main"
"""The agent of conversations whose key names none, as in OpenClaw."""
JOB = "cron"
"""The chat type of scheduled jobs."""


class Conversation(Protocol):
    """Anything with the columns that say who hears it: a session, its row in part, a `Place`."""

    @property
    def agent(self) -> str | None:
        """Who speaks."""

    @property
    def user(self) -> str | None:
        """Whom it belongs to."""

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

    The owner has one group for each agent: of sessions without a channel and a user, scheduled jobs
    and the command line, and of the accounts that the settings name or link. Everybody else is
    a guest: in the group of their person where the links know one, else of their account.

    Args:
        session: Where it is said.
        owner: Whose agent it is, and who is linked to whom.
        sender: Whose turn it is, as `Message.turn_sender`; whoever the session is with where that
            is not known.
    """
    agent = (session.agent or MAIN_AGENT).lower()
    if not _is_personal(session):
        return _place(agent, session)
    who = stored_account(sender) if sender is not None else _partner(session, owner.links)
    if who is None or owner.owns(who):
        return VisibilityGroup(_name("operator", agent, None), is_private=True, is_owners=True)
    person = owner.links.known(who)
    if person is None and sender is None and session.chat_type != DIRECT:
        person = session.user
    if person is not None:
        return VisibilityGroup(_name("person", agent, person), is_private=True)
    parts = (who.channel, who.network, who.id)
    return VisibilityGroup(_name("account", agent, *parts), is_private=True)


def group_at(place: Place, owner: Owner) -> VisibilityGroup:
    """Return the visibility group of what happens at a place."""
    return visibility_group_of(place, owner, place.turn_sender)


def is_owners(session: Conversation, owner: Owner) -> bool:
    """Return whether a session is the owner's, as far as it tells who it is with."""
    return visibility_group_of(session, owner).is_owners


def _partner(session: Conversation, links: IdentityLinks) -> Account | None:
    """Return whom a private session is with; None where that is the owner.

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


def _place(agent: str, session: Conversation) -> VisibilityGroup:
    peer = without_thread(session.peer)
    is_group = session.chat_type == DIRECT and is_group_id(session.channel, peer or "")
    parts = (
        session.channel,
        None if session.account == DEFAULT else _unescaped(session.account),
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
