"""`Observations`: the operations on observations; `memory.observations` is one of these.

Each use case is one durable transaction under the scope of the object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, LiteralString, TypeAlias

import msgspec

from recollect.audience.visibility import Asker
from recollect.core.checks import check_count, check_share, check_texts, checked
from recollect.core.clock import check_span, check_time
from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.core.events import ObservationForgotten, ObservationRestored, ObservationUpdated
from recollect.core.numbers import parse_record
from recollect.core.scope import Scope
from recollect.observations.draft import (
    GivenObservation,
    parse_observation,
)
from recollect.observations.observation import (
    Made,
    Observation,
    ObservationBatch,
    Trust,
)
from recollect.observations.payload import cost_of, detailed
from recollect.observations.recalled import OwnCalls
from recollect.observations.recorder import (
    ObservationParts,
    Recorder,
    at_index,
    or_error,
    owner_of,
)
from recollect.observations.rows import (
    KIND,
    Recorded,
    as_heard,
    find_number,
    rewrite,
    select_numbers,
    select_observations,
    set_forgotten,
)
from recollect.store.columns import Condition
from recollect.store.engine import Transaction
from recollect.store.journal import record_event

DETAIL_TOKENS = 1_000
"""The most tokens that the details of one observation cost by default."""
_PAGE = 200

Many: TypeAlias = "list[Observation]"
Outcomes: TypeAlias = "list[Recorded | RecollectError]"
Numbers: TypeAlias = "list[int]"


@checked
class Observations:
    """Records what an agent did and saw, and reads it back.

    Args:
        parts: The records, and their owner.
    """

    def __init__(self, parts: ObservationParts) -> None:
        self._parts = parts
        self._recorder = Recorder(parts)
        self.scope: Scope = parts.scope
        self.own_calls: OwnCalls = parts.own_calls

    def within(self, scope: Scope) -> Observations:
        """Return the same observations as another scope sees them."""
        return Observations(msgspec.structs.replace(self._parts, scope=scope))

    def record(  # noqa: PLR0917  # as DESIGN has it
        self,
        session_id: str,
        tool_name: str | None = None,
        type: str | None = None,
        input: object = None,
        output: object = None,
        summary: str | None = None,
        importance: float | None = None,
        event_id: str | None = None,
        *,
        title: str | None = None,
        files: Sequence[str] | None = None,
        error: str | None = None,
        trust: Trust | None = None,
        tool_use_id: str | None = None,
        message_id: str | None = None,
        agent_id: str | None = None,
        event: Made | None = None,
        at: int | datetime | None = None,
        project: str | None = None,
    ) -> Observation:
        """Store an observation, and return it once it is durable.

        What is not given is made by rules. The same event id, or the same tool use and event, in a
        session again stores nothing and returns the first, so that a caller may always try again.

        Args:
            session_id: Where it happened.
            tool_name: Which tool was used.
            type: One of `observation.TYPES`, or your own.
            input: What the tool was given: a text, or JSON.
            output: What came back: a text, or JSON.
            summary: A few words of yours.
            importance: 0 to 1.
            event_id: An id of the caller's.
            title: One line of yours.
            files: Paths that it touched; those that the tool was given if not given.
            error: What failed, as text.
            trust: Whose words input and output are.
            tool_use_id: The id that the model gave the call.
            message_id: The message that it belongs to.
            agent_id: The sub-agent that did it.
            event: What made it; a tool, or you by hand, if not given.
            at: When it happened, ms UTC or datetime; now if not given.
            project: The folder that it was about; that of the session if not given.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: something of it cannot be stored.
            Conflict: the session was deleted.
            Denied: the project is not that of the scope; or the tool asked this memory, see
                `own_calls`; or `Memory.capture` leaves it out, which holds for all but ``manual``.
        """
        facts = {name: value for name, value in locals().items() if name != "self"}
        return self._recorder.record_one(GivenObservation(**facts)).observation

    def record_many(self, items: Iterable[Mapping[str, Any]]) -> Many:
        """Store observations in one transaction: all of them or none; return them in order.

        What `Memory.capture` leaves out is counted, and not among them.

        Args:
            items: Dicts with the argument names of `record`.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: something of it cannot be stored; the fact ``item`` is its index, from 0.
            Conflict: a session was deleted.
            Denied: a project is not that of the scope.
        """
        requests = [at_index(parse_observation, item, n) for n, item in enumerate(items)]
        outcomes = self._recorder.record(requests, is_whole=True)
        return [each.observation for each in outcomes if isinstance(each, Recorded)]

    def record_each(self, items: Iterable[Mapping[str, Any] | GivenObservation]) -> Outcomes:
        """Store observations of any sessions in one transaction; return what became of each.

        For programs that capture for many at once: they share one commit, and one that cannot be
        stored does not disturb the others. An outcome is the observation, once it is durable, or
        the error that `record` would raise.

        Args:
            items: Dicts with the argument names of `record`, or the same as values.

        Raises:
            StoreError: the transaction failed; see `recollect.store.engine.Database.write`.
        """
        requests = [
            item if isinstance(item, GivenObservation) else or_error(parse_observation, item)
            for item in items
        ]
        return self._recorder.record(requests, is_whole=False)

    def get(
        self,
        ids: str | Sequence[str],
        max_tokens: int | None = DETAIL_TOKENS,
        *,
        for_session: str | None = None,
        for_sender: str | None = None,
        forgotten: bool = False,
    ) -> ObservationBatch:
        """Return observations by id, in the order of the ids.

        Args:
            ids: UUIDs, or numbers as ``#12``.
            max_tokens: What each may cost at most: input and output are shortened to it. None
                gives them whole, also from the blobs.
            for_session: On behalf of this session: what it may not hear is missing.
            for_sender: Whom that session answers, as for `Memory.search`.
            forgotten: Also those that are forgotten.

        Raises:
            InvalidInput: an id is neither a UUID nor a number.
            NotFound: the scope has no session ``for_session``.
            StoreError: a row or blob cannot be read.
        """
        check_count(max_tokens, "a number of tokens", 1)
        names = check_texts(ids, "ids")
        asker = Asker(for_session, for_sender)

        def find_observations(tx: Transaction) -> dict[str, Observation]:
            audience = self._parts.audience(tx, asker)
            by_name = {
                each: find_observation(tx, self.scope, each, forgotten=forgotten) for each in names
            }
            existing = [o for o in by_name.values() if o is not None]
            visible = {each.id: each for each in as_heard(tx, audience, existing)}
            return {each: visible[o.id] for each, o in by_name.items() if o and o.id in visible}

        observations = self._parts.database.read(find_observations)
        details = tuple(
            detailed(observations[each], max_tokens, self._parts.blobs)
            for each in names
            if each in observations
        )
        return ObservationBatch(
            found=details,
            missing=tuple(each for each in names if each not in observations),
            tokens=sum(map(cost_of, details)),
        )

    def list(
        self,
        *,
        session_id: str | None = None,
        types: Sequence[str] | None = None,
        project: str | None = None,
        tool_name: str | None = None,
        since: int | datetime | None = None,
        until: int | datetime | None = None,
        min_importance: float | None = None,
        forgotten: bool = False,
        limit: int = 20,
        for_session: str | None = None,
        for_sender: str | None = None,
    ) -> Many:
        """Return observations, the newest first.

        Args:
            session_id: Only those of this session.
            types: Only these types: ``decision``, ``prompt`` … or one of your own.
            project: Only those of this project.
            tool_name: Only those of this tool.
            since: Only those from this time on, ms UTC or datetime.
            until: Only those before this time.
            min_importance: Only those that are at least so important.
            forgotten: Those that were forgotten, instead of the others.
            limit: How many at most.
            for_session: On behalf of this session: only what it may hear.
            for_sender: Whom that session answers, as for `Memory.search`.

        Raises:
            InvalidInput: a time or number is out of range, or an end before the beginning.
            NotFound: the scope has no session ``for_session``.
        """
        check_count(limit, "a limit", 1)
        where = Condition(self.scope, "session_id").also("is_forgotten = ?", int(forgotten))
        where.equal("session_id", session_id).of_project(project)
        where.equal("tool_name", tool_name)
        first, after = check_span(
            None if since is None else check_time(since),
            None if until is None else check_time(until),
        )
        if first is not None:
            where.also("created_at >= ?", first)
        if after is not None:
            where.also("created_at < ?", after)
        self._of_kind(where, types, min_importance)
        newest = partial(self._newest, where, limit, Asker(for_session, for_sender))
        return self._parts.database.read(newest)

    def numbers(
        self, types: Sequence[str] | None = None, min_importance: float | None = None
    ) -> Numbers:
        """Return the numbers of the observations that a search is narrowed to, whoever hears them.

        Args:
            types: Only these types.
            min_importance: Only those that are at least so important.

        Raises:
            InvalidInput: a number is out of range.
        """
        where = self._of_kind(Condition(self.scope, "session_id"), types, min_importance)
        return self._parts.database.read(lambda tx: select_numbers(tx, where))

    def forget(self, id: str, *, for_session: str | None = None) -> Observation:
        """Take an observation out of search, lists and everything else until it is restored.

        Args:
            id: Its UUID, or its number as ``#12``.
            for_session: On behalf of this session: what it may not hear does not exist.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
        """
        return self._mark(id, for_session, is_forgotten=True)

    def restore(self, id: str, *, for_session: str | None = None) -> Observation:
        """Bring a forgotten observation back.

        Args:
            id: Its UUID, or its number as ``#12``.
            for_session: On behalf of this session: what it may not hear does not exist.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
        """
        return self._mark(id, for_session, is_forgotten=False)

    def update(
        self,
        id: str,
        *,
        title: str | None = None,
        summary: str | None = None,
        type: str | None = None,
        importance: float | None = None,
        for_session: str | None = None,
    ) -> Observation:
        """Change the words, the type or the importance of an observation; return it.

        What is not given stays as it is. Input, output and files are evidence and cannot be
        changed. No model rewrites the words afterwards.

        Args:
            id: Its UUID, or its number as ``#12``.
            title: One line; what is longer than 120 characters is cut.
            summary: A few words; may be empty.
            type: One of the known types, or one of your own.
            importance: 0 to 1.
            for_session: On behalf of this session: what it may not hear does not exist.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
            InvalidInput: a field cannot be stored.
        """
        at, asker, parts = self._parts.clock.now_ms(), Asker(for_session), self._parts
        before, _ = parts.database.read(lambda tx: self._existing(tx, id, asker))
        changes = parts.drafts.changes(
            before, title=title, summary=summary, type=type, importance=importance
        )

        def update_observation(tx: Transaction) -> Observation:
            observation, visible = self._existing(tx, id, asker)
            rewrite(tx, observation, msgspec.structs.replace(observation, **changes), at)
            event = ObservationUpdated(
                scope=owner_of(observation), at=at, number=observation.number
            )
            record_event(tx, event)
            return msgspec.structs.replace(visible, **changes)

        observation = parts.database.write(update_observation)
        parts.arrived()
        return observation

    @staticmethod
    def _of_kind(
        where: Condition, types: Sequence[str] | None, min_importance: float | None
    ) -> Condition:
        if min_importance is not None:
            where.also("importance >= ?", check_share(min_importance, "min_importance"))
        return where if types is None else where.among("type", check_texts(types, "types"))

    def heard(self, of: Observation, for_session: str | None) -> Observation | None:
        """Return an observation as a session hears it; None if it hears nothing of it.

        Args:
            of: As it is stored.
            for_session: The session; None is the operator, who hears all.

        Raises:
            NotFound: the scope has no such session.
        """
        asker = Asker(for_session)
        visible = self._parts.database.read(
            lambda tx: as_heard(tx, self._parts.audience(tx, asker), [of])
        )
        return next(iter(visible), None)

    def _newest(self, where: Condition, limit: int, asker: Asker, tx: Transaction) -> Many:
        order: LiteralString = "created_at DESC, number DESC"
        audience = self._parts.audience(tx, asker)
        if audience.group is None:
            return select_observations(tx, where, order, limit)
        visible: Many = []
        after = 0
        while len(visible) < limit:
            page = select_observations(tx, where, order, _PAGE, offset=after)
            visible += as_heard(tx, audience, page)
            after += _PAGE
            if len(page) < _PAGE:
                break
        return visible[:limit]

    def _mark(self, id: str, for_session: str | None, *, is_forgotten: bool) -> Observation:
        at, asker = self._parts.clock.now_ms(), Asker(for_session)

        def set_mark(tx: Transaction) -> Observation:
            _, observation = self._existing(tx, id, asker)
            if observation.is_forgotten == is_forgotten:
                return observation
            set_forgotten(tx, observation, is_forgotten=is_forgotten, at=at)
            kind = ObservationForgotten if is_forgotten else ObservationRestored
            record_event(tx, kind(scope=owner_of(observation), at=at, number=observation.number))
            return msgspec.structs.replace(observation, is_forgotten=is_forgotten)

        observation = self._parts.database.write(set_mark)
        self._parts.arrived()
        return observation

    def _existing(self, tx: Transaction, id: str, asker: Asker) -> tuple[Observation, Observation]:
        """Return an observation, also a forgotten one: as it is stored, and as the asker hears it.

        Raises:
            NotFound: the asker hears nothing of it, or the scope has none.
        """
        audience = self._parts.audience(tx, asker)
        observation = find_observation(tx, self.scope, id, forgotten=True)
        if observation is not None:
            for visible in as_heard(tx, audience, [observation]):
                return observation, visible
        hint = "take an id from `recollect search`"
        raise NotFound("the observation does not exist", hint=hint)


def find_observation(
    tx: Transaction, scope: Scope, name: str, *, forgotten: bool = False
) -> Observation | None:
    """Return the observation that an id or a number means to the scope.

    Args:
        tx: A transaction.
        scope: Its owner.
        name: A UUID, or a number as ``#12``.
        forgotten: Also one that is forgotten.

    Raises:
        InvalidInput: it is neither.
    """
    record = parse_record(name)
    if record is None or (record.id is None and record.kind != KIND):
        hint = "write #12, or '#12' in a shell"
        raise InvalidInput("an id must be a UUID or a number such as #12", hint=hint)
    id_ = record.id or find_number(tx, scope.tenant, record.number)
    if id_ is None:
        return None
    where = Condition(scope, "session_id")
    if not forgotten:
        where.also("is_forgotten = ?", 0)
    return next(iter(select_observations(tx, where, "id", -1, ids=[id_])), None)
