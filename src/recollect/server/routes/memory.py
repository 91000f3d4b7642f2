"""``/api/memory``: what recalls, with the names and values of Python.

The command line asks these routes, so that it answers the same with and without a worker.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from recollect.caller import Caller
from recollect.core.checks import MOST_HITS, MOST_IDS, HitCount, LineCount, Question
from recollect.core.clock import check_time
from recollect.core.errors import Denied
from recollect.core.scope import Scope
from recollect.index.query.hit import SearchResult
from recollect.recall.context.block import ContextBlock
from recollect.recall.steps.detail import DetailBatch
from recollect.recall.steps.lines import IndexLines, Timeline
from recollect.recall.steps.session_titles import titles_of
from recollect.server.route import Given, Routes
from recollect.sessions.lifecycle import ForeignName
from recollect.workspace.reading import ReadResult

RESULT_BYTES = 8_000_000
"""A result of 1,000 hits, the most that a search gives, has some 2 MB."""

ROUTES = Routes()


class OnBehalf(Given, frozen=True, kw_only=True):
    """On whose behalf is asked."""

    for_session: str | None = None
    for_sender: str | None = None


class SearchGiven(OnBehalf, frozen=True, kw_only=True):
    """The arguments of `Memory.search`."""

    query: Question
    limit: HitCount | None = None
    min_score: float | None = None
    sources: tuple[str, ...] | None = None
    scope: Scope | None = None
    mode: str = "hybrid"
    channel: str | None = None
    since: int | str | None = None
    until: int | str | None = None
    types: tuple[str, ...] | None = None
    min_importance: float | None = None
    min_confidence: float | None = None
    as_of: int | str | None = None


class LinesGiven(OnBehalf, frozen=True, kw_only=True):
    """The arguments of `Memory.lines`."""

    result: SearchResult


class GetGiven(OnBehalf, frozen=True, kw_only=True):
    """The arguments of `Memory.get`."""

    ids: str | Annotated[tuple[str, ...], Meta(max_length=MOST_IDS)]
    max_tokens: int | None = 1_000


class ReadGiven(OnBehalf, frozen=True, kw_only=True):
    """The arguments of `Memory.read`."""

    path: str
    from_line: int = 1
    lines: int | None = None


class TimelineGiven(OnBehalf, frozen=True, kw_only=True):
    """The arguments of `ObservationRecall.timeline`; a time in ms UTC."""

    anchor: str | int | None = None
    query: Question | None = None
    before: LineCount = 5
    after: LineCount = 5
    project: str | None = None
    since: int | str | None = None
    until: int | str | None = None


class ContextGiven(Given, frozen=True, kw_only=True):
    """The arguments of `Contexts.block`.

    Attributes:
        foreign_id: What the client calls the session; ``session_id`` is then its key, and the
            session is begun where it is not known yet.
    """

    session_id: str
    foreign_id: str | None = None
    query: Question | None = None
    budget_tokens: int | None = None
    reason: str = "startup"
    client: str | None = None
    for_sender: str | None = None
    sources: tuple[str, ...] = ()
    since: int | None = None
    record: bool = True


class TitlesGiven(Given, frozen=True, kw_only=True):
    """The sessions of a result, by their ids or keys."""

    session_ids: Annotated[tuple[str, ...], Meta(max_length=MOST_HITS)]


def _asked(caller: Caller, given: OnBehalf) -> dict[str, Any]:
    """Return the arguments of a call: every field, and on whose behalf the token lets it ask."""
    _refuse_sender(caller, given.for_sender)
    named = {name: getattr(given, name) for name in given.__struct_fields__}
    return named | {"for_session": caller.for_session(given.for_session)}


def _refuse_sender(caller: Caller, sender: str | None) -> None:
    """Let only who may ask for any session say whom it answers: others could hear as the owner."""
    if sender is not None and not (caller.token.is_owners or caller.token.asks_for_any):
        raise Denied(
            "only the operator may say whom a session answers", hint="leave for_sender out"
        )


@ROUTES.add("POST", "/api/memory/search", "read", max_body=RESULT_BYTES)
def search(caller: Caller, given: SearchGiven) -> SearchResult:
    """Return the best hits for a question."""
    named = _asked(caller, given)
    scope = given.scope
    if scope is not None and scope.session is not None:
        heard = caller.for_session(scope.session)
        named["scope"] = msgspec.structs.replace(scope, session=heard)
    return caller.memory.search(**named)


@ROUTES.add("POST", "/api/memory/lines", "read", max_body=RESULT_BYTES)
def lines(caller: Caller, given: LinesGiven) -> IndexLines:
    """Return what was found, one line each."""
    for hit in given.result.hits:
        check_time(hit.at)
    return caller.memory.lines(**_asked(caller, given))


@ROUTES.add("POST", "/api/memory/get", "read", max_body=RESULT_BYTES)
def get(caller: Caller, given: GetGiven) -> DetailBatch:
    """Return records in full."""
    return caller.memory.get(**_asked(caller, given))


@ROUTES.add("POST", "/api/memory/read", "read", max_body=RESULT_BYTES)
def read(caller: Caller, given: ReadGiven) -> ReadResult:
    """Return lines of a memory file."""
    return caller.memory.read(**_asked(caller, given))


@ROUTES.add("POST", "/api/memory/timeline", "read", max_body=RESULT_BYTES)
def timeline(caller: Caller, given: TimelineGiven) -> Timeline:
    """Return what was said and done around something."""
    return caller.memory.observations.timeline(**_asked(caller, given))


@ROUTES.add("POST", "/api/memory/context", "read", max_body=RESULT_BYTES)
def context(caller: Caller, given: ContextGiven) -> ContextBlock:
    """Return what goes into the prompt of a session."""
    _refuse_sender(caller, given.for_sender)
    named = {name: getattr(given, name) for name in given.__struct_fields__}
    foreign, client = named.pop("foreign_id"), given.client
    if foreign is None or client is None:
        session = caller.for_session(given.session_id)
    else:
        session = caller.for_foreign(ForeignName(source=client, id=foreign, key=given.session_id))
    return caller.memory.context(**(named | {"session_id": session}))


@ROUTES.add("POST", "/api/memory/titles", "read", max_body=RESULT_BYTES)
def titles(caller: Caller, given: TitlesGiven) -> dict[str, str]:
    """Return what sessions are called, each under the name that was asked for."""
    meant = [caller.for_session(name) or name for name in given.session_ids]
    told = titles_of(caller.memory.sessions, meant)
    names = zip(given.session_ids, meant, strict=True)
    return {name: told[id_] for name, id_ in names if id_ in told}
