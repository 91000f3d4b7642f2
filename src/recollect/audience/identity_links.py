"""Identity links of the settings: several accounts, one person.

Written as ``ann=telegram:123``: what the owner of the home knows beforehand. What is linked at run
time is in the records, see `people`. Ids are compared as they are written: two people may
differ in nothing but a capital.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from recollect.audience.account import Account, escaped, parse_account
from recollect.core.checks import checked
from recollect.core.errors import ConfigError, InvalidInput
from recollect.core.scope import Scope, ScopeOfPerson

USERS = (
    "give an account such as telegram:42, a name of sessions.identity_links, or the name of a user "
    "without a channel"
)
"""How the user of a scope is given."""


@checked
class IdentityLinks(msgspec.Struct, frozen=True):
    """Who uses an account, by name; and who has the same id on any channel.

    Attributes:
        people: The person by account.
        anywhere: The person by the id on any channel.
        names: Of the people in the settings.
        added: By person: the accounts that were linked at run time. One without a channel is
            another name of the person.
    """

    people: Mapping[Account, str] = {}
    anywhere: Mapping[str, str] = {}
    names: frozenset[str] = frozenset()
    added: Mapping[str, tuple[Account, ...]] = {}

    def person(self, account: Account) -> str | None:
        """Return the name of the linked person of an account.

        >>> links = read_links(["ann=telegram:123", "ann=irc:libera:nan", "bob=77"])
        >>> [links.person(parse_account(said)) for said in ("telegram:123", "irc:nan", "slack:77")]
        ['ann', None, 'bob']
        """
        return self.people.get(account) or self.anywhere.get(account.id)

    def known(self, account: Account) -> str | None:
        """Return the name of a linked person: of an account, or, without a channel, their name.

        >>> links = read_links(["ann=telegram:123"])
        >>> links.known(parse_account("ann")), links.known(parse_account("irc:ann"))
        ('ann', None)
        """
        is_name = account.channel is None and account.id in self.names
        return self.person(account) or (account.id if is_name else None)

    def with_records(self, linked: Mapping[Account, str]) -> IdentityLinks:
        """Return these links and those that were made at run time; the settings win.

        >>> links = read_links(["ann=telegram:123"])
        >>> seen = {parse_account(said): "bob" for said in ("telegram:123", "slack:U7")}
        >>> [links.with_records(seen).person(account) for account in seen]
        ['ann', 'bob']
        """
        new = {account: name for account, name in linked.items() if self.known(account) is None}
        added: dict[str, tuple[Account, ...]] = {}
        for account, name in new.items():
            added[name] = (*added.get(name, ()), account)
        people = {**new, **self.people}
        return msgspec.structs.replace(self, people=people, added=added)

    def scope_of(self, scope: Scope) -> Scope:
        """Return a scope with its user as rows have it: an account in its one spelling.

        A linked name selects the rows of all its accounts, as the links are now. Any other name
        selects those of a user without a channel, never the id of an account somewhere.

        Raises:
            InvalidInput: the user cannot be one.

        >>> links = read_links(["ann=telegram:123", "ann=irc:libera:nan"])
        >>> links.scope_of(Scope(user="Telegram:123")).user
        'telegram:123'
        >>> links.scope_of(Scope(user="ann")).users
        ('ann', 'irc:libera:nan', 'telegram:123')
        """
        if scope.user is None or isinstance(scope, ScopeOfPerson):
            return scope
        try:
            who = parse_account(scope.user)
        except InvalidInput:
            message = "the user of a scope must be a person or an account"
            raise InvalidInput(message, hint=USERS) from None
        if who.channel is not None:
            return msgspec.structs.replace(scope, user=str(who))
        name = self.people.get(who, who.id)
        if name not in self.names and name not in self.added:
            return scope
        ids = {id_ for id_, person in self.anywhere.items() if person == name}
        theirs = {str(account) for account, person in self.people.items() if person == name}
        others = {str(account) for account in self.people if account.id in ids} - theirs
        return ScopeOfPerson(
            **(msgspec.structs.asdict(scope) | {"user": name}),
            users=tuple(sorted({name} | theirs | ids)),
            anywhere=tuple(sorted(map(escaped, ids))),
            others=tuple(sorted(others)),
        )

    def shadows_linked_name(self, account: Account) -> bool:
        """Return whether an account that is not linked has the name of a person who is."""
        return self.person(account) is None and account.id in self.names


NOBODY_LINKED = IdentityLinks()


def read_links(entries: Iterable[str]) -> IdentityLinks:
    """Return the links of the setting ``sessions.identity_links``.

    Raises:
        ConfigError: one has no name or no account, or an account belongs to two people.
    """
    people: dict[Account, str] = {}
    for number, text in enumerate(entries, start=1):
        name, _, written_account = (part.strip() for part in text.partition("="))
        try:
            account = parse_account(written_account)
        except InvalidInput:
            raise _unclear(number, "must be name=channel:account") from None
        if not name:
            raise _unclear(number, "must be name=channel:account")
        if people.setdefault(account, name) != name:
            raise _unclear(number, "gives an account to a second person")
    anywhere = {account.id: name for account, name in people.items() if account.channel is None}
    of_channel = {account: name for account, name in people.items() if account.channel is not None}
    return IdentityLinks(of_channel, anywhere, frozenset(people.values()))


def _unclear(number: int, why: str) -> ConfigError:
    return ConfigError(
        f"number {number} of setting sessions.identity_links {why}",
        hint="write ann=telegram:123, once for each account",
        key="sessions.identity_links",
    )
