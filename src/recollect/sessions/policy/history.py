"""Pending history: what was said in a group since the agent's last reply.

Kept per conversation, the newest messages only, and for the conversations used last only. It is
stored in records.db, so that a restart loses nothing. The text that it is rendered as has the
markers of OpenClaw, which agents know.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import LiteralString

import msgspec

from recollect.audience.session_key import parse_key
from recollect.core.checks import checked
from recollect.core.clock import check_time
from recollect.core.errors import Denied
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.session import Session, owned_session, require_session
from recollect.store.columns import Condition, decode, insert_into, integer
from recollect.store.engine import Transaction

BEFORE = "[Chat messages since your last reply - for context]"
"""The heading above what others said."""
CURRENT = "[Current message - respond to this]"
"""The heading above the message to be answered."""
MARKS = (BEFORE, CURRENT)

_FORGED = re.compile(
    "|".join(
        r"\[\s*" + r"\s+".join(map(re.escape, mark[1:-1].split())) + r"\s*\]" for mark in MARKS
    ),
    re.IGNORECASE,
)
"""A marker in any spelling that looks like it."""

_ADD = insert_into(
    "pending_messages", "tenant, agent, user_id, project, key, sender, text, at, message_id"
)
_NEWEST: LiteralString = "SELECT id, sender, text, at, message_id FROM pending_messages WHERE "
_IS_KNOWN: LiteralString = "SELECT 1 FROM pending_messages WHERE "
_DELETE: LiteralString = "DELETE FROM pending_messages WHERE "
_IDS: LiteralString = "SELECT id FROM pending_messages WHERE "
_LAST: LiteralString = " ORDER BY id DESC LIMIT ?"
_FORGET_OTHERS: LiteralString = """
    DELETE FROM pending_messages WHERE tenant = ? AND key NOT IN (
        SELECT key FROM pending_messages WHERE tenant = ?
        GROUP BY key ORDER BY max(id) DESC LIMIT ?)
"""
_COUNT: LiteralString = "SELECT count(DISTINCT key) FROM pending_messages WHERE tenant = ?"


class PendingMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Something said in a group that the agent has not answered yet."""

    id: int
    """Grows with every message."""
    sender: str
    text: str
    at: int
    """Ms UTC."""
    message_id: str | None = None
    """Its id on the channel, where it has one."""


