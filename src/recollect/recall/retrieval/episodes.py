"""Episodes: what stays of sessions; `memory.episodes` makes, lists and finds them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import TypeAlias

import msgspec

from recollect.audience.owner import Owner
from recollect.audience.visibility import Asker, Resolve
from recollect.core.checks import check_count, check_most, checked
from recollect.core.errors import Denied, NotFound, StoreReadOnly
from recollect.core.scope import Scope
from recollect.index.model.document import EPISODES
from recollect.index.query.hit import SearchResult
from recollect.recall.audience import Asked
from recollect.sessions.context.episode import (
    Episode,
    found_episodes,
    of_episodes,
    require_episode,
    select_episodes,
)
from recollect.store.columns import Condition
from recollect.store.engine import Database, Transaction

MOST_EPISODES = 1_000
_PAGE = 20

ManyEpisodes: TypeAlias = "list[Episode]"

Search = Callable[..., SearchResult]
"""`Memory.search`."""


class EpisodeParts(msgspec.Struct, frozen=True, kw_only=True):
    """What episodes are made, read and searched with.

    Attributes:
        database: ``records.db``.
        sessions: Returns the sessions; called on first use.
        project_of: Returns a path of the project that a path, a name or an id means.
        audience: Resolves what an asker hears.
        owner: The owner of the agent, and the accounts that are one person.
        scope: That of the memory.
        search: Finds them in the index.
    """

    database: Database
    sessions: Asked
    project_of: Callable[[str], str]
    audience: Resolve
    owner: Owner
    scope: Scope
    search: Search


class FoundEpisode(msgspec.Struct, frozen=True, kw_only=True):
    """An episode that a question found.

    Attributes:
        episode: The episode.
        score: Share of the best possible score, 0 to 1.
    """

    episode: Episode
    score: float


@checked
class Episodes:
    """Makes, lists and finds episodes.

    Args:
        parts: The records, with their scope and audience.
    """

    def __init__(self, parts: EpisodeParts) -> None:
        self._parts = parts
        self.scope: Scope = parts.scope

    def create(self, session_id: str) -> ManyEpisodes:
        """Return the episodes of all of a session, made now: one for each audience in it.

        They replace those that were made before. The session goes on as if nothing had happened.

        Raises:
            NotFound: the scope has no such session.
            Conflict: it was deleted.
        """
        session = self._parts.sessions().summarise(session_id)
        where = of_episodes(self.scope).equal("session_id", session.id)
        return self._read(where.equal("extent", "session"), Asker(), MOST_EPISODES)

    def list(
        self,
        user_id: str | None = None,
        *,
        session_id: str | None = None,
        project: str | None = None,
        limit: int = _PAGE,
        for_session: str | None = None,
        for_sender: str | None = None,
    ) -> ManyEpisodes:
        """Return episodes, those that ended last first.

        Sessions that rest or ended get theirs first, as far as there are not many at once.

        Args:
            user_id: Only of sessions with this person: ``telegram:42``, or a name.
            session_id: Only of this session, which may be gone.
            project: Only of this project: a path of it, its name or its id.
            limit: How many at most.
            for_session: On behalf of this session: only what it may hear.
            for_sender: Whom that session answers, as for `Memory.search`.

        Raises:
            NotFound: the scope has no session ``for_session``.
            Denied: the person is another than the scope allows.
            InvalidInput: the limit is out of range.
        """
        check_count(limit, "a limit", 1)
        check_most(limit, MOST_EPISODES, "a limit")
        self._write_due()
        scope = scope_of_user(self.scope, self._parts.owner, user_id)
        where = of_episodes(scope).equal("session_id", session_id)
        where.of_project(None if project is None else self._parts.project_of(project))
        return self._read(where, Asker(for_session, for_sender), limit)

    def get(
        self, id: str, *, for_session: str | None = None, for_sender: str | None = None
    ) -> Episode:
        """Return an episode.

        Args:
            id: Its number, ``e3``, or its UUID.
            for_session: On behalf of this session: one that it may not hear does not exist.
            for_sender: Whom that session answers, as for `Memory.search`.

        Raises:
            NotFound: there is none, or the scope has no session ``for_session``.
        """
        parts, asker = self._parts, Asker(for_session, for_sender)

        def unit(tx: Transaction) -> Episode:
            audience = parts.audience(tx, asker)
            match = require_episode(tx, self.scope, id)
            for episode in found_episodes(tx, self.scope, {match.id: match.ended_at}, audience):
                return episode
            raise NotFound("the episode does not exist", hint="use a number such as e3")

        return parts.database.read(unit)

    def search(
        self,
        user_id: str | None,
        query: str,
        limit: int = 5,
        *,
        for_session: str | None = None,
        for_sender: str | None = None,
        since: int | datetime | str | None = None,
        until: int | datetime | str | None = None,
    ) -> tuple[FoundEpisode, ...]:
        """Return the episodes that fit a question, the best first.

        Args:
            user_id: Only of sessions with this person; None for all that the scope has.
            query: A question or words.
            limit: How many at most.
            for_session: On behalf of this session: only what it may hear.
            for_sender: Whom that session answers, as for `Memory.search`.
            since: Only what ended from then on, as for `Memory.search`.
            until: Only what ended before then.

        Raises:
            NotFound: the scope has no session ``for_session``.
            Denied: the person is another than the scope allows.
            InvalidInput: an argument is out of range.
        """
        self._write_due()
        asker = Asker(for_session, for_sender)
        within = {"since": since, "until": until}
        return find_episodes(self._parts, user_id, query, limit, asker, **within)[0]

    def _read(self, where: Condition, asker: Asker, limit: int) -> ManyEpisodes:
        def unit(tx: Transaction) -> ManyEpisodes:
            return list(islice(select_episodes(tx, where, self._parts.audience(tx, asker)), limit))

        return self._parts.database.read(unit)

    def _write_due(self) -> None:
        """Write the episodes that are due, where no other program has yet."""
        sessions = self._parts.sessions()
        with suppress(StoreReadOnly):
            sessions.note_idle()
            sessions.finish_endings()


def find_episodes(
    parts: EpisodeParts,
    user_id: str | None,
    query: str,
    limit: int,
    asker: Asker,
    **within: int | datetime | str | None,
) -> tuple[tuple[FoundEpisode, ...], SearchResult]:
    """Return the episodes that fit a question, and the result of the search that found them.

    Args:
        parts: The records, with their scope and audience.
        user_id: Only of sessions with this person; None for all.
        query: A question or words.
        limit: How many at most.
        asker: On whose behalf.
        within: ``since`` and ``until``, as for `Memory.search`.
    """
    scope = scope_of_user(parts.scope, parts.owner, user_id)
    result = parts.search(
        query,
        limit,
        sources=[EPISODES],
        scope=scope,
        for_session=asker.session_id,
        for_sender=asker.sender,
        **within,
    )
    at = {hit.ref: hit.at for hit in result.hits}
    scores = {hit.ref: hit.score for hit in result.hits}

    def unit(tx: Transaction) -> ManyEpisodes:
        return found_episodes(tx, parts.scope, at, parts.audience(tx, asker))

    episodes = parts.database.read(unit) if at else []
    matches = (FoundEpisode(episode=each, score=scores[each.id]) for each in episodes)
    return tuple(matches), result


def scope_of_user(scope: Scope, owner: Owner, user_id: str | None) -> Scope:
    """Return the part of a scope that is a person's; all of it for None.

    Raises:
        InvalidInput: it cannot be a person.
        Denied: the scope is another person's.
    """
    if user_id is None:
        return scope
    seen = scope.narrowed(owner.links.scope_of(Scope(tenant=scope.tenant, user=user_id)))
    if seen is None:
        raise Denied("the person is another than the scope allows", hint="leave user_id out")
    return seen
