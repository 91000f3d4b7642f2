"""The handle of a held session of a memory, with what the memory does for one session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.memory import Memory
from recollect.recall.context.contexts import Contexts
from recollect.recall.facts import FactRecall
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
_FACTS = "_facts"
_OBSERVATIONS = "_observations"


class SessionHandle(LeasedSession):
    """The right to continue a session of a memory. A context manager.

    Each message renews it. A program that was silent for too long, so that another one took over,
    is refused with `Conflict` at its next message, which is not stored.

    It has all calls for a session, without its id: each call of `Sessions` that takes one, such as
    `append`, `messages`, `view`, `compact`, `fork`, `flush` and `rename`, and the calls of the
    memory for a session: `observations`, `facts`, `context`, and `search`, `recall`, `lines` and
    `read`, which return only what the session may hear. Calls that change the session use its
    lease, and are refused to others.

    Args:
        session: As it was when it was taken: the requested one, or a fork of it.
        lease: Its lease, with the fence.
        sessions: The `Sessions` that it belongs to.
        memory: The memory that it belongs to.
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
    def facts(self) -> HeldFacts:
        """What is known, as far as it may hear it; what it remembers, its audience hears."""
        return HeldFacts(self._memory.facts, self._values)

    @property
    def _contexts(self) -> Contexts:
        return self._memory.context

    context = of_session(Contexts.block, "_contexts")
    """Returns the context block for its prompt, and records the injection."""
    export = for_session(Memory.export, _MEMORY)
    """Returns an export of everything that it may hear."""
    export_session = of_session(Memory.export_session, _MEMORY)
    """Returns the session in a format that our import reads."""
    files = for_session(Memory.files, _MEMORY)
    """Returns the paths of the memory files that it may read, sorted."""
    lines = for_session(Memory.lines, _MEMORY)
    """Returns the hits of a search as lines of at most 100 tokens."""
    read = for_session(Memory.read, _MEMORY)
    """Returns lines of a memory file that it may read."""
    recall = for_session(Memory.recall, _MEMORY)
    """Returns facts and past sessions that fit a question, of what it may hear."""
    search = for_session(Memory.search, _MEMORY)
    """Returns the best hits for a question, of what it may hear."""


class HeldFacts:
    """The facts of a memory, as a held session hears and changes them.

    Args:
        facts: Those of the memory.
        values: Arguments that calls take from the session, by parameter name.
    """

    def __init__(self, facts: FactRecall, values: Mapping[str, Any]) -> None:
        self._facts = facts
        self._values = values

    correct = for_session(FactRecall.correct, _FACTS)
    """Gives one other words."""
    forget = for_session(FactRecall.forget, _FACTS)
    """Takes one out of search, lists and prompts until it is restored."""
    get = for_session(FactRecall.get, _FACTS)
    """Returns one, whatever its status."""
    history = for_session(FactRecall.history, _FACTS)
    """Returns the history of one."""
    list = for_session(FactRecall.list, _FACTS)
    """Returns those that it hears, the newest first."""
    pin = for_session(FactRecall.pin, _FACTS)
    """Keeps one from ever being archived."""
    remember = for_session(FactRecall.remember, _FACTS)
    """Remembers one, which its audience hears."""
    replace = for_session(FactRecall.replace, _FACTS)
    """Lets one make way for another."""
    restore = for_session(FactRecall.restore, _FACTS)
    """Makes one count again, or undoes its last correction."""
    said = for_session(FactRecall.said, _FACTS)
    """Returns the one with a number, an id, or some words."""
    search = for_session(FactRecall.search, _FACTS)
    """Returns those that fit a question, the best first."""


class SessionObservations:
    """The observations of a memory, as a held session records and hears them.

    Args:
        observations: Those of the memory.
        values: Arguments that calls take from the session, by parameter name.
    """

    def __init__(self, observations: ObservationRecall, values: Mapping[str, Any]) -> None:
        self._observations = observations
        self._values = values

    @property
    def scope(self) -> Scope:
        """The scope of the observations."""
        return self._observations.scope

    @property
    def own_calls(self) -> OwnCalls:
        """The calls of our own tools, which are not recorded."""
        return self._observations.own_calls

    def heard(self, of: Observation) -> Observation | None:
        """Return an observation as the session hears it; None if it does not hear it."""
        return self._observations.heard(of, self._values["session_id"])

    forget = for_session(ObservationRecall.forget, _OBSERVATIONS)
    """Hides one that it hears everywhere until it is restored."""
    get = for_session(ObservationRecall.get, _OBSERVATIONS)
    """Returns those that it hears, by id."""
    list = for_session(ObservationRecall.list, _OBSERVATIONS)
    """Returns those that it hears, the newest first."""
    numbers = for_session(ObservationRecall.numbers, _OBSERVATIONS)
    """Returns the numbers of observations, regardless of who hears them."""
    record = of_session(ObservationRecall.record, _OBSERVATIONS)
    """Stores one, and returns it once it is durable."""
    record_each = for_session(ObservationRecall.record_each, _OBSERVATIONS)
    """Stores those of any sessions, and returns the result of each."""
    record_many = for_session(ObservationRecall.record_many, _OBSERVATIONS)
    """Stores those of any sessions in one transaction, all of them or none."""
    restore = for_session(ObservationRecall.restore, _OBSERVATIONS)
    """Brings back a forgotten one that it hears."""
    timeline = for_session(ObservationRecall.timeline, _OBSERVATIONS)
    """Returns the events around something, of what it hears."""
    within = for_session(ObservationRecall.within, _OBSERVATIONS)
    """Returns the observations as another scope sees them."""
