"""Episodes: what stays of sessions, listed, found by a question, and made."""

from __future__ import annotations

from recollect.answers.episode import EpisodeList
from recollect.caller import Caller
from recollect.core.checks import Question, RowCount
from recollect.core.errors import InvalidInput
from recollect.server.route import Fields, Routes
from recollect.server.routes.sessions import PAGE
from recollect.sessions.context.episode import Episode

ROUTES = Routes()


class EpisodeFilter(Fields, frozen=True, kw_only=True):
    """Which episodes; all that the token hears if nothing is given.

    Attributes:
        session_key: Of a session, by its key or id.
        project: Of a project: a path of it, its name or its id.
        user_id: Of sessions with this person.
        query: A question: the episodes that fit it, the best first.
        limit: How many at most.
        for_session: Only what this session may hear, by its key or id.
    """

    session_key: str | None = None
    project: str | None = None
    user_id: str | None = None
    query: Question | None = None
    limit: RowCount = PAGE
    for_session: str | None = None


class OneEpisode(Fields, frozen=True, kw_only=True):
    """An episode, by its number or id.

    Attributes:
        id: ``e3``, or a UUID.
        for_session: Only if this session may hear it, by its key or id.
    """

    id: str
    for_session: str | None = None


class NewEpisodes(Fields, frozen=True, kw_only=True):
    """The session to summarise, by its key or id."""

    session_key: str


@ROUTES.add("GET", "/api/episodes", "read")
def list_episodes(caller: Caller, fields: EpisodeFilter) -> EpisodeList:
    """List the summaries of sessions, the newest first, or those that fit a question."""
    if fields.session_key is not None and fields.project is not None:
        raise InvalidInput("session_key and project exclude each other", hint="give one of them")
    episodes, audience = caller.memory.episodes, caller.for_session(fields.for_session)
    if fields.query is not None:
        if fields.session_key is not None or fields.project is not None:
            raise InvalidInput(
                "query must not be combined with session_key or project",
                hint="leave the others out",
            )
        hits = episodes.search(fields.user_id, fields.query, fields.limit, for_session=audience)
        return EpisodeList(episodes=[each.episode for each in hits])
    session = None if fields.session_key is None else caller.session(fields.session_key).id
    rows = episodes.list(
        fields.user_id,
        session_id=session,
        project=fields.project,
        limit=fields.limit,
        for_session=audience,
    )
    return EpisodeList(episodes=rows)


@ROUTES.add("GET", "/api/episodes/{id}", "read")
def show_episode(caller: Caller, fields: OneEpisode) -> Episode:
    """Return an episode."""
    audience = caller.for_session(fields.for_session)
    return caller.memory.episodes.get(fields.id, for_session=audience)


@ROUTES.add("POST", "/api/episodes", "write")
def create_episodes(caller: Caller, fields: NewEpisodes) -> EpisodeList:
    """Summarise a session as it is now; return what the token hears of that."""
    session = caller.writable(caller.session(fields.session_key))
    episodes = caller.memory.episodes
    episodes.create(session.id)
    rows = episodes.list(session_id=session.id, for_session=caller.for_session())
    return EpisodeList(episodes=[each for each in rows if each.extent == "session"])
