"""Scope: what a caller may see, and who owns a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from recollect.core.errors import Denied, InvalidInput

LOCAL_TENANT = "local"
"""The tenant of an embedded home; one home serves one person unless configured otherwise."""


class Scope(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A selection of rows by owner. A field that is None does not narrow; the tenant always does.

    The same value is the owner of a row when it is stored (then None means "no one in particular").
    """

    tenant: str = LOCAL_TENANT
    agent: str | None = None
    user: str | None = None
    project: str | None = None
    session: str | None = None

    @property
    def is_tenant(self) -> bool:
        """Whether it selects all that its tenant has."""
        return self == Scope(tenant=self.tenant)

    def require_tenant(self, what: str) -> None:
        """Refuse an action on the whole tenant where this scope is only a part of it.

        Raises:
            Denied: it is only a part.

        >>> Scope(tenant="acme").require_tenant("a pause")
        """
        if not self.is_tenant:
            hint = "ask the memory of the whole tenant: narrow neither agent nor project"
            raise Denied(f"{what} concerns the whole tenant", hint=hint)

    def narrowed(self, wanted: Scope) -> Scope | None:
        """Return the part of this scope that ``wanted`` selects, or None when it is empty.

        Raises:
            InvalidInput: it is not a scope.

        >>> Scope(user="ann").narrowed(Scope(project="tea"))
        Scope(tenant='local', agent=None, user='ann', project='tea', session=None)
        """
        if not isinstance(wanted, Scope):
            raise InvalidInput("scope must be a Scope", hint="pass recollect.Scope(project=…)")
        fields: dict[str, Any] = {}
        for name in Scope.__struct_fields__:
            mine, theirs = getattr(self, name), getattr(wanted, name)
            if name != "user" and None not in {mine, theirs} and mine != theirs:
                return None
            fields[name] = mine if theirs is None else theirs
        if self.user is None or wanted.user is None or self.user == wanted.user:
            person = wanted if isinstance(wanted, ScopeOfPerson) else self
            return person.of_user(fields)
        if includes_user(self, wanted.user):
            return wanted.of_user(fields)
        is_within = includes_user(wanted, self.user)
        return self.of_user(fields | {"user": self.user}) if is_within else None

    def of_user(self, fields: Mapping[str, Any]) -> Scope:
        """Return a scope with these fields and the users of this one."""
        return Scope(**fields)


class ScopeWithout(Scope, frozen=True, kw_only=True):
    """A scope without the rows of some agents, which other memories maintain."""

    agents_left_out: tuple[str, ...] = ()


class ScopeOfPerson(Scope, frozen=True, kw_only=True):
    """The scope of a person with several accounts; ``user`` is the name.

    Attributes:
        users: The users of the rows: the name, and the accounts that are linked to it.
        anywhere: Ids of the person on any channel, escaped as in an account.
        others: Accounts with one of these ids that belong to somebody else.
    """

    users: tuple[str, ...]
    anywhere: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def of_user(self, fields: Mapping[str, Any]) -> Scope:
        """See `Scope.of_user`."""
        return ScopeOfPerson(**fields, users=self.users, anywhere=self.anywhere, others=self.others)

    def includes(self, user: str | None) -> bool:
        """Return whether rows of a user belong to the person."""
        if user is None or user in self.users:
            return user is not None
        return user.rpartition(":")[2] in self.anywhere and user not in self.others


def includes_user(scope: Scope, user: str | None) -> bool:
    """Return whether a scope selects the rows of a user."""
    if isinstance(scope, ScopeOfPerson):
        return scope.includes(user)
    return scope.user is None or scope.user == user


class ConversationTurn(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The columns of a session that decide who hears it, and the sender of a turn."""

    agent: str | None
    user: str | None
    channel: str | None
    account: str | None
    chat_type: str | None
    peer: str | None
    turn_sender: str | None
