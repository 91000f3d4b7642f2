"""Claims of accounts in messages, as rows: who says in a chat to be somebody elsewhere, too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from recollect.audience.account import sender_of
from recollect.audience.people import People
from recollect.audience.visibility import account_of_turn
from recollect.core.errors import InvalidInput
from recollect.knowledge.replacement import USER
from recollect.recall.statements.messages import Placed, outside_injected, says_itself
from recollect.sessions.proposals import ClaimedAccount
from recollect.store.engine import Transaction
from recollect.text.statements.claims import claims


def claimed_accounts(
    tx: Transaction, people: People, messages: Sequence[Placed]
) -> Mapping[str, Sequence[ClaimedAccount]]:
    """Return what the speakers of messages claim to be, by tenant.

    Left out is what an account claims to be itself, and what a speaker without a known account
    claims.
    """
    accounts: defaultdict[str, list[ClaimedAccount]] = defaultdict(list)
    for message, turn in messages:
        if message.role != USER or not says_itself(message, turn):
            continue
        for each in outside_injected(message.text, claims):
            account = account_of_turn(turn, people.at(tx, message.tenant))
            claimed = _spelled(each.claimed)
            if account is not None and claimed not in {None, account}:
                row = ClaimedAccount(
                    message_id=message.id,
                    first_char=each.start,
                    end_char=each.end,
                    account=account,
                    claimed=claimed,
                )
                accounts[message.tenant].append(row)
    return accounts


def _spelled(claimed: str) -> str | None:
    """Return an account in its one spelling; a handle as it is; None if it cannot be one."""
    if claimed.startswith("@"):
        return claimed
    try:
        return sender_of(claimed)
    except InvalidInput:
        return None
