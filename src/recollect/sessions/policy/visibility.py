"""Visibility groups: which conversations hear of each other.

Every session belongs to one group, told by its columns alone, so that its forks, which have no key,
are in it too. What is said stays within the group. A conversation that is read by many, or of a
kind that is not understood, is a group of its own: the place with its threads and all the sessions
that it ever had.
"""

from __future__ import annotations

import msgspec

from recollect.sessions.record.identity_links import IdentityLinks
from recollect.sessions.record.session import Session
from recollect.sessions.record.session_key import DIRECT, without_thread

MAIN_AGENT = "main"
"""The agent of conversations whose key names none, as in OpenClaw."""
JOB = "cron"
"""The chat type of scheduled jobs."""
_SUBAGENT = "subagent"


class Speakers(msgspec.Struct, frozen=True, kw_only=True):
    """The columns of a session that say who hears it; fields as in `sessions.session.Session`."""

    agent: str | None = None
    user: str | None = None
    channel: str | None = None
    account: str | None = None
    chat_type: str | None = None
    peer: str | None = None


class VisibilityGroup(msgspec.Struct, frozen=True):
    """Those who hear of each other.

    Attributes:
        name: Equal for two sessions if they do.
        is_private: Whether it is one person's, who may also see the memory files.
    """

    name: str
    is_private: bool


def visibility_group_of(session: Speakers | Session, links: IdentityLinks) -> VisibilityGroup:
    """Return the visibility group of a session.

    A direct chat is in the group of its person where the links know one, else in that of its
    account. Sessions without a channel, and scheduled jobs, are of the user who owns them, or of
    the operator.
    """
    agent = (session.agent or MAIN_AGENT).lower()
    peer = without_thread(session.peer)
    if _SUBAGENT in (session.peer or "").split(":") or not _is_personal(session):
        return _group("place", agent, session.channel, session.account, session.chat_type, peer)
    if session.chat_type != DIRECT or peer is None:
        kind = "operator" if session.user is None else "person"
        return _group(kind, agent, session.user)
    person = links.known(session.channel, peer)
    if person is not None:
        return _group("person", agent, person)
    return _group("account", agent, session.channel, peer)


def _is_personal(session: Speakers | Session) -> bool:
    """Return whether a kind of chat is known to have one person in it; an unknown one has not."""
    if session.chat_type is None:
        return session.channel is None
    return session.chat_type in {DIRECT, JOB}


def _group(kind: str, *parts: str | None) -> VisibilityGroup:
    # As JSON no part can look like two.
    return VisibilityGroup(msgspec.json.encode([kind, *parts]).decode(), kind != "place")
