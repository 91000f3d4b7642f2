"""The handle of a held session of a memory: also what the memory does for one session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.memory import Memory
from recollect.recall.context.contexts import Contexts
from recollect.recall.steps.timeline import ObservationRecall
from recollect.sessions.leased_session import LeasedSession, for_session, of_session

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self

    from recollect.core.scope import Scope
    from recollect.observations.observation import Observation
    from recollect.observations.recalled import OwnCalls
    from recollect.sessions.lease import Lease
    from recollect.sessions.record.session import Session
    from recollect.sessions.sessions import Sessions

_MEMORY = "_memory"
_OBSERVATIONS = "_observations"


class SessionHandle(LeasedSession):
    """The right to go on with a session of a memory. A context manager.

    Each message is a sign of life. A program that was away for too long, so that another one took
    over, is refused with `Conflict` at its next message and has written nothing.

    It can do all that can be done with a session, without its id: each call of `Sessions` that
    takes one is here too, such as `append`, `messages`, `view`, `compact`, `fork`, `flush` and
    `rename`, and so is what the memory does for a session: `observations`, `context`, and `search`,
    `lines` and `read`, which hear what the session may hear. What changes the session does so with
    its lease, and is refused to others.

    Args:
        session: As it was when it was taken: the one asked for, or a fork of it.
        lease: The right itself, with its fence.
        sessions: The `Sessions` that it is one of.
        memory: The memory that it is of.
    """

    def __init__(self, session: Session, lease: Lease, sessions: Sessions, memory: Memory) -> None:
        super().__init__(session, lease, sessions)
        self._memory = memory

    def __enter__(self) -> Self:
        return self

    @property
    def observations(self) -> SessionObservations:
        """What agents did and saw in it, and what it may hear of others."""
        return SessionObservations(self._memory.observations, self._values)

    @property
    def _contexts(self) -> Contexts:
        return self._memory.context

    context = of_session(Contexts.block, "_contexts")
    """Returns what its prompt is given by itself, and records that it was."""
    export = for_session(Memory.export, _MEMORY)
    """Returns everything that it may hear, as lines for elsewhere."""
    export_session = of_session(Memory.export_session, _MEMORY)
    """Returns it as its program, and our own import, read it."""
    files = for_session(Memory.files, _MEMORY)
    """Returns the paths of the memory files that it may read, sorted."""
    lines = for_session(Memory.lines, _MEMORY)
    """Returns what was found, in lines of at most 100 tokens."""
    read = for_session(Memory.read, _MEMORY)
    """Returns lines of a memory file that it may read."""
    search = for_session(Memory.search, _MEMORY)
    """Returns the best hits for a question, of what it may hear."""


class SessionObservations:
    """The observations of a memory, as a held session records and hears them.

    Args:
        observations: Those of the memory.
        values: What a call takes of the session, by the names of parameters.
    """

    def __init__(self, observations: ObservationRecall, values: Mapping[str, Any]) -> None:
        self._observations = observations
        self._values = values

    @property
    def scope(self) -> Scope:
        """Whose observations they are."""
        return self._observations.scope

    @property
    def own_calls(self) -> OwnCalls:
        """The calls of our own tools, which are not recorded."""
        return self._observations.own_calls

    def heard(self, of: Observation) -> Observation | None:
        """Return an observation as the session hears it; None where it hears nothing of it."""
        return self._observations.heard(of, self._values["session_id"])

    forget = for_session(ObservationRecall.forget, _OBSERVATIONS)
    """Takes one that it hears out of everything until it is restored."""
    get = for_session(ObservationRecall.get, _OBSERVATIONS)
    """Returns those that it hears, by id."""
    """Returns who asks, for a sender of the session."""
    list = for_session(ObservationRecall.list, _OBSERVATIONS)
    """Returns those that it hears, the newest first."""
    numbers = for_session(ObservationRecall.numbers, _OBSERVATIONS)
    """Returns the numbers of observations, whoever hears them."""
    record = of_session(ObservationRecall.record, _OBSERVATIONS)
    """Stores one, and returns it once it is durable."""
    record_each = for_session(ObservationRecall.record_each, _OBSERVATIONS)
    """Stores those of any sessions, and returns what became of each."""
    record_many = for_session(ObservationRecall.record_many, _OBSERVATIONS)
    """Stores those of any sessions in one transaction, all of them or none."""
    restore = for_session(ObservationRecall.restore, _OBSERVATIONS)
    """Brings back a forgotten one that it hears."""
    timeline = for_session(ObservationRecall.timeline, _OBSERVATIONS)
    """Returns what was said and done around something, of what it hears."""
    within = for_session(ObservationRecall.within, _OBSERVATIONS)
    """Returns the observations as another scope sees them."""
