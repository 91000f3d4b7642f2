"""Messages: appended to a session, and read."""

from __future__ import annotations

from typing import Any

import msgspec

from recollect.answers.message import MessageList
from recollect.caller import Caller
from recollect.core.checks import RowCount
from recollect.server.route import Created, Fields, Routes
from recollect.server.routes.sessions import PAGE
from recollect.server.values import moment_of
from recollect.sessions.record.message import Message

ROUTES = Routes()


class NewMessage(Fields, frozen=True, kw_only=True):
    """A message; fields as in `Sessions.append`.

    Attributes:
        session_key: Where, by key or id; one that is not there is begun.
        project_path: Of a session that is begun.
        name: The name of the speaker, if known.
        created_at: When it was said, ISO 8601 or ms; now if not given.
        owner: Whether a plain name is a session of the owner's, as where one begins.
    """

    session_key: str
    role: str
    content: str | list[Any]
    project_path: str | None = None
    name: str | None = None
    created_at: int | str | None = None
    metadata: dict[str, Any] | None = None
    event_id: str | None = None
    model: str | None = None
    sender: str | None = None
    owner: bool = False


class MessageFilter(Fields, frozen=True, kw_only=True):
    """Which messages of a session: the newest, or the first after a seq."""

    session_key: str
    limit: RowCount = PAGE
    after_seq: int | None = None
    before_seq: int | None = None


@ROUTES.add("POST", "/api/messages", "capture")
def append(caller: Caller, fields: NewMessage) -> Created[Message] | Message:
    """Append a message; return the first one where its event id is there already."""
    session = caller.writes_to(fields.session_key, fields.project_path, owner=fields.owner)
    message = caller.memory.sessions.append(
        session.id,
        fields.role,
        fields.content,
        name=fields.name,
        at=None if fields.created_at is None else moment_of(fields.created_at),
        metadata=fields.metadata,
        event_id=fields.event_id,
        model=fields.model,
        sender=caller.sender(fields.sender, session),
    )
    if message.session_id == session.id and message.seq > session.last_seq:
        return Created(message)
    # Who may write to a session need not hear it: an event id must not read it.
    is_heard = caller.hears_message(message)
    return message if is_heard else msgspec.structs.replace(message, blocks=(), text="")


@ROUTES.add("GET", "/api/messages", "read")
def list_messages(caller: Caller, fields: MessageFilter) -> MessageList:
    """List messages of a session, oldest first."""
    session = caller.session(fields.session_key)
    messages = caller.memory.sessions.messages(
        session.id,
        fields.limit,
        after_seq=fields.after_seq,
        before_seq=fields.before_seq,
        for_session=caller.for_session(),
    )
    return MessageList(session_id=session.id, messages=tuple(messages))
