"""The owner: the person whose agent it is. The settings name the accounts; all others are guests'.

`is_owners` is the one place that decides whether a session is the owner's.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from recollect.core.errors import ConfigError
from recollect.sessions.policy.visibility import JOB, Speakers, visibility_group_of
from recollect.sessions.record.identity_links import NOBODY_LINKED, IdentityLinks
from recollect.sessions.record.session import Session
from recollect.sessions.record.session_key import DIRECT, without_thread

OWNER_HINT = (
    "name your own accounts: `recollect config set sessions.owner telegram:42,slack:U7`; "
    "chats with anybody else are never flushed"
)
"""What to do where no owner is named."""


class Owner(msgspec.Struct, frozen=True):
    """Whose agent it is.

    Attributes:
        accounts: Channel and user id of each account; no channel for a name without one.
        links: Which accounts are one person: who is linked to one of the owner's is the owner.
    """

    accounts: frozenset[tuple[str | None, str]] = frozenset()
    links: IdentityLinks = NOBODY_LINKED

    @property
    def people(self) -> set[str | None]:
        """The names by which the links know the accounts."""
        return {self.links.known(channel, user) for channel, user in self.accounts}

    @property
    def is_named(self) -> bool:
        """Whether the settings name an account."""
        return bool(self.accounts)


def read_owner(written: Iterable[str], links: IdentityLinks) -> Owner:
    """Return the owner of the setting ``sessions.owner``.

    Raises:
        ConfigError: an account has no channel or no user id beside its colon.
    """
    accounts: set[tuple[str | None, str]] = set()
    for place, text in enumerate(written, start=1):
        channel, colon, user = (part.strip() for part in text.partition(":"))
        if not channel or (colon and not user):
            raise ConfigError(
                f"number {place} of setting sessions.owner must be an account",
                hint="write telegram:42, channel and user id, once for each account",
                key="sessions.owner",
            )
        accounts.add((channel.lower(), user) if colon else (None, channel))
    return Owner(frozenset(accounts), links)


def is_owners(session: Speakers | Session, owner: Owner) -> bool:
    """Return whether only the owner of the home speaks in a session.

    That is so without a channel and without a user, which is what the command line and programs of
    the owner's make; in scheduled jobs; and in direct chats with an account that the settings name,
    or with one that is linked to it. What more than one person may read is not.
    """
    if not visibility_group_of(session, owner.links).is_private:
        return False
    if session.chat_type == JOB:
        return True
    user = without_thread(session.peer) if session.chat_type == DIRECT else session.user
    if user is None:
        return session.channel is None
    if (session.channel, user) in owner.accounts:
        return True
    person = owner.links.known(session.channel, user)
    return person is not None and person in owner.people
