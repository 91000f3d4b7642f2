"""People and their accounts, as HTTP and ``--json`` answer them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.sessions.identities import LinkedPerson
from recollect.sessions.proposals import IdentityProposal


class IdentityList(msgspec.Struct, frozen=True, kw_only=True):
    """The people with linked accounts."""

    identities: Sequence[LinkedPerson]


class ResolvedIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Who is behind an account.

    Attributes:
        user_id: The person; ``owner`` for the owner of the home.
    """

    user_id: str


class ProposalList(msgspec.Struct, frozen=True, kw_only=True):
    """Who claims in a chat to have another account, too, the newest first."""

    proposals: Sequence[IdentityProposal]
