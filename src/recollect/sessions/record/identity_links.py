"""Identity links of the settings: several accounts, one person.

Written as ``ann=telegram:123``. What a person links at run time is in the database; these are
what the owner of the home knows beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from recollect.core.errors import ConfigError


class IdentityLinks(msgspec.Struct, frozen=True):
    """Who uses an account: ``channel:peer``, or a peer on any channel, by name."""

    people: Mapping[str, str] = {}
    names: frozenset[str] = frozenset()

    def person(self, channel: str | None, peer: str) -> str:
        """Return the name of the person of an account, or the peer itself.

        >>> links = read_links(["ann=telegram:123", "ann=discord:9", "bob=77"])
        >>> links.person("telegram", "123"), links.person("slack", "77"), links.person("web", "5")
        ('ann', 'bob', '5')
        """
        return self._linked(channel, peer) or peer

    def known(self, channel: str | None, peer: str) -> str | None:
        """Return the name of a linked person: of the one who uses an account, or that is the name.

        >>> links = read_links(["ann=telegram:123"])
        >>> links.known("telegram", "123"), links.known("web", "ann"), links.known("web", "123")
        ('ann', 'ann', None)
        """
        return self._linked(channel, peer) or (peer if peer in self.names else None)

    def shadows_linked_name(self, channel: str | None, peer: str) -> bool:
        """Return whether an account that is not linked is called like a person who is."""
        return self._linked(channel, peer) is None and peer in self.names

    def _linked(self, channel: str | None, peer: str) -> str | None:
        account = f"{(channel or '').lower()}:{peer}".lower()
        return self.people.get(account) or self.people.get(peer.lower())


NOBODY_LINKED = IdentityLinks()


def read_links(written: Iterable[str]) -> IdentityLinks:
    """Return the links of the setting ``sessions.identity_links``.

    Raises:
        ConfigError: one has no name or no account, or an account belongs to two people.
    """
    people: dict[str, str] = {}
    for place, text in enumerate(written, start=1):
        name, _, account = (part.strip() for part in text.partition("="))
        account = account.lower()
        if not name or not account:
            raise _unclear(place, "must be name=channel:account")
        if people.get(account, name) != name:
            raise _unclear(place, "gives an account to a second person")
        people[account] = name
    return IdentityLinks(people, frozenset(people.values()))


def _unclear(place: int, why: str) -> ConfigError:
    return ConfigError(
        f"number {place} of setting sessions.identity_links {why}",
        hint="write ann=telegram:123, once for each account",
        key="sessions.identity_links",
    )
