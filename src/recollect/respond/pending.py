"""Who waits for which reply in this process, and what is being answered now."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Literal

import msgspec

from recollect.models.cancellation import Cancellation
from recollect.models.language.model import LanguageModel
from recollect.respond.block_cache import BlockCache
from recollect.respond.inbound import Inbound
from recollect.respond.inbox import JoinedMessages
from recollect.respond.queue import ConversationQueue
from recollect.respond.reply import Reply, ReplyEvent

OnReplyEvent = Callable[[ReplyEvent], object]
Why = Literal["newer", "person", "closing"]
"""Why an answer is cut off: a message came that joins, somebody cancelled it, the home closes."""


def ignore(_: ReplyEvent) -> None:
    """Do nothing with an event."""


class Pending:
    """A message that is being answered. Safe to share between threads.

    Args:
        on_event: Gets what happens, in any thread; the reply once and last. Its errors are dropped:
            who reads an answer must not break it.
    """

    def __init__(self, on_event: OnReplyEvent = ignore) -> None:
        self._on_event = on_event
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._reply: Reply | None = None
        self._cancel: Callable[[], object] = lambda: None

    def wait(self, timeout_s: float | None = None) -> Reply | None:
        """Return the reply; None if there is none within the timeout."""
        self._done.wait(timeout_s)
        return self._reply

    def cancel(self) -> None:
        """Stop the answer: what arrived of it stays, and nothing is answered later."""
        if not self._done.is_set():
            self._cancel()

    def on_cancel(self, cancel: Callable[[], object]) -> None:
        """Let `cancel` call this."""
        self._cancel = cancel

    def tell(self, event: ReplyEvent) -> None:
        """Pass on what happens, until the reply."""
        if not self._done.is_set():
            with suppress(Exception):
                self._on_event(event)

    def resolve(self, reply: Reply) -> None:
        """Pass on the reply; a second one is dropped."""
        with self._lock:
            if self._reply is not None:
                return
            self._reply = reply
        with suppress(Exception):
            self._on_event(ReplyEvent(kind="reply", reply=reply))
        self._done.set()


class Ongoing:
    """The answer that is made in a conversation now.

    Until its first piece is out a newer message may cut it off, to be answered with it.

    Attributes:
        cancellation: Cancels the call of the model.
        why: Why it was cut off; None while it goes on.
        is_heard: Whether its first piece is out.
        batch: What is answered; None until that is read.
    """

    def __init__(self) -> None:
        self.cancellation = Cancellation()
        self.why: Why | None = None
        self.is_heard = False
        self.batch: JoinedMessages | None = None
        self._early: set[str] = set()
        """What came in before the batch was read; most of it is in there."""
        self._lock = threading.Lock()

    def take(self, batch: JoinedMessages) -> None:
        """Note what is answered."""
        with self._lock:
            self.batch = batch
            is_late = bool(self._early - batch.ids)
        if is_late:
            self.cut_off("newer", "")

    def begin_speaking(self) -> bool:
        """Return whether the first piece may go out; from then on newer messages wait."""
        with self._lock:
            self.is_heard = self.is_heard or self.why is None
            return self.is_heard

    def has(self, row_id: str) -> bool:
        """Return whether a row is answered."""
        return self.batch is not None and row_id in self.batch.ids

    def cut_off(self, why: Why, row_id: str) -> bool:
        """Cut the answer off; return False where a newer message must wait, or is in it."""
        with self._lock:
            if why == "newer":
                if self.is_heard or self.has(row_id):
                    return False
                if self.batch is None:
                    self._early.add(row_id)
                    return True
            self.why = self.why or why
        self.cancellation.cancel()
        return True


class Conversations(msgspec.Struct, eq=False):
    """What is waited for and answered in a home, by all of its memories.

    Attributes:
        queue: Runs the answers.
        blocks: The context blocks of their prompts.
        lock: Guards the others.
        arriving: Held from before a message is stored until somebody waits for its reply: they get
            all of an answer that begins meanwhile.
        pendings: By conversation and row of the inbox: who waits.
        ongoing: By conversation: what is answered.
        commands: By row of the inbox: the commands of this process that wait; their texts are not
            stored.
        models: Those that sessions have instead of that of the settings, each made once.
        making: Guards the models.
    """

    queue: ConversationQueue
    blocks: BlockCache
    lock: threading.Lock = msgspec.field(default_factory=threading.Lock)
    arriving: threading.RLock = msgspec.field(default_factory=threading.RLock)
    pendings: dict[Hashable, dict[str, list[Pending]]] = msgspec.field(default_factory=dict)
    ongoing: dict[Hashable, Ongoing] = msgspec.field(default_factory=dict)
    commands: dict[str, Inbound] = msgspec.field(default_factory=dict)
    models: dict[Hashable, LanguageModel | None] = msgspec.field(default_factory=dict)
    making: threading.Lock = msgspec.field(default_factory=threading.Lock)

    def add(self, conversation: Hashable, row_id: str, pending: Pending) -> None:
        """Let somebody wait for the reply to a row."""
        with self.lock:
            self.pendings.setdefault(conversation, {}).setdefault(row_id, []).append(pending)

    def of(self, conversation: Hashable, row_ids: Iterable[str]) -> list[Pending]:
        """Return who waits for rows."""
        with self.arriving, self.lock:
            rows = self.pendings.get(conversation, {})
            return [pending for row_id in row_ids for pending in rows.get(row_id, ())]

    def rows(self, conversation: Hashable) -> list[str]:
        """Return the rows of a conversation that somebody waits for."""
        with self.lock:
            return list(self.pendings.get(conversation, ()))

    def resolve(self, conversation: Hashable, row_id: str, reply: Reply) -> None:
        """Give the reply to a row to all who wait for it."""
        with self.lock:
            rows = self.pendings.get(conversation, {})
            pendings = rows.pop(row_id, [])
            if not rows:
                self.pendings.pop(conversation, None)
        for pending in pendings:
            pending.resolve(reply)

    def await_commands(self, conversation: Hashable, timeout_s: float) -> None:
        """Wait for the commands that wait in a conversation: they may begin another session."""
        with self.lock:
            rows = self.pendings.get(conversation, {})
            pendings = [rows[row_id][0] for row_id in rows if row_id in self.commands]
        for pending in pendings:
            pending.wait(timeout_s)

    @contextmanager
    def answering(self, conversation: Hashable) -> Iterator[Ongoing]:
        """Note that an answer is made in a ``with`` block."""
        ongoing = Ongoing()
        with self.lock:
            self.ongoing[conversation] = ongoing
        try:
            yield ongoing
        finally:
            with self.lock:
                self.ongoing.pop(conversation, None)

    def cut_off(
        self, conversation: Hashable, why: Why, sender: str | None = None, row_id: str = ""
    ) -> bool:
        """Cut off what is answered in a conversation; False where nothing is, or it goes on.

        Args:
            conversation: Which one.
            why: A newer message only cuts off the answer to its own sender.
            sender: Of the newer message.
            row_id: Of the newer message; empty for one that is answered and was changed.
        """
        with self.lock:
            ongoing = self.ongoing.get(conversation)
        if ongoing is None:
            return False
        batch = ongoing.batch
        if why == "newer" and batch is not None and not batch.may_be_joined_by(sender):
            return False
        return ongoing.cut_off(why, row_id)

    def is_heard(self, conversation: Hashable, row_id: str) -> bool:
        """Return whether the first piece of the answer to a row is out."""
        with self.lock:
            ongoing = self.ongoing.get(conversation)
        return ongoing is not None and ongoing.is_heard and ongoing.has(row_id)

    def model(
        self, about: Hashable, make: Callable[[], LanguageModel | None]
    ) -> LanguageModel | None:
        """Return a model that a session has; None where it lacks a key or a program.

        Args:
            about: Its name, and the settings that it is made with.
            make: Makes it.
        """
        with self.making:
            if about not in self.models:
                self.models[about] = make()
            return self.models[about]

    def close(self) -> None:
        """Cut off every answer; what waits is answered after the next start."""
        with self.lock:
            conversations = list(self.ongoing)
        for conversation in conversations:
            self.cut_off(conversation, "closing")
        self.queue.close()
        with self.making:
            models = filter(None, self.models.values())
            self.models = {}
        for model in models:
            model.close()
        with self.lock:
            waiting = [(c, row_id) for c, rows in self.pendings.items() for row_id in rows]
        for conversation, row_id in waiting:
            reply = Reply(
                status="cancelled",
                code="store_closed",
                hint="start it again: what is kept is answered then",
            )
            self.resolve(conversation, row_id, reply)
