"""Stand-ins: messages that a hook reported without a transcript to read.

The transcript of the session takes their place as soon as it can be read.
"""

from __future__ import annotations

from typing import Literal, LiteralString, TypeAlias

import msgspec

from recollect.sessions.record.session import Session
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction

STAND_IN = "stand_in"
"""The key in a message's metadata: a `StandIn`."""
Part: TypeAlias = Literal["prompt", "answer"]
_LOOKED_AT = 200
"""Newest messages: those of the turn that a hook reports."""
_NEWEST: LiteralString = """
    SELECT role, text,
        CASE json_type(metadata, '$.foreign.line.promptId') WHEN 'text'
            THEN json_extract(metadata, '$.foreign.line.promptId') END,
        foreign_id
    FROM messages WHERE session_id = ? ORDER BY seq DESC LIMIT ?
"""
_ROLES = {"prompt": "user", "answer": "assistant"}


class StandIn(msgspec.Struct, frozen=True, kw_only=True):
    """Which message of which turn it replaces.

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

    @property
    def event_id(self) -> str | None:
        """The event id of the stand-in; None where the turn is not known."""
        return None if self.prompt is None else f"hook:{self.prompt}:{self.role}"


def is_known(tx: Transaction, session: Session, of: StandIn, text: str) -> bool:
    """Return whether the transcript brought a message already.

    A prompt by its turn and its words: in a fork Claude Code names the new turn on every line that
    it copies. By its turn alone where no other line has that. An answer by its words in its turn.

    Args:
        tx: A transaction.
        session: The session.
        of: Which message.
        text: Its words, as they are stored.
    """
    prompts: list[str] = []
    answers: set[str] = set()
    for role, said, prompt, foreign_id in typed_rows(
        tx.all(_NEWEST, (session.id, _LOOKED_AT)), tuple[str, str, str | None, str | None]
    ):
        if foreign_id is None:
            continue
        if role == "assistant":
            answers.add(said)
        elif role == "user" and of.prompt in {None, prompt}:
            prompts.append(said)
            if of.role == "answer" and text in answers:
                return True
            answers.clear()
        elif role == "user":
            answers.clear()
    return of.role == "prompt" and (
        text in prompts or (len(prompts) == 1 and of.prompt is not None)
    )
