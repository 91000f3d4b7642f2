"""A session that one program holds: it writes with its lease, and gives the session back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any

from recollect.sessions.content import Content
from recollect.sessions.lease import Lease
from recollect.sessions.message import Message
from recollect.sessions.session import Session
from recollect.sessions.transcripts import Item
from recollect.sessions.usage import TokenUsage

if TYPE_CHECKING:  # it makes these
    from recollect.sessions.sessions import Sessions


class HeldSession:
    """The right to go on with a session. A context manager.

    Each message is a sign of life. A program that was away for too long, so that another one took
    over, is refused at its next message and has written nothing.

    Attributes:
        session: As it was when it was taken: the one asked for, or a fork of it.
        lease: The right itself, with its fence.
    """

    def __init__(self, sessions: Sessions, session: Session, lease: Lease) -> None:
        self._sessions = sessions
        self.session = session
        self.lease = lease

    def __enter__(self) -> HeldSession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def append(
        self,
        role: str,
        content: Content,
        *,
        name: str | None = None,
        at: int | datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        event_id: str | None = None,
        model: str | None = None,
        usage: TokenUsage | Mapping[str, Any] | None = None,
    ) -> Message:
        """Store a message, as `Sessions.append` does.

        Raises:
            Conflict: another program has taken the session over.
            InvalidInput: something of it cannot be stored.
        """
        return self._sessions.append(
            self.session.id,
            role,
            content,
            name=name,
            at=at,
            metadata=metadata,
            event_id=event_id,
            model=model,
            usage=usage,
            lease=self.lease,
        )

    def append_many(self, items: Iterable[Item]) -> list[Message]:
        """Store messages in one transaction, as `Sessions.append_many` does.

        Raises:
            Conflict: another program has taken the session over.
            InvalidInput: something of it cannot be stored.
        """
        return self._sessions.append_many(self.session.id, items, lease=self.lease)

    def renew(self) -> None:
        """Give a sign of life without a message.

        Raises:
            Conflict: another program has taken the session over.
        """
        self._sessions.append_many(self.session.id, [], lease=self.lease)

    def release(self) -> None:
        """Give the session back. Again does no harm."""
        self._sessions.release(self.lease)
