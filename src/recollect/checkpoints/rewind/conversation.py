"""What a rewind asks of the conversation of its session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from recollect.checkpoints.record.rows import Rewind
from recollect.store.engine import Transaction


class ConversationPort(Protocol):
    """Takes messages out of a session, and returns them, in a transaction of the records."""

    def last_seq(self, session_id: str, after_seq: int) -> int | None:
        """Return the last message that a session shows; None where none is after a seq.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: the session does not show a message with that seq.
        """

    def withdraw(self, tx: Transaction, rewind: Rewind) -> None:
        """Take the messages of a rewind out of its session.

        Raises:
            RewindConflict: the session has newer messages.
            Conflict: it was deleted, or another program holds it.
        """

    def give_back(self, tx: Transaction, rewind: Rewind, rewind_ids: Sequence[str]) -> None:
        """Return the messages that the first of some rewinds took out that still has some out.

        Nothing is done where its session was erased. Raises as `withdraw`.
        """
