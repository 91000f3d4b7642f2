"""The handle of a session that is held: the operations on a session, without its id.

Each name is one line with the call that it makes; type checkers take its parameters and its result
from there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from recollect.sessions.lease import Lease
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.sessions.sessions import Sessions
from recollect.sessions.streaming import Piece

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class SessionCall(Generic[P, R]):
    """A call of another object, made for the session of a handle and with its lease.

    Args:
        call: As the class of that object has it.
        target: The attribute of the handle that holds the object.
        takes_id: Whether the call takes the id of the session first.
    """

    def __init__(self, call: Callable[..., R], target: str, *, takes_id: bool) -> None:
        self._call, self._target, self._takes_id = call, target, takes_id

    def __get__(self, handle: Any, kind: type) -> Callable[P, R]:
        if handle is None:
            return self._call
        values: Mapping[str, Any] = getattr(handle, _VALUES)
        method = MethodType(self._call, getattr(handle, self._target))
        arguments = {name: values[name] for name in self._named}
        return partial(method, *([values["session_id"]] if self._takes_id else []), **arguments)

    @cached_property
    def _named(self) -> list[str]:
        """The values of the session that the call takes by name: on whose behalf, and the lease."""
        parameters = inspect.signature(self._call).parameters
        return [name for name in ("for_session", "lease") if name in parameters]


_VALUES = "_values"
"""The attribute of a handle with the values of its session, by the names of parameters."""


def of_session(
    call: Callable[Concatenate[T, str, P], R], target: str = "_sessions"
) -> SessionCall[P, R]:
    """Return the call of a handle for one that takes the id of a session first."""
    return SessionCall(call, target, takes_id=True)


def for_session(
    call: Callable[Concatenate[T, P], R], target: str = "_sessions"
) -> SessionCall[P, R]:
    """Return the call of a handle for one that takes ``for_session``, or no session."""
    return SessionCall(call, target, takes_id=False)


class LeasedSession:
    """The right to go on with a session. A context manager.

    Each message is a sign of life. A program that was away for too long, so that another one took
    over, is refused with `Conflict` at its next message and has written nothing.

    Each call of `Sessions` that takes the id of a session is here too, without the id. Calls that
    change the session use its lease, and are refused to others; calls that read other sessions
    return only what the session may hear.

    Args:
        session: The session as it was when it was taken: the requested one, or a fork of it.
        lease: The right itself, with its fence.
        sessions: The `Sessions` that it is one of.
    """

    def __init__(self, session: Session, lease: Lease, sessions: Sessions) -> None:
        self.session: Session = session
        self.lease: Lease = lease
        self._sessions = sessions
        self._values = {"session_id": session.id, "for_session": session.id, "lease": lease}

    def __enter__(self) -> LeasedSession:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def release(self) -> None:
        """Give the session back. A second call does nothing."""
        self._sessions.release(self.lease)

    def renew(self) -> None:
        """Give a sign of life without a message.

        Raises:
            Conflict: another program has taken the session over, or it was released.
        """
        self.append_many([])

    def append_stream(
        self, pieces: Iterable[Piece], role: str = "assistant", **facts: Any
    ) -> Message:
        """Store pieces as they come as one message; see `Sessions.append_stream`."""
        facts = {"lease": self.lease, **facts}
        return self._sessions.append_stream(self.session.id, pieces, role, **facts)

    append = of_session(Sessions.append)
    """Stores a message after the newest, and returns it once it is durable."""
    append_many = of_session(Sessions.append_many)
    """Stores messages in one transaction, and returns them in order."""
    compact = of_session(Sessions.compact)
    """Lets a summary replace in the view all but the newest messages."""
    compactions = of_session(Sessions.compactions)
    """Returns the compactions, oldest first."""
    end = of_session(Sessions.end)
    """Ends the session for now, and summarises it."""
    episodes = of_session(Sessions.episodes)
    """Returns the summaries of its ends, the newest first."""
    flush = of_session(Sessions.flush)
    """Writes what must last into notes."""
    fork = of_session(Sessions.fork)
    """Returns a new session that begins with the messages of this one."""
    get = of_session(Sessions.get)
    """Returns the session as it is now."""
    hears = of_session(Sessions.hears)
    """Returns whether it may hear another session."""
    is_addressed = of_session(Sessions.is_addressed)
    """Returns whether the agent is to answer a message."""
    keep_within_window = of_session(Sessions.keep_within_window)
    """Flushes and compacts if that is due; to be called in every turn of an agent."""
    lineage = of_session(Sessions.lineage)
    """Returns the tree of forks and resets that it belongs to."""
    list = for_session(Sessions.list)
    """Returns the sessions that it may hear, the last used first."""
    messages = of_session(Sessions.messages)
    """Returns its messages, oldest first."""
    parts = of_session(Sessions.parts)
    """Returns the parts that hold its messages: its own, and those that a fork shares."""
    rename = of_session(Sessions.rename)
    """Gives it another title, or none."""
    rewind = of_session(Sessions.rewind)
    """Takes its messages after a seq out of it."""
    rewinds = of_session(Sessions.rewinds)
    """Returns what was ever taken out of it, oldest first."""
    rules = of_session(Sessions.rules)
    """Returns the rules for an agent in it."""
    set_mode = of_session(Sessions.set_mode)
    """Serves it in another way from now on."""
    set_overrides = of_session(Sessions.set_overrides)
    """Gives it settings of its own, such as a model."""
    set_state = of_session(Sessions.set_state)
    """Sets what the agent works on in it."""
    set_status = of_session(Sessions.set_status)
    """Makes it ``active``, ``archived`` or ``deleted``."""
    stand_in = of_session(Sessions.stand_in)
    """Stores a message that a hook reports, until the transcript replaces it."""
    state = of_session(Sessions.state)
    """Returns what the agent works on in it."""
    stream = of_session(Sessions.stream)
    """Returns a message that arrives in pieces; a context manager."""
    summarise = of_session(Sessions.summarise)
    """Writes its summaries as it is now; it goes on."""
    tool_calls = of_session(Sessions.tool_calls)
    """Returns its tool calls, oldest first."""
    turn = of_session(Sessions.turn)
    """Waits until it is our turn in it; a context manager."""
    usage = of_session(Sessions.usage)
    """Returns what each of its messages costs, oldest first."""
    view = of_session(Sessions.view)
    """Returns the part of it that is in the prompt: a summary, and the newest messages."""
    visibility_group = of_session(Sessions.visibility_group)
    speaking_group = of_session(Sessions.speaking_group)
    """Returns the conversations that hear an answer in it now."""
