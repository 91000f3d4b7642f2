"""The owner: the person whose agent it is. The settings name the accounts; all others are guests'.

Which sessions, and which turns within one, are the owner's is decided in `visibility`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from recollect.audience.account import Account, parse_account
from recollect.audience.identity_links import NOBODY_LINKED, IdentityLinks
from recollect.core.errors import ConfigError, InvalidInput
from recollect.core.settings.agents import NO_WALLS, Walls

OWNER_HINT = (
    "name your own accounts: `recollect config set sessions.owner telegram:42,slack:U7`; "
    "chats with anybody else are guests', who see no memory files"
)
"""What to do where no owner is named."""
OWNER_ID = "owner"
"""The user id of the owner as a person: of sessions without an account, and of linked accounts."""


class Owner(msgspec.Struct, frozen=True):
    """The owner of the agent.

    Attributes:
        accounts: The accounts; no channel for a name without one.
        links: Which accounts are one person: who is linked to one of the owner's is the owner.
        walls: Which of the owner's agents are apart from the others.
    """

    accounts: frozenset[Account] = frozenset()
    links: IdentityLinks = NOBODY_LINKED
    walls: Walls = NO_WALLS

    @property
    def is_named(self) -> bool:
        """Whether the settings name an account."""
        return bool(self.accounts)

    def owns(self, account: Account) -> bool:
        """Return whether an account is the owner's: named, or linked to one that is."""
        if account in self.accounts:
            return True
        person = self.links.known(account)
        return person is not None and self.owns_person(person)

    def owns_person(self, name: str) -> bool:
        """Return whether a linked person is the owner."""
        return name in map(self.links.known, self.accounts)

    def with_records(self, linked: Mapping[Account, str]) -> Owner:
        """Return this owner with the links that were made at run time, by account.

        Those to `OWNER_ID` are accounts of the owner's, unless the settings call a guest so.
        """
        is_ours = OWNER_ID not in self.links.names
        mine = {
            account
            for account, person in linked.items()
            if is_ours and person == OWNER_ID and self.links.known(account) is None
        }
        others = {account: person for account, person in linked.items() if account not in mine}
        return Owner(self.accounts | mine, self.links.with_records(others), self.walls)

    def with_walls(self) -> Owner:
        """Return this owner with every agent apart: as the index names visibility groups.

        So a wall that comes or goes needs no new index.
        """
        return Owner(self.accounts, self.links, Walls(everyone=True))


NOBODY_NAMED = Owner()


def read_owner(entries: Iterable[str], links: IdentityLinks, walls: Walls = NO_WALLS) -> Owner:
    """Return the owner of the setting ``sessions.owner``.

    Raises:
        ConfigError: an account has no channel or no user id beside its colon.
    """
    accounts: set[Account] = set()
    for number, text in enumerate(entries, start=1):
        try:
            accounts.add(parse_account(text))
        except InvalidInput as error:
            raise ConfigError(
                f"number {number} of setting sessions.owner must be an account",
                hint="write telegram:42, channel and user id, once for each account",
                key="sessions.owner",
            ) from error
    return Owner(frozenset(accounts), links, walls)
