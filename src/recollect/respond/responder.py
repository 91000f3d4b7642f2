"""The responder: takes messages in, and answers each of them once."""

from __future__ import annotations

from collections.abc import Callable

from recollect.respond.inbound import Inbound
from recollect.respond.reply import Reply, ReplyEvent

OnEvent = Callable[[ReplyEvent], None]


class Pending:
    """A message that is being answered."""

    def wait(self, timeout_s: float | None = None) -> Reply | None:
        """Return the reply; None if there is none within the timeout."""
        raise NotImplementedError

    def cancel(self) -> None:
        """Stop the answer; what arrived of it stays."""
        raise NotImplementedError


class Responder:
    """Answers messages with a model, from what the memory has of them. Threads may share it."""

    def submit(
        self, inbound: Inbound, on_event: OnEvent = lambda _: None, *, debounce_ms: int | None = None
    ) -> Pending:
        """Store a message, and let it be answered; return once it is stored."""
        raise NotImplementedError

    def pending(self) -> list[Inbound]:
        """Return the messages that are stored and not answered, oldest first."""
        raise NotImplementedError

    def resume(self) -> None:
        """Answer what is stored and not answered, once each."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop: what is being answered is cancelled, and answered after `resume`."""
        raise NotImplementedError
