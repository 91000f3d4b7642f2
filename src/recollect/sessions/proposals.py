"""Proposals of identities: claims of people in chats to have another account.

A claim links nothing. It waits for the owner, is shown to no one else, and goes with its message.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import LiteralString

import msgspec

from recollect.sessions.record.lineage import SHOWN_BY
from recollect.store.columns import columns_of, decode, listed
from recollect.store.engine import Transaction

MOST_PROPOSALS = 1_000
"""The most that are listed; more are noise."""


class IdentityProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A claim of somebody to have another account, too.

    Attributes:
        number: Names it in `accept` and `dismiss`; never used again.
        account: The account that claims it: ``channel:id``; ``owner`` for the owner without an
            account.
        claimed: The account that is claimed, ``telegram:john``; ``@john`` if no channel was named.
        text: The sentence.
        session_id: Where it was said last.
        message_id: The message that says it.
        said_at: Ms UTC.
    """

    number: int
    account: str
    claimed: str
    text: str
    session_id: str
    message_id: str
    said_at: int


class ClaimedAccount(msgspec.Struct, frozen=True, kw_only=True):
    """A claim of a message, as its row has it; fields as in `IdentityProposal`."""

    message_id: str
    first_char: int
    end_char: int
    account: str
    claimed: str


_COLUMNS = columns_of(ClaimedAccount)
_OPEN: LiteralString = f"""
    SELECT p.number, p.account, p.claimed,
        substr(t.text, p.first_char + 1, p.end_char - p.first_char),
        t.session_id, t.id, max(t.created_at)
    FROM identity_proposals p JOIN messages t ON t.id = p.message_id
    JOIN sessions s ON s.id = t.session_id
    WHERE p.tenant = ? AND {SHOWN_BY} IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM identity_proposals a WHERE a.tenant = p.tenant AND a.account = p.account
            AND a.claimed = p.claimed AND a.answered_at IS NOT NULL)
    GROUP BY p.account, p.claimed ORDER BY max(t.created_at) DESC, p.number DESC LIMIT ?
"""  # noqa: S608  # literals
_DROP_OTHERS: LiteralString = """
    DELETE FROM identity_proposals
    WHERE tenant = ? AND message_id IN (SELECT value FROM json_each(?))
        AND message_id || ' ' || claimed NOT IN (SELECT value FROM json_each(?))
"""
_ADD: LiteralString = f"""
    INSERT INTO identity_proposals ({_COLUMNS}, tenant)
    SELECT ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM messages WHERE id = ?)
    ON CONFLICT (message_id, claimed) DO UPDATE SET
        account = excluded.account, first_char = excluded.first_char, end_char = excluded.end_char
"""  # noqa: S608  # literals
_ANSWER: LiteralString = """
    UPDATE identity_proposals SET answered_at = ? WHERE tenant = ? AND account = ? AND claimed = ?
"""


def open_proposals(tx: Transaction, tenant: str) -> list[IdentityProposal]:
    """Return the claims without an answer, the newest first; a repeated claim is one."""
    rows = tx.all(_OPEN, (tenant, MOST_PROPOSALS))
    return [decode(IdentityProposal, IdentityProposal.__struct_fields__, row) for row in rows]


def update_proposals(
    tx: Transaction, tenant: str, messages: Collection[str], claimed: Sequence[ClaimedAccount]
) -> None:
    """Replace the claims of some messages; claims that were answered stay answered.

    Args:
        tx: A write transaction.
        tenant: The tenant.
        messages: All messages that were read.
        claimed: Their claims.
    """
    claims = listed([f"{each.message_id} {each.claimed}" for each in claimed])
    tx.execute(_DROP_OTHERS, (tenant, listed(messages), claims))
    rows = [(*msgspec.structs.astuple(each), tenant, each.message_id) for each in claimed]
    tx.executemany(_ADD, rows)


def answer_proposal(tx: Transaction, tenant: str, proposal: IdentityProposal, at: int) -> None:
    """Record that the owner accepted or dismissed a claim of an account, wherever it was made."""
    tx.execute(_ANSWER, (at, tenant, proposal.account, proposal.claimed))
