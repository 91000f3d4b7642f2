"""Observations: stored and read as seed 001 has them, and taken out of everything."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.caller import Caller
from recollect.core.checks import check_share
from recollect.core.errors import NotFound, RecollectError
from recollect.observations.observation import Observation
from recollect.observations.observations import DETAIL_TOKENS
from recollect.server.route import Created, Given, Route
from recollect.server.seed.capturing import Stored, ToolReport, store_each
from recollect.server.seed.wire import BatchAnswer, ObservationAnswer, name_of, observation_answer


class OneObservation(Given, frozen=True, kw_only=True):
    """An observation, by its number or id.

    Attributes:
        full: All of input and output, also where only head and tail are in the row.
        max_tokens: What it may cost; input and output are shortened to that.
    """

    id: int | str
    full: bool = False
    max_tokens: int = DETAIL_TOKENS


class Batch(Given, frozen=True, kw_only=True):
    """Observations, by number or id; each may cost ``max_tokens``.

    Attributes:
        for_session: Only what this session may hear, by its key or id.
    """

    ids: list[int | str]
    full: bool = False
    max_tokens: int = DETAIL_TOKENS
    for_session: str | None = None


class OneId(Given, frozen=True, kw_only=True):
    """An observation, by its number or id."""

    id: int | str


def create(
    caller: Caller, given: Sequence[ToolReport]
) -> list[Created[ObservationAnswer] | ObservationAnswer | RecollectError]:
    """Store observations; return the first one where its event id is there already."""

    def check(report: ToolReport) -> None:
        if report.importance is not None:
            check_share(report.importance, "importance")
        if report.session_key is None and report.session_id is not None:
            caller.session(report.session_id)

    return [_created(caller, each) for each in store_each(caller, given, check=check)]


def _created(
    caller: Caller, stored: Stored | RecollectError
) -> Created[ObservationAnswer] | ObservationAnswer | RecollectError:
    if isinstance(stored, RecollectError):
        return stored
    if stored.is_new:
        return Created(observation_answer(stored.observation))
    # Who may write to a session need not hear it: an event id must not read it.
    try:
        heard = caller.memory.observations.heard(stored.observation, caller.for_session())
    except RecollectError as error:
        return error
    return observation_answer(heard or _unheard(stored.observation))


def get(caller: Caller, given: OneObservation) -> ObservationAnswer:
    """Return an observation."""
    return observation_answer(_found(caller, given))


def batch(caller: Caller, given: Batch) -> BatchAnswer:
    """Return observations, in the order of their ids."""
    found = caller.memory.observations.get(
        [name_of(each) for each in given.ids],
        None if given.full else given.max_tokens,
        for_session=caller.for_session(given.for_session),
    )
    missing = set(found.missing)
    return BatchAnswer(
        observations=tuple(map(observation_answer, found.found)),
        missing=tuple(each for each in given.ids if name_of(each) in missing),
        tokens=found.tokens,
    )


def forget(caller: Caller, given: OneId) -> ObservationAnswer:
    """Take an observation out of everything, until it is restored."""
    known = _found(caller, OneObservation(id=given.id))
    caller.writes_to(known.session_id)
    caller.memory.audit.record("forget", target=known.id)
    forgotten = caller.memory.observations.forget(known.id, for_session=caller.for_session())
    return observation_answer(forgotten)


def restore(caller: Caller, given: OneId) -> ObservationAnswer:
    """Bring a forgotten observation back."""
    restored = caller.memory.observations.restore(
        name_of(given.id), for_session=caller.for_session()
    )
    return observation_answer(restored)


def _unheard(of: Observation) -> Observation:
    """Return an observation without its words, for somebody who may not hear it."""
    blank = msgspec.structs.replace(of, title="", summary="", input="", output="")
    return msgspec.structs.replace(blank, tool_name=None, type="tool_use", files=())


def _found(caller: Caller, given: OneObservation) -> Observation:
    most = None if given.full else given.max_tokens
    observations, heard = caller.memory.observations, caller.for_session()
    for found in observations.get(name_of(given.id), most, for_session=heard).found:
        return found
    raise _no_such()


def _no_such() -> NotFound:
    return NotFound("the observation does not exist", hint="take an id from /api/search")


ROUTES = (
    Route(
        method="POST",
        path="/api/observations",
        summary="Store an observation",
        right="capture",
        given=ToolReport,
        call=create,
        answer=ObservationAnswer,
        status=201,
        is_shared=True,
    ),
    Route(
        method="POST",
        path="/api/observations/batch",
        summary="Get observations by id",
        right="read",
        given=Batch,
        call=batch,
        answer=BatchAnswer,
    ),
    Route(
        method="GET",
        path="/api/observations/{id}",
        summary="Get an observation by id",
        right="read",
        given=OneObservation,
        call=get,
        answer=ObservationAnswer,
    ),
    Route(
        method="POST",
        path="/api/observations/{id}/forget",
        summary="Take an observation out of everything, until it is restored",
        right="write",
        given=OneId,
        call=forget,
        answer=ObservationAnswer,
    ),
    Route(
        method="POST",
        path="/api/observations/{id}/restore",
        summary="Bring a forgotten observation back",
        right="write",
        given=OneId,
        call=restore,
        answer=ObservationAnswer,
    ),
)
