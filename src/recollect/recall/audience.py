"""Who asks, and what: audiences, and the options of the index for the question of a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, LiteralString, Protocol, TypeAlias

import msgspec

from recollect.audience.identity_links import USERS
from recollect.audience.people import People
from recollect.audience.session_key import GROUPS
from recollect.audience.visibility import Asker, Audience
from recollect.core.checks import MOST_QUESTION
from recollect.core.clock import MAX_MS, Clock, zone_of
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.scope import Scope, ScopeOfPerson
from recollect.core.settings import Settings
from recollect.index.model.document import source_names
from recollect.index.model.visibility import SeqRange, Spoken
from recollect.index.query.search_service import SearchOptions
from recollect.store.engine import Database, Transaction

if TYPE_CHECKING:  # imported with the first session or time in a question
    from recollect.index.query.replaced import Replacing
    from recollect.index.query.said_within import SaidWithin
    from recollect.observations.controls import CaptureControls
    from recollect.observations.observations import Observations
    from recollect.sessions.sessions import Sessions

Asked: TypeAlias = "Callable[[], Sessions]"
"""Returns the sessions; called only where one of them is needed."""
ALL_PROJECTS = "all"
"""As the project at hand: none is preferred."""
_OF_USER: LiteralString = "SELECT 1 FROM sessions WHERE tenant = ? AND user_id = ? LIMIT 1"


class AudienceResolver(msgspec.Struct, frozen=True, kw_only=True):
    """Resolves what an asker hears of the rows of a scope; see `Resolve`.

    Attributes:
        records: ``records.db``.
        settings: Those in force.
        people: The owner of the agent, and who is linked to whom.
        scope: What the memory sees.
    """

    records: Database
    settings: Settings
    people: People
    scope: Scope

    def __call__(self, tx: Transaction | None, asker: Asker) -> Audience:
        """Return the audience of an asker.

        Args:
            tx: The snapshot of the read; None for what is not in the records: the index, and files.
            asker: Who asks.

        Raises:
            As `Resolve`.
        """
        if tx is None and asker.session_id is not None:
            return self.records.read(lambda tx: self(tx, asker))
        group, owner = None, self.people.configured
        if tx is not None:
            owner = self.people.at(tx, self.scope.tenant)
        if tx is not None and asker.session_id is not None:
            from recollect.sessions.policy.turns import resolved

            group = resolved(tx, asker, self.scope, owner).group
        elif asker.sender is not None:
            raise InvalidInput("a sender needs a session", hint="give for_session with it")
        return Audience(
            owner=owner,
            group=group,
            shares_observations=self.settings.observations.shared,
            guests_read=self.settings.sessions.guests_read,
        )


class Searched(Protocol):
    """Where a search looks up what it needs to know of the records."""

    @property
    def sessions(self) -> Sessions:
        """The sessions."""

    @property
    def observations(self) -> Observations:
        """The observations."""

    @property
    def capture(self) -> CaptureControls:
        """The controls, which know the projects."""


class SearchQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """The question of a search, and the audience of the answer, None for the operator.

    The other fields are arguments of `Memory.search`.
    """

    query: object  # checked where it is searched for
    limit: int | None
    min_score: float | None
    sources: Sequence[str] | None
    mode: str
    channel: str | None
    asker: Asker
    audience: Audience | None
    since: int | datetime | str | None
    until: int | datetime | str | None
    types: Sequence[str] | None
    min_importance: float | None
    min_confidence: float | None
    as_of: int | datetime | str | None
    near_project: str | None

    def options(
        self, seen: Scope, settings: Settings, records: Database, parts: Searched, clock: Clock
    ) -> SearchOptions:
        """Return the options of a search of the index.

        Args:
            seen: What the caller sees.
            settings: Those in force.
            records: ``records.db``.
            parts: Where sessions, observations and projects are.
            clock: The time of the question.

        Raises:
            InvalidInput: a time cannot be understood, the span ends before it begins, or the
                sources are not a list.
            NotFound: the scope lacks the session, or the operator names a channel that no session
                is on.
        """
        searching, limit, least = settings.search, self.limit, self.min_score
        cites, reader = searching.citations, self.asker.session_id or seen.session
        numbers = None
        is_whole = seen.session is self.channel is None
        ranges = None if is_whole else ranges_of(parts, seen.session, self.channel)
        if self.channel is not None and not ranges and self.audience is None:
            require_channel(parts.sessions, self.channel)  # guests do not learn which there are
        if (self.types, self.min_importance) != (None, None):
            numbers = tuple(parts.observations.numbers(self.types, self.min_importance))
        return SearchOptions(
            limit=searching.limit if limit is None else limit,
            min_score=searching.min_score if least is None else least,
            sources=None if self.sources is None else source_names(self.sources),
            mode=self.mode,
            citations=shows_citations(cites, parts, reader) if reader else cites != "off",
            audience=self.audience,
            spoken=None
            if self.audience is None
            else partial(_spoken, records, seen.tenant, self.audience),
            ranges=ranges,
            projects=() if seen.project is None else parts.capture.projects.paths(seen.project),
            near=self._near(seen, parts),
            said=self._said(settings, clock),
            observations=numbers,
            replacing=self._replacing(seen, settings, records, clock),
        )

    def _near(self, seen: Scope, parts: Searched) -> tuple[str, ...]:
        """Return the paths of the project at hand: the one that is named, or the session's."""
        name = self.near_project
        if seen.project is not None or name == ALL_PROJECTS:
            return ()
        if name is None and self.asker.session_id is not None:
            with suppress(NotFound):  # outside of a narrower scope
                name = parts.sessions.get(self.asker.session_id).project
        return () if name is None else parts.capture.projects.paths(name)

    def _replacing(
        self, seen: Scope, settings: Settings, records: Database, clock: Clock
    ) -> Replacing | None:
        """Return how what was replaced changes the ranking; None for a question of an event."""
        from recollect.text.question_kinds import question_kind

        then = None
        if self.as_of is not None:
            from recollect.text.times.moments import read_span

            zone = zone_of(settings.sessions.time_zone)
            _, until = read_span(None, self.as_of, clock.now_ms(), zone)
            then = None if until is None else until - 1
        query, asks = self.query, "event"
        if isinstance(query, str) and len(query) <= MOST_QUESTION:
            asks = question_kind(query, clock)
        if asks == "event" and then is None:
            return None
        from recollect.index.query.replaced import Replacing
        from recollect.recall.statements.replaced import find_replaced, find_sentences

        return Replacing(
            find=partial(find_replaced, records, seen.tenant),
            find_sentences=partial(find_sentences, records),
            asks="state" if asks == "state" and then is None else "past",
            then_ms=then,
        )

    def _said(self, settings: Settings, clock: Clock) -> SaidWithin | None:
        """Return the span of time that the search is limited to; None for any time."""
        if self.since is self.until is None:
            return None
        from recollect.index.query.said_within import SaidWithin
        from recollect.text.times.moments import read_span

        zone = zone_of(settings.sessions.time_zone)
        since, until = read_span(self.since, self.until, clock.now_ms(), zone)
        return SaidWithin.of(since or 0, MAX_MS + 1 if until is None else until, zone)


