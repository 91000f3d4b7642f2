"""What a rewind took out of a session, as conditions of SQL: messages, and what came of them."""

from __future__ import annotations

from typing import Literal, LiteralString

_RANGES: LiteralString = (
    "EXISTS (SELECT 1 FROM withdrawn_ranges h WHERE h.returned_at IS NULL AND h.session_id = "
)


def is_message_out(
    of: LiteralString = "t", session_id: LiteralString = "t.session_id"
) -> LiteralString:
    """Return whether a message ``of`` a table is in a range that was taken out of a session.

    Args:
        of: The name of the table or of its alias, with a column ``seq``.
        session_id: The column with the session; the message's own if not given.
    """
    return f"{_RANGES}{session_id} AND h.to_seq >= {of}.seq AND h.from_seq <= {of}.seq)"


def is_time_out(session_id: LiteralString, at: LiteralString) -> LiteralString:
    """Return whether something was stored for messages that were taken out of a session.

    Args:
        session_id: The column with its session.
        at: The column with the time when it was stored.
    """
    return f"{_RANGES}{session_id} AND {at} BETWEEN h.stored_at AND h.at)"


def is_record_out(
    kind: Literal["fact", "observation", "episode"], ref: LiteralString
) -> LiteralString:
    """Return whether a record, whose id is the column ``ref``, came of messages taken out.

    >>> is_record_out("fact", "f.id")
    "EXISTS (SELECT 1 FROM withdrawn_records h WHERE h.kind = 'fact' AND h.ref = f.id)"
    """
    where: LiteralString = f"h.kind = '{kind}' AND h.ref = {ref}"
    return f"EXISTS (SELECT 1 FROM withdrawn_records h WHERE {where})"  # noqa: S608  # literals
