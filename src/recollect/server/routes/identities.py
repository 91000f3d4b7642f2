"""Who is behind which account: for the operator of the tenant with the right ``admin``.

A link decides who hears what, so no other token reads or changes one.
"""

from __future__ import annotations

from recollect.answers.identity import IdentityList, ProposalList, ResolvedIdentity
from recollect.caller import Caller
from recollect.server.route import Given, Nothing, Routes
from recollect.sessions.identities import Identities, LinkCode, LinkedAccount, LinkedPerson
from recollect.sessions.proposals import IdentityProposal

ROUTES = Routes()


class IdentityFilter(Given, frozen=True, kw_only=True):
    """Which people; all if no name is given."""

    user_id: str | None = None


class OneAccount(Given, frozen=True, kw_only=True):
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


class OneProposal(Given, frozen=True, kw_only=True):
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
def list_identities(caller: Caller, given: IdentityFilter) -> IdentityList:
    """List the people with linked accounts."""
    return IdentityList(identities=_identities(caller).list(given.user_id))


@ROUTES.add("POST", "/api/identities", "admin")
def link(caller: Caller, given: AccountLink) -> LinkedPerson:
    """Link an account to a person; return the person."""
    return _identities(caller).link(given.user_id, given.channel, given.channel_user_id)


@ROUTES.add("POST", "/api/identities/resolve", "admin")
def resolve(caller: Caller, given: OneAccount) -> ResolvedIdentity:
    """Return who is behind an account; a new person where it is not linked."""
    user_id = _identities(caller).resolve(given.channel, given.channel_user_id)
    return ResolvedIdentity(user_id=user_id)


@ROUTES.add("POST", "/api/identities/code", "admin")
def code(caller: Caller, given: OneAccount) -> LinkCode:
    """Return a one-time code to be shown in this account."""
    return _identities(caller).code(given.channel, given.channel_user_id)


@ROUTES.add("POST", "/api/identities/confirm", "admin")
def confirm(caller: Caller, given: TypedCode) -> LinkedPerson:
    """Link the account in which a code was typed to the person whose code it is."""
    return _identities(caller).confirm(given.channel, given.channel_user_id, given.code)


@ROUTES.add("GET", "/api/identities/proposals", "admin")
def list_proposals(caller: Caller, _: Nothing) -> ProposalList:
    """List who claims in a chat to have another account, too."""
    return ProposalList(proposals=_identities(caller).proposals())


@ROUTES.add("POST", "/api/identities/proposals/{number}/accept", "admin")
def accept(caller: Caller, given: AcceptedProposal) -> LinkedPerson:
    """Link the account of a proposal and the claimed one; return the person."""
    return _identities(caller).accept(given.number, given.channel, given.channel_user_id)


@ROUTES.add("POST", "/api/identities/proposals/{number}/dismiss", "admin")
def dismiss(caller: Caller, given: OneProposal) -> IdentityProposal:
    """Dismiss a proposal; the same claim of the same account is not listed again."""
    return _identities(caller).dismiss(given.number)


@ROUTES.add("DELETE", "/api/identities/{channel}/{channel_user_id}", "admin")
def unlink(caller: Caller, given: OneAccount) -> LinkedAccount:
    """Take an account from its person."""
    return _identities(caller).unlink(given.channel, given.channel_user_id)


def _identities(caller: Caller) -> Identities:
    caller.require_operator("tenant")
    return caller.memory.identities