def unknown_user(records: Database, scope: Scope) -> tuple[str, ...]:
    """Return a warning where no session belongs to the user of a scope."""
    user = scope.user
    if user is None or ":" in user or isinstance(scope, ScopeOfPerson):
        return ()
    if records.read(lambda tx: tx.row(_OF_USER, (scope.tenant, user))) is not None:
        return ()
    return (f"no session is of the user {user}: {USERS}",)


QUESTION = frozenset(SearchQuestion.__struct_fields__)


def _spoken(records: Database, tenant: str, audience: Audience) -> Spoken:
    """Return what an audience hears now, by session and by folder of notes."""
    from recollect.sessions.context.flushed_notes import folder_owners
    from recollect.sessions.policy.turns import heard_seqs

    def unit(tx: Transaction) -> Spoken:
        folders = folder_owners(tx, tenant).items()
        notes = {path: None for path, who in folders if audience.hears(who)}
        return {**heard_seqs(tx, tenant, audience), **notes}

    return records.read(unit)


def ranges_of(
    parts: Searched, session_id: str | None, channel: str | None = None
) -> tuple[SeqRange, ...]:
    """Return the ranges of messages of a session, those that a fork shares included.

    Nothing where the scope lacks it.

    Args:
        parts: Have the sessions.
        session_id: Which one; all sessions of the channel if not given.
        channel: The channel it must be on; any if not given.
    """
    if session_id is None:
        return tuple(SeqRange(session=each.id) for each in parts.sessions.list(channel=channel))
    try:
        if channel not in {None, parts.sessions.get(session_id).channel}:
            return ()
        lineage = parts.sessions.parts(session_id)
    except NotFound:
        return ()
    shared = [part for part in lineage if part.session_id != session_id]
    return (
        *(SeqRange(session=part.session_id, last=part.last) for part in shared),
        # Without an end: a message that arrives during the search is found too.
        SeqRange(session=session_id),
    )


def require_channel(sessions: Sessions, channel: str) -> None:
    """Refuse a channel that no session is on: it is mistyped, or has no messages yet.

    Raises:
        NotFound: the scope has no session on it.
    """
    names = sessions.channels()
    if channel not in names:
        hint = f"use one of {', '.join(names)}" if names else "leave it out: none has a session"
        raise NotFound("no session is on this channel", hint=hint)


def shows_citations(setting: str, parts: Searched, session_id: str) -> bool:
    """Return whether hits are cited to a session.

    Args:
        setting: ``on``, ``off``, or ``auto``: unless the answer is read in a group chat.
        parts: Have the sessions.
        session_id: The session that reads the answer.

    Raises:
        StoreError: the session cannot be read.
    """
    if setting != "auto":
        return setting == "on"
    try:
        return parts.sessions.get(session_id).chat_type not in GROUPS
    except NotFound:  # then there is nothing to cite either
        return True