@checked
class History:
    """The pending messages of all conversations of a scope.

    Args:
        access: The records, and the owner of the conversations.
    """

    def __init__(self, access: SessionAccess) -> None:
        self._access = access
        self._shown: dict[str, int] = {}
        """The newest message of each prompt that was not answered yet, by key."""

    def add(
        self,
        key: str,
        sender: str,
        said: str,
        *,
        at: int | datetime | None = None,
        message_id: str | None = None,
    ) -> None:
        """Keep a message until the next reply; beyond the limit the oldest ones are removed.

        Args:
            key: Of the conversation.
            sender: Who said it.
            said: The text.
            at: When, ms UTC or datetime; now if not given.
            message_id: Its id on the channel; a message that is pending already is not stored
                again.

        Raises:
            InvalidInput: one of them cannot be stored, or the key holds a secret.
            Denied: the conversation belongs to another owner than the scope's.
        """
        access, owner, where = self._access, self._owner(key), self._where(key)
        access.drafts.checked(key, "session key")
        name = access.drafts.label(sender, "sender")
        text = access.drafts.message("user", said).message.text
        known_id = None if message_id is None else access.drafts.label(message_id, "message id")
        moment = access.clock.now_ms() if at is None else check_time(at)
        row = (owner.tenant, owner.agent, owner.user, owner.project, owner.key)
        limit, conversations = access.settings.groups.history_limit, self._most_conversations

        def unit(tx: Transaction) -> None:
            if known_id is not None:
                duplicates = self._where(key).also("message_id = ?", known_id)
                if tx.row(_IS_KNOWN + duplicates.sql, duplicates.params) is not None:
                    return
            tx.execute(_ADD, (*row, name, text, moment, known_id))
            older = " AND id NOT IN (" + _IDS + where.sql + _LAST + ")"
            tx.execute(_DELETE + where.sql + older, [*where.params, *where.params, limit])
            count = tx.row(_COUNT, row[:1])
            if count is not None and integer(count[0]) > conversations:
                tx.execute(_FORGET_OTHERS, (owner.tenant, owner.tenant, conversations))

        access.database.write(unit)

    def pending(self, key: str) -> list[PendingMessage]:
        """Return the pending messages of a conversation, oldest first.

        Raises:
            Denied: the conversation belongs to another owner than the scope's.
        """
        self._owner(key)
        where, limit = self._where(key), self._access.settings.groups.history_limit
        rows = self._access.database.read(
            lambda tx: tx.all(_NEWEST + where.sql + _LAST, [*where.params, limit])
        )
        fields = PendingMessage.__struct_fields__
        return [decode(PendingMessage, fields, row) for row in reversed(rows)]

    def render(self, key: str, sender: str, said: str) -> str:
        """Return a prompt: the messages since the last reply, then the one to be answered.

        Each message begins with its sender; its further lines are set in, and a marker in it loses
        its brackets, so that no text looks like another message. Without anything pending it is
        the message alone.

        Raises:
            Denied: the conversation belongs to another owner than the scope's.
        """
        waiting = self.pending(key)
        self._shown[parse_key(key).text] = waiting[-1].id if waiting else 0
        return rendered(waiting, spoken_lines(sender, said))

    def clear(self, key: str, *, through: int | None = None) -> None:
        """Forget the pending messages of a conversation: the agent has replied.

        What came after the prompt waits for the next one.

        Args:
            key: Of the conversation.
            through: The id of the newest message that the agent saw; if not given, the newest that
                the last `render` of this object showed, or all without one.

        Raises:
            Denied: the conversation belongs to another owner than the scope's.
        """
        owner, where = self._owner(key), self._where(key)
        last_id = self._shown.pop(owner.key or "", None) if through is None else through
        if last_id is not None:
            where.also("id <= ?", last_id)
        self._access.database.write(lambda tx: tx.execute(_DELETE + where.sql, where.params))

    @property
    def _most_conversations(self) -> int:
        return self._access.settings.groups.history_conversations

    def _owner(self, key: str) -> Session:
        """Return the owner of a conversation, as a session; refuse one that is not the scope's."""
        scope, parsed = self._access.scope, parse_key(key)
        if scope.session is not None:
            only = self._access.database.read(
                partial(require_session, scope=scope, session_id=scope.session)
            )
            if only.key != parsed.text:
                raise Denied(
                    "the conversation is of another session than the scope",
                    hint="use the key of the session, or ask with another scope",
                )
        nobodys = Session(id="", tenant=scope.tenant, status="", created_at=0, updated_at=0)
        return owned_session(nobodys, parsed, scope)

    def _where(self, key: str) -> Condition:
        scope = msgspec.structs.replace(self._access.scope, session=None)
        return Condition(scope).equal("key", parse_key(key).text)


def rendered(waiting: Sequence[PendingMessage], current: str) -> str:
    """Return the lines to be answered below those that wait, as `History.render` has them."""
    if not waiting:
        return current
    lines = [spoken_lines(message.sender, message.text) for message in waiting]
    return "\n".join((BEFORE, *lines, "", CURRENT, current))


def spoken_lines(sender: str, message: str) -> str:
    """Return a message in a prompt: no name and no text can look like another one."""
    name = " ".join(_plain(sender).split())
    return "\n  ".join(f"{name}: {_plain(message)}".splitlines())


def _plain(text: str) -> str:
    return _FORGED.sub(lambda mark: f"({mark[0][1:-1]})", text)
