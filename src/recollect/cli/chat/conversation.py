"""A conversation of the command line: its session, its questions, and what stops an answer."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from recollect.audience.session_key import parse_key
from recollect.core.errors import Denied, InvalidInput, NotFound
from recollect.respond.inbound import Inbound

if TYPE_CHECKING:  # for a name only
    from recollect.memory import Memory
    from recollect.respond.reply import Reply, ReplyEvent
    from recollect.sessions.record.session import Session

MAIN_KEY = "agent:main:main"
"""The conversation of the owner that is on no channel, as the terminal of OpenClaw has it."""
_POLL_S = 0.1
"""How soon an answer stops after Ctrl-C."""


class ChatConversation:
    """Asks the responder under one key, as the owner.

    Args:
        memory: The memory.
        key: The key.
    """

    def __init__(self, memory: Memory, key: str) -> None:
        self.memory = memory
        self.key = key

    @property
    def session(self) -> Session:
        """The current session of the key; a new one where none is fresh."""
        return self.memory.sessions.open(self.key, owner=True)

    def ask(self, text: str, on_event: Callable[[ReplyEvent], object]) -> Reply:
        """Return what becomes of a message; Ctrl-C stops its answer, not the program.

        Args:
            text: What the owner says, or a command.
            on_event: Gets each event as it comes.
        """
        events: SimpleQueue[ReplyEvent] = SimpleQueue()
        inbound = Inbound(key=self.key, text=text)
        presses: list[int] = []  # what stops an answer takes locks: no handler may call it
        with interrupts(lambda number, _: presses.append(number)):
            pending = self.memory.responder.submit(inbound, events.put, debounce_ms=0)
            while True:
                if presses:
                    presses.clear()
                    pending.cancel()
                with suppress(Empty):
                    event = events.get(timeout=_POLL_S)
                    on_event(event)
                    if event.reply is not None:
                        return event.reply


@contextmanager
def interrupts(handler: Callable[..., object]) -> Iterator[None]:
    """Let a function take Ctrl-C in a ``with`` block.

    The usual error can hit any place: in an import it leaves a lock that the next thread which
    imports waits for, and the memory closes never.
    """
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def ignored(_number: int, _frame: object) -> None:
    """Do nothing with Ctrl-C."""


def chosen_key(memory: Memory, name: str | None, *, new: bool = False, go_on: bool = False) -> str:
    """Return the key of the conversation that is asked for, whose session is the one to go on with.

    Args:
        memory: The memory.
        name: A key, or the id or title of a session. One that is not the current session of its key
            is gone on with in a fork.
        new: Begin a new session.
        go_on: Go on with the last one, however old.

    Raises:
        NotFound: the session does not exist.
        Denied: the conversation is with somebody else.
        InvalidInput: two of them are given.
    """
    if sum((name is not None, new, go_on)) > 1:
        hint = "give one of them"
        raise InvalidInput("--session, --new and --continue exclude each other", hint=hint)
    sessions = memory.sessions
    if new:
        sessions.reset(MAIN_KEY, owner=True)
        return MAIN_KEY
    session: Session | None = None
    if go_on:
        session = next(iter(sessions.list(key=MAIN_KEY, limit=1)), None)
    elif name is not None and (session := _named(memory, name)) is None:
        session = sessions.open(parse_key(name).text, owner=True)
    if session is None:
        return MAIN_KEY
    if not sessions.speaking_group(session.id, None).is_owners:
        raise Denied("the session is with somebody else", hint="use their channel to write to them")
    key = session.key or MAIN_KEY
    if sessions.open(key, owner=session.user is None).id != session.id:
        sessions.fork(session.id, title=session.title, key=key, owner=session.user is None)
    return key


def _named(memory: Memory, name: str) -> Session | None:
    """Return the session with a name; None for a key that has none yet."""
    try:
        return memory.sessions.find(name)
    except NotFound:
        if ":" in name:
            return None
        raise
