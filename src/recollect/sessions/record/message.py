"""Messages: one stored item of a transcript, its roles, and its cells.

Its rows are written by `message_rows`; `draft` and `transcript_rows` store new messages. A
stand-in is a message that a hook reported without a transcript to read: the transcript of the
session replaces it as soon as it can be read.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Literal, LiteralString, TypeAlias

import msgspec

from recollect.core.decoding import json_decoder
from recollect.core.errors import StoreCorrupt
from recollect.sessions.record.content import ContentBlock, TextBlock
from recollect.sessions.record.session import Session
from recollect.store.columns import is_message_out, text, typed_rows
from recollect.store.engine import SqlValue, Transaction
from recollect.text.boundaries import brief_repr

ROLES = ("user", "assistant", "system", "tool")
"""Who can speak."""
UNFINISHED = "unfinished"
"""The key in the metadata of a message whose stream was cut off."""


# It holds no cycle, and thousands are made for one view: the collector need not follow them.
class Message(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One stored item of a transcript.

    Attributes:
        id: Sorts by the time of storing.
        session_id: Where it belongs.
        seq: Its position in the session, from 1, without gaps.
        role: One of `ROLES`.
        blocks: Its content; a plain text is one text block. ``content`` in JSON.
        text: The part of it that can be read and searched.
        tokens: The approximate number of tokens of that in a prompt.
        created_at: When it was said, ms UTC; may go backwards from one message to the next.
        recorded_at: When it was stored, ms UTC.
        name: The speaker, where it is known.
        metadata: Facts of the caller, JSON. ``replaced_characters`` is ours: how many characters
            could not be stored and were replaced by U+FFFD.
        event_id: The caller's own id; the same id twice is one message.
        foreign_id: Its id in the transcript it was imported from.
        sender: The account that said it, ``channel:id`` or ``channel:network:id``, where known.
        turn_sender: The account whose turn it belongs to: the sender of a user's message; for
            answers and tools that of the user's message before.
        number: Its number, shown as ``m88``: from 1 in its tenant, never used again.
        tenant: Owner.
        agent: Owner.
        user: Owner.
        project: Owner.
    """

    __repr__ = brief_repr

    id: str
    session_id: str
    seq: int
    role: str
    blocks: tuple[ContentBlock, ...] = msgspec.field(name="content")
    text: str
    created_at: int
    recorded_at: int
    tenant: str
    tokens: int = 0
    name: str | None = None
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    event_id: str | None = None
    foreign_id: str | None = None
    sender: str | None = None
    turn_sender: str | None = None
    number: int = 0
    agent: str | None = None
    user: str | None = None
    project: str | None = None

    @property
    def content(self) -> str | list[dict[str, Any]]:
        """Its content as plain JSON: a text, or a list of blocks."""
        match self.blocks:
            case (TextBlock(text=text),):
                return text
        plain: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(self.blocks))
        return plain


_CONTENT = json_decoder(str | tuple[ContentBlock, ...])


def decoded_content(cell: SqlValue) -> str | tuple[ContentBlock, ...]:
    """Return a stored content as it is: a text, or blocks.

    Raises:
        StoreCorrupt: it is neither.
    """
    try:
        content: str | tuple[ContentBlock, ...] = _CONTENT.decode(text(cell))
    except msgspec.DecodeError as error:
        raise StoreCorrupt("the content of a message is damaged", hint=_DOCTOR) from error
    return content


def decode_content(cell: SqlValue) -> tuple[ContentBlock, ...]:
    """Return the blocks of a stored content; a stored text is one text block.

    Raises:
        StoreCorrupt: it is neither.
    """
    content = decoded_content(cell)
    return (TextBlock(text=content),) if isinstance(content, str) else content


MESSAGE_FIELDS = (
    *("id", "tenant", "agent", "user", "project", "session_id", "seq", "role", "name", "content"),
    *("text", "tokens", "created_at", "recorded_at", "metadata", "event_id", "foreign_id"),
    *("sender", "turn_sender", "number"),
)
"""In the order of the columns."""
message_cells = attrgetter(*("blocks" if name == "content" else name for name in MESSAGE_FIELDS))
"""Returns the fields of a message in the order of the columns."""

_DOCTOR = "run `recollect doctor`"


STAND_IN = "stand_in"
"""The key in a message's metadata: a `StandIn`."""
Part: TypeAlias = Literal["prompt", "answer"]
_LOOKED_AT = 200
"""Newest messages: those of the turn that a hook reports."""
_NEWEST: LiteralString = f"""
    SELECT role, text,
        CASE json_type(metadata, '$.foreign.line.promptId') WHEN 'text'
            THEN json_extract(metadata, '$.foreign.line.promptId') END,
        foreign_id
    FROM messages WHERE session_id = ?
        AND (? OR NOT {is_message_out("messages", "messages.session_id")})
    ORDER BY seq DESC LIMIT ?
"""  # noqa: S608  # literals
"""Without the id of a turn, the words of one that a rewind took out may be said again."""
_SAID: LiteralString = """
    SELECT 1 FROM messages WHERE session_id = ? AND event_id >= ? AND event_id < ? AND text = ?
"""
_ROLES = {"prompt": "user", "answer": "assistant"}


class StandIn(msgspec.Struct, frozen=True, kw_only=True):
    """The message, and its turn, that it stands for.

    Attributes:
        prompt: The program's id of the turn; None where it gives none.
        role: Of the message in that turn.
    """

    prompt: str | None
    role: Part

    @property
    def said_by(self) -> str:
        """The role of the message."""
        return _ROLES[self.role]

    def event_id(self, at: int | None) -> str | None:
        """Return the event id of the stand-in; None where the turn is not known.

        Args:
            at: When it was said, ms UTC: an agent that goes on by itself answers again in a turn.
        """
        if self.prompt is None:
            return None
        again = f":{at}" if self.role == "answer" and at is not None else ""
        return f"hook:{self.prompt}:{self.role}{again}"


def is_known(tx: Transaction, session: Session, of: StandIn, text: str) -> bool:
    """Return whether a message is there already.

    A prompt is recognised by its turn and its words, as in a fork Claude Code puts the new turn on
    every line that it copies; by its turn alone where no other line has it. An answer is recognised
    by its words within its turn, also if another hook reported it.

    Args:
        tx: A transaction.
        session: The session.
        of: Which message.
        text: Its words, as they are stored.
    """
    start = of.event_id(None)
    if of.role == "answer" and tx.row(_SAID, (session.id, start, f"{start};", text)) is not None:
        return True
    prompts: list[str] = []
    answers: set[str] = set()
    newest = tx.all(_NEWEST, (session.id, of.prompt is not None, _LOOKED_AT))
    for role, words, prompt, foreign_id in typed_rows(
        newest, tuple[str, str, str | None, str | None]
    ):
        if foreign_id is None:
            continue
        if role == "assistant":
            answers.add(words)
        elif role == "user" and of.prompt in {None, prompt}:
            prompts.append(words)
            if of.role == "answer" and text in answers:
                return True
            answers.clear()
        elif role == "user":
            answers.clear()
    return of.role == "prompt" and (
        text in prompts or (len(prompts) == 1 and of.prompt is not None)
    )
