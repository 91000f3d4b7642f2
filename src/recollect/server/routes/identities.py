"""Who is behind which account: for the operator of the tenant with the right ``admin``.

A link decides who hears what, so no other token reads or changes one.
"""

from __future__ import annotations

from recollect.answers.identity import IdentityList, ProposalList, ResolvedIdentity
from recollect.caller import Caller
from recollect.server.route import Fields, Nothing, Routes
from recollect.sessions.identities import Identities, LinkCode, LinkedAccount, LinkedPerson
from recollect.sessions.proposals import IdentityProposal

ROUTES = Routes()


class IdentityFilter(Fields, frozen=True, kw_only=True):
    """Which people; all if no name is fields."""

    user_id: str | None = None


class OneAccount(Fields, frozen=True, kw_only=True):
    """An account: the channel, and who there.

    Attributes:
        channel: Such as ``telegram``.
        channel_user_id: With the network before it where ids count within one: ``libera:bob``.
    """

    channel: str
    channel_user_id: str


class AccountLink(OneAccount, frozen=True, kw_only=True):
    """An account, and the person to whom it is linked."""

    user_id: str


class TypedCode(OneAccount, frozen=True, kw_only=True):
    """An account, and the code that its user has typed there."""

    code: str


class OneProposal(Fields, frozen=True, kw_only=True):
    """A proposal, by its number."""

    number: int


class AcceptedProposal(OneProposal, frozen=True, kw_only=True):
    """A proposal, with the claimed account where the claim names it otherwise, as by a handle.

    Attributes:
        channel: Such as ``telegram``.
        channel_user_id: As for `resolve`; given with ``channel``.
    """

    channel: str | None = None
    channel_user_id: str | None = None


@ROUTES.add("GET", "/api/identities", "admin")
def list_identities(caller: Caller, fields: IdentityFilter) -> IdentityList:
    """List the people with linked accounts."""
    return IdentityList(identities=_identities(caller).list(fields.user_id))


@ROUTES.add("POST", "/api/identities", "admin")
def link(caller: Caller, fields: AccountLink) -> LinkedPerson:
    """Link an account to a person; return the person."""
    return _identities(caller).link(fields.user_id, fields.channel, fields.channel_user_id)


@ROUTES.add("POST", "/api/identities/resolve", "admin")
def resolve(caller: Caller, fields: OneAccount) -> ResolvedIdentity:
    """Return the person behind an account; a new one if it is not linked."""
    user_id = _identities(caller).resolve(fields.channel, fields.channel_user_id)
    return ResolvedIdentity(user_id=user_id)


@ROUTES.add("POST", "/api/identities/code", "admin")
def code(caller: Caller, fields: OneAccount) -> LinkCode:
    """Return a one-time code to be shown in this account."""
    return _identities(caller).code(fields.channel, fields.channel_user_id)


@ROUTES.add("POST", "/api/identities/confirm", "admin")
def confirm(caller: Caller, fields: TypedCode) -> LinkedPerson:
    """Link the account in which a code was typed to the person whose code it is."""
    return _identities(caller).confirm(fields.channel, fields.channel_user_id, fields.code)


@ROUTES.add("GET", "/api/identities/proposals", "admin")
def list_proposals(caller: Caller, _: Nothing) -> ProposalList:
    """List who claims in a chat to have another account, too."""
    return ProposalList(proposals=_identities(caller).proposals())


@ROUTES.add("POST", "/api/identities/proposals/{number}/accept", "admin")
def accept(caller: Caller, fields: AcceptedProposal) -> LinkedPerson:
    """Link the account of a proposal and the claimed one; return the person."""
    return _identities(caller).accept(fields.number, fields.channel, fields.channel_user_id)


@ROUTES.add("POST", "/api/identities/proposals/{number}/dismiss", "admin")
def dismiss(caller: Caller, fields: OneProposal) -> IdentityProposal:
    """Dismiss a proposal; the same claim of the same account is not listed again."""
    return _identities(caller).dismiss(fields.number)


@ROUTES.add("DELETE", "/api/identities/{channel}/{channel_user_id}", "admin")
def unlink(caller: Caller, fields: OneAccount) -> LinkedAccount:
    """Take an account from its person."""
    return _identities(caller).unlink(fields.channel, fields.channel_user_id)


def _identities(caller: Caller) -> Identities:
    caller.require_operator("tenant")
    return caller.memory.identities
