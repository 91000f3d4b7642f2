"""Pending history: what was said in a group since the agent's last reply.

Kept per conversation, the newest messages only, and for the conversations used last only. It lies
in records.db, so that a restart forgets nothing. The text that it is rendered as has the markers of
OpenClaw, which agents know.
"""

from __future__ import annotations

from datetime import datetime
from typing import LiteralString

import msgspec

from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.draft import check_time
from recollect.sessions.record.session_key import parse_key
from recollect.store.columns import decode, integer
from recollect.store.engine import Transaction

BEFORE = "[Chat messages since your last reply - for context]"
"""Stands above what others said."""
CURRENT = "[Current message - respond to this]"
"""Stands above what is to be answered."""

_ADD: LiteralString = """
    INSERT INTO pending_messages (tenant, key, sender, text, message_id, at)
    VALUES (?, ?, ?, ?, ?, ?)
"""
_NEWEST: LiteralString = """
    SELECT sender, text, at, message_id FROM pending_messages
    WHERE tenant = ? AND key = ? ORDER BY id DESC LIMIT ?
"""
_CUT: LiteralString = """
    DELETE FROM pending_messages WHERE tenant = ? AND key = ? AND id NOT IN (
        SELECT id FROM pending_messages WHERE tenant = ? AND key = ? ORDER BY id DESC LIMIT ?)
"""
_FORGET_OTHERS: LiteralString = """
    DELETE FROM pending_messages WHERE tenant = ? AND key NOT IN (
        SELECT key FROM pending_messages WHERE tenant = ?
        GROUP BY key ORDER BY max(id) DESC LIMIT ?)
"""
_COUNT: LiteralString = "SELECT count(DISTINCT key) FROM pending_messages WHERE tenant = ?"
_CLEAR: LiteralString = "DELETE FROM pending_messages WHERE tenant = ? AND key = ?"


class PendingMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Something said in a group that the agent has not answered yet."""

    sender: str
    text: str
    at: int
    """Ms UTC."""
    message_id: str | None = None
    """Its id on the channel, where it has one."""


class History:
    """The pending messages of all conversations of a scope.

    Args:
        access: The records, and whose conversations.
    """

    def __init__(self, access: SessionAccess) -> None:
        self._access = access
        self._tenant = access.scope.tenant

    def add(
        self,
        key: str,
        sender: str,
        said: str,
        *,
        at: int | datetime | None = None,
        message_id: str | None = None,
    ) -> None:
        """Keep a message until the next reply; the oldest ones go beyond the limit.

        Raises:
            InvalidInput: one of them cannot be stored.
        """
        row = (
            self._tenant,
            parse_key(key).text,
            self._access.drafts.label(sender, "sender"),
            self._access.drafts.message("user", said).message.text,
            None if message_id is None else self._access.drafts.label(message_id, "message id"),
            self._access.clock.now_ms() if at is None else check_time(at),
        )
        groups = self._access.settings.groups
        limit, conversations = groups.history_limit, groups.history_conversations

        def unit(tx: Transaction) -> None:
            tx.execute(_ADD, row)
            tx.execute(_CUT, (*row[:2], *row[:2], limit))
            count = tx.row(_COUNT, row[:1])
            if count is not None and integer(count[0]) > conversations:
                tx.execute(_FORGET_OTHERS, (self._tenant, self._tenant, conversations))

        self._access.database.write(unit)

    def pending(self, key: str) -> list[PendingMessage]:
        """Return what waits in a conversation, oldest first."""
        place = (self._tenant, parse_key(key).text, self._access.settings.groups.history_limit)
        rows = self._access.database.read(lambda tx: tx.all(_NEWEST, place))
        fields = PendingMessage.__struct_fields__
        return [decode(PendingMessage, fields, row) for row in reversed(rows)]

    def render(self, key: str, sender: str, said: str) -> str:
        """Return a prompt: what was said since the last reply, then what is to be answered.

        Without anything pending it is the message alone.
        """
        waiting = self.pending(key)
        current = f"{sender}: {said}"
        if not waiting:
            return current
        lines = [f"{message.sender}: {message.text}" for message in waiting]
        return "\n".join((BEFORE, *lines, "", CURRENT, current))

    def clear(self, key: str) -> None:
        """Forget what waits in a conversation: the agent has replied."""
        place = (self._tenant, parse_key(key).text)
        self._access.database.write(lambda tx: tx.execute(_CLEAR, place))
