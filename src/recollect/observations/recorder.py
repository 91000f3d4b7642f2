"""Recording: from what callers pass to durable rows, one by one or many at once.

Everything that needs no database is done before the transaction; what many have in common is read
once for all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias, TypeVar

import msgspec

from recollect.audience.visibility import Resolve
from recollect.core.clock import Clock, check_time
from recollect.core.errors import Denied, InvalidInput, RecollectError
from recollect.core.events import ObservationsRecorded
from recollect.core.scope import ConversationTurn, Scope
from recollect.observations.blobs import store_named
from recollect.observations.controls import CaptureControls, CaptureVerdict, Pause, Refusal
from recollect.observations.draft import (
    GivenObservation,
    ObservationDraft,
    ObservationDrafts,
    event_of,
)
from recollect.observations.gathering import Gathering
from recollect.observations.observation import Observation
from recollect.observations.recalled import RECALLED, OwnCalls
from recollect.observations.rows import (
    AddedObservations,
    Recorded,
    SessionFacts,
    add_observations,
    find_facts,
    turn_of,
)
from recollect.store.blobs import Blobs
from recollect.store.engine import Database, Transaction
from recollect.store.journal import record_event

_BY_HAND = "record it by hand, with event='manual', or change the rule"

A = TypeVar("A")
T = TypeVar("T")

RecordOutcome: TypeAlias = "Recorded | RecollectError"
"""An observation as it is stored, or the error that says why it is not."""


class ObservationParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the use cases work with.

    Attributes:
        database: ``records.db``.
        gathering: Joins those that come at the same time.
        blobs: Where long inputs and outputs lie.
        clock: Tells the time.
        drafts: Checks, cleans and classifies what callers pass.
        audience: Resolves what an asker hears.
        is_owners: Says whether a turn is the owner's.
        own_calls: Knows the calls that ask this memory.
        controls: Says what is not captured.
        arrived: Is called after each commit that changed what can be found.
        scope: The owner of the observations.
    """

    database: Database
    gathering: Gathering[GivenObservation, RecordOutcome]
    blobs: Blobs
    clock: Clock
    drafts: ObservationDrafts
    audience: Resolve
    is_owners: Callable[[ConversationTurn], bool]
    own_calls: OwnCalls
    controls: Callable[[], CaptureControls]
    arrived: Callable[[], None]
    scope: Scope


