"""What the index needs of messages: read along the outbox, without decoding their content."""

from __future__ import annotations

import msgspec

from recollect.sessions.circle import Speakers
from recollect.sessions.transcript import MESSAGE_KIND
from recollect.store.cell import integer, text, text_or_none
from recollect.store.engine import Row, Transaction


class SearchableMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message as it is found; fields as in `recollect.sessions.message.Message`.

    ``speakers`` says who hears it.
    """

    id: str
    tenant: str
    agent: str | None
    user: str | None
    project: str | None
    session_id: str
    seq: int
    role: str
    name: str | None
    text: str
    created_at: int
    speakers: Speakers


class ChangedMessage(msgspec.Struct, frozen=True):
    """A change of the outbox: its seq, whose and which message, and the message if it is there."""

    change: int
    tenant: str
    id: str
    message: SearchableMessage | None


def changed_messages(tx: Transaction, after: int, limit: int) -> list[ChangedMessage]:
    """Return up to ``limit`` changes of messages behind the change ``after``, in commit order.

    A message of a deleted session counts as gone: it is in no search, and comes back with the
    status.
    """
    rows = tx.rows(
        "SELECT c.seq, c.tenant, c.ref, CASE WHEN s.status = 'deleted' THEN NULL ELSE m.id END,"
        " m.tenant, m.agent, m.user_id, m.project,"
        " m.session_id, m.seq, m.role, m.name, m.text, m.created_at,"
        " s.agent, s.user_id, s.channel, s.account, s.chat_type, s.peer"
        " FROM changes c LEFT JOIN messages m ON m.id = c.ref"
        " LEFT JOIN sessions s ON s.id = m.session_id"
        " WHERE c.seq > ? AND c.kind = ? ORDER BY c.seq LIMIT ?",
        (after, MESSAGE_KIND, limit),
    )
    heard: dict[str, Speakers] = {}
    return [
        ChangedMessage(integer(row[0]), text(row[1]), text(row[2]), _message(row, heard))
        for row in rows
    ]


def newest_change(tx: Transaction) -> int:
    """Return the seq of the newest change of a message, 0 before the first."""
    row = tx.row(
        "SELECT seq FROM changes WHERE kind = ? ORDER BY seq DESC LIMIT 1", (MESSAGE_KIND,)
    )
    return integer(row[0]) if row else 0


def _message(row: Row, heard: dict[str, Speakers]) -> SearchableMessage | None:
    """Return the message of a row; ``heard`` has what was made for the sessions before it."""
    if row[3] is None:
        return None
    session_id = text(row[8])
    if session_id not in heard:
        heard[session_id] = _speakers(row[14:])
    return SearchableMessage(
        id=text(row[3]),
        tenant=text(row[4]),
        agent=text_or_none(row[5]),
        user=text_or_none(row[6]),
        project=text_or_none(row[7]),
        session_id=session_id,
        seq=integer(row[9]),
        role=text(row[10]),
        name=text_or_none(row[11]),
        text=text(row[12]),
        created_at=integer(row[13]),
        speakers=heard[session_id],
    )


def _speakers(row: Row) -> Speakers:
    agent, user, channel, account, chat_type, peer = map(text_or_none, row)
    return Speakers(
        agent=agent, user=user, channel=channel, account=account, chat_type=chat_type, peer=peer
    )
