"""A responder that answers by a script, for what stands around the responder."""

from __future__ import annotations

import threading
from collections.abc import Callable

from recollect.respond.inbound import Inbound
from recollect.respond.reply import Reply, ReplyEvent

OnEvent = Callable[[ReplyEvent], None]


class ScriptedResponder:
    """Answers each message once, in the order in which they came, and remembers them by their ids.

    Args:
        answer: Returns the text of an answer; empty: there is nothing to say.
    """

    def __init__(self, answer: Callable[[Inbound], str] = lambda each: f"to {each.text}") -> None:
        self._answer = answer
        self._replies: dict[tuple[str, str | None], Reply] = {}
        self._lock = threading.Lock()
        self.held: list[Callable[[], None]] | None = None
        """Answers that wait, where a test wants them to."""
        self.blocks: list[str] = []
        """Parts of the answer that are said before its end."""
        self.let_end = threading.Event()
        self.let_end.set()
        self.messages: list[Inbound] = []
        self.cancelled = 0

    def submit(self, inbound: Inbound, on_event: OnEvent) -> ScriptedResponder:
        """Answer a message at once, or once it is let go."""
        name = (inbound.key, inbound.event_id)
        with self._lock:
            reply = self._replies.get(name)
            if reply is None:
                self.messages.append(inbound)
                text = self._answer(inbound)
                status = "answered" if text else "silent"
                reply = Reply(status=status, text=text, event_id=inbound.event_id or "")  # type: ignore[arg-type]
                self._replies[name] = reply
        final = reply

        def answer() -> None:
            on_event(ReplyEvent(kind="typing"))
            if final.text:
                on_event(ReplyEvent(kind="piece", text=final.text))
                for block in self.blocks:
                    on_event(ReplyEvent(kind="block", text=block))
                self.let_end.wait(60)
            on_event(ReplyEvent(kind="reply", reply=final))

        if self.held is None:
            answer()
        else:
            self.held.append(answer)
        return self

    def cancel(self) -> None:
        """Count it."""
        self.cancelled += 1