class Recorder:
    """Stores observations.

    Args:
        parts: The records, and their owner.
    """

    def __init__(self, parts: ObservationParts) -> None:
        self._parts = parts
        self._scope = parts.scope

    def record_one(self, request: GivenObservation) -> Recorded:
        """Store an observation, together with those that other threads store at the same time.

        Raises:
            RecollectError: it cannot be stored, or is not captured.
        """
        work = partial(self.record, is_whole=False)
        outcome = self._parts.gathering.make(request, work, self._scope)
        if isinstance(outcome, RecollectError):
            raise outcome
        return outcome

    def record(
        self, requests: Sequence[GivenObservation | RecollectError], *, is_whole: bool
    ) -> list[RecordOutcome]:
        """Store what can be stored; ``is_whole`` raises the first error instead.

        What is not captured is an outcome in any case.
        """
        drafts = self._drafts(requests)
        ready = [each for each in drafts if isinstance(each, ObservationDraft)]
        if is_whole:
            _raise_first(drafts)
        results = iter(self._store(ready, is_whole=is_whole) if ready else [])
        outcomes: list[RecordOutcome] = []
        for each in drafts:
            if isinstance(each, ObservationDraft):
                outcomes.append(next(results))
            else:
                outcomes.append(_denied(each) if isinstance(each, Refusal) else each)
        return outcomes

    def prepare(self, requests: Sequence[GivenObservation]) -> list[ObservationDraft]:
        """Return drafts of what is captured and can be stored, for `add`.

        They come out of drafts of messages, and none asked this memory. Their sessions need not
        exist yet: the project of each is the one that is given.
        """
        around = _Surroundings(pauses=self._parts.database.read(self._parts.controls().pauses_in))
        make = partial(self._parts.drafts.make, is_owners=True, is_redacted=True)
        drafts = self._drafts_of(requests, around, make)
        return [each for each in drafts if isinstance(each, ObservationDraft)]

    def add(
        self, tx: Transaction, drafts: Sequence[ObservationDraft], *, is_whole: bool = False
    ) -> AddedObservations:
        """Store drafts in a transaction of the caller's."""
        added = add_observations(tx, [_row_of(draft) for draft in drafts], self._scope)
        if is_whole:
            _raise_first(added.outcomes)
        for draft, outcome in zip(drafts, added.outcomes, strict=True):
            if isinstance(outcome, Recorded) and outcome.is_new:
                store_named(tx, self._parts.blobs, (draft.input, draft.output))
        groups: dict[str, list[Observation]] = {}
        for each in added.fresh:
            groups.setdefault(each.session_id, []).append(each)
        for group in groups.values():
            record_event(tx, _recorded(group, self._parts.clock.now_ms()))
        return added

    def _store(self, drafts: Sequence[ObservationDraft], *, is_whole: bool) -> list[RecordOutcome]:
        added = self._parts.database.write(lambda tx: self.add(tx, drafts, is_whole=is_whole))
        self._parts.arrived()
        return added.outcomes

    def _drafts(
        self, requests: Sequence[GivenObservation | RecollectError]
    ) -> list[ObservationDraft | Refusal | RecollectError]:
        """Return for each its draft, the refusal to capture it, or its error."""
        session_ids = {
            each.session_id
            for each in requests
            if isinstance(each, GivenObservation)
            and each.event != "manual"
            and (each.event or each.tool_name)  # without either it is by hand
        }
        look = partial(self._surroundings, session_ids)
        around = self._parts.database.read(look) if session_ids else _Surroundings()
        return self._drafts_of(requests, around, partial(self._draft, around))

    def _drafts_of(
        self,
        requests: Sequence[GivenObservation | RecollectError],
        around: _Surroundings,
        make: Callable[[GivenObservation], ObservationDraft],
    ) -> list[ObservationDraft | Refusal | RecollectError]:
        drafts = [
            each
            if isinstance(each, RecollectError)
            else or_error(lambda it: self._refusal(it, around) or make(it), each, index)
            for index, each in enumerate(requests)
        ]
        if left_out := Counter(each.reason for each in drafts if isinstance(each, Refusal)):
            self._parts.controls().count(left_out)
        return drafts

    def _surroundings(self, sessions: Iterable[str], tx: Transaction) -> _Surroundings:
        facts = {each: or_error(partial(find_facts, tx, self._scope), each) for each in sessions}
        return _Surroundings(facts=facts, pauses=self._parts.controls().pauses_in(tx))

    def _refusal(self, request: GivenObservation, around: _Surroundings) -> Refusal | None:
        """Return the refusal of an observation; None if it is captured, or was made by hand."""
        if event_of(request) == "manual":
            return None
        facts = around.facts.get(request.session_id)
        if isinstance(facts, RecollectError):
            raise facts
        session_project = None if facts is None else facts.project
        project = session_project if request.project is None else request.project
        at = None if request.at is None else check_time(request.at)
        paths = [request.input, request.files]
        controls = self._parts.controls()
        if project not in around.verdicts:
            around.verdicts[project] = controls.verdict(project, around.pauses)
        verdict = around.verdicts[project]
        return controls.refusal(project, request.tool_name, paths, at, verdict)

    def _draft(self, around: _Surroundings, request: GivenObservation) -> ObservationDraft:
        own_calls = self._parts.own_calls
        if request.tool_name is not None and own_calls.includes(request.tool_name, request.input):
            hint = "ask own_calls.includes(…) first"
            raise Denied("a call of our own makes no observation", hint=hint, reason=RECALLED)
        is_owners = True
        if request.event == "prompt" and request.trust is None:
            turn = self._parts.database.read(partial(self._turn, request))
            is_owners = self._parts.is_owners(turn)
        facts = around.facts.get(request.session_id)
        folder = facts.project if isinstance(facts, SessionFacts) else None
        return self._parts.drafts.make(request, is_owners=is_owners, folder=folder)

    def _turn(self, request: GivenObservation, tx: Transaction) -> ConversationTurn:
        facts = find_facts(tx, self._scope, request.session_id)
        return turn_of(tx, request.session_id, facts, request.message_id)


class _Surroundings(msgspec.Struct, frozen=True):
    """What decides whether something is captured, read at once for all of a call."""

    facts: Mapping[str, SessionFacts | RecollectError] = {}
    pauses: Sequence[Pause] = ()
    verdicts: dict[str | None, CaptureVerdict] = {}
    """The verdicts needed so far, by project."""


def at_index(make: Callable[[A], T], item: A, index: int) -> T:
    """Return the result of ``make``; an error gets the index of its item."""
    try:
        return make(item)
    except InvalidInput as error:
        raise InvalidInput(error.message, hint=error.hint, item=index) from error


def or_error(make: Callable[[A], T], item: A, index: int = 0) -> T | RecollectError:
    """Return the result of ``make``, or the error that it raises."""
    try:
        return at_index(make, item, index)
    except RecollectError as error:
        return error


def _raise_first(outcomes: Iterable[object]) -> None:
    for each in outcomes:
        if isinstance(each, RecollectError):
            raise each


def _denied(refusal: Refusal) -> Denied:
    return Denied(f"not captured: {refusal.why}", hint=_BY_HAND, reason=refusal.reason)


def _row_of(draft: ObservationDraft) -> Observation:
    return msgspec.structs.replace(
        draft.observation,
        input=draft.input.text,
        output=draft.output.text,
        input_blob=draft.input.digest,
        output_blob=draft.output.digest,
    )


def owner_of(of: Observation) -> Scope:
    """Return the owner of an observation."""
    return Scope(
        tenant=of.tenant, agent=of.agent, user=of.user, project=of.project, session=of.session_id
    )


def _recorded(group: Sequence[Observation], at: int) -> ObservationsRecorded:
    return ObservationsRecorded(
        scope=owner_of(group[0]), at=at, numbers=tuple(each.number for each in group)
    )
