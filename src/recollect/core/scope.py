"""Scope: what a caller may see, and who owns a row."""

from __future__ import annotations

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
        """Refuse what concerns the whole tenant where this is only a part of it.

        Raises:
            Denied: it is.

        >>> Scope(tenant="acme").require_tenant("a pause")
        """
        if not self.is_tenant:
            hint = "ask the memory of the whole tenant: narrow neither agent nor project"
            raise Denied(f"{what} concerns the whole tenant", hint=hint)

    def narrowed(self, wanted: Scope) -> Scope | None:
        """Return what of this scope ``wanted`` selects, or None when that is nothing.

        Raises:
            InvalidInput: it is not a scope.

        >>> Scope(user="ann").narrowed(Scope(project="tea"))
        Scope(tenant='local', agent=None, user='ann', project='tea', session=None)
        """
        if not isinstance(wanted, Scope):
            raise InvalidInput("scope must be a Scope", hint="pass recollect.Scope(project=…)")
        fields: dict[str, str | None] = {}
        for name in self.__struct_fields__:
            mine, theirs = getattr(self, name), getattr(wanted, name)
            if None not in {mine, theirs} and mine != theirs:
                return None
            fields[name] = mine if theirs is None else theirs
        return msgspec.convert(fields, Scope)


class ScopeWithout(Scope, frozen=True, kw_only=True):
    """A scope without the rows of some agents, which somebody else looks after."""

    agents_left_out: tuple[str, ...] = ()


class Place(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The columns of a session that say who hears it, and in whose turn something happened."""

    agent: str | None
    user: str | None
    channel: str | None
    account: str | None
    chat_type: str | None
    peer: str | None
    turn_sender: str | None
