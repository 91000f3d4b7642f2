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
from recollect.server.route import Fields, Routes
from recollect.sessions.lifecycle import ForeignName
from recollect.workspace.reading import ReadResult

RESULT_BYTES = 8_000_000
"""A result of 1,000 hits, the most that a search gives, has some 2 MB."""

ROUTES = Routes()


class OnBehalf(Fields, frozen=True, kw_only=True):
    """On whose behalf is asked."""

    for_session: str | None = None
    for_sender: str | None = None


class SearchFields(OnBehalf, frozen=True, kw_only=True):
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
    near_project: str | None = None


class LinesFields(OnBehalf, frozen=True, kw_only=True):
    """The arguments of `Memory.lines`."""

    result: SearchResult


class GetFields(OnBehalf, frozen=True, kw_only=True):
    """The arguments of `Memory.get`."""

    ids: str | Annotated[tuple[str, ...], Meta(max_length=MOST_IDS)]
    max_tokens: int | None = 1_000


class ReadFields(OnBehalf, frozen=True, kw_only=True):
    """The arguments of `Memory.read`."""

    path: str
    from_line: int = 1
    lines: int | None = None


class TimelineFields(OnBehalf, frozen=True, kw_only=True):
    """The arguments of `ObservationRecall.timeline`; a time in ms UTC."""

    anchor: str | int | None = None
    query: Question | None = None
    before: LineCount = 5
    after: LineCount = 5
    project: str | None = None
    near_project: str | None = None
    since: int | str | None = None
    until: int | str | None = None


class ContextFields(Fields, frozen=True, kw_only=True):
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


class TitlesFields(Fields, frozen=True, kw_only=True):
    """The sessions of a result, by their ids or keys."""

    session_ids: Annotated[tuple[str, ...], Meta(max_length=MOST_HITS)]


def _arguments(caller: Caller, fields: OnBehalf) -> dict[str, Any]:
    """Return the arguments of a call: every field, and the session for which the token may ask."""
    _refuse_sender(caller, fields.for_sender)
    arguments = {name: getattr(fields, name) for name in fields.__struct_fields__}
    return arguments | {"for_session": caller.for_session(fields.for_session)}


def _refuse_sender(caller: Caller, sender: str | None) -> None:
    """Let only who may ask for any session say whom it answers: others could hear as the owner."""
    if sender is not None and not (caller.token.is_owners or caller.token.asks_for_any):
        raise Denied(
            "only the operator may say whom a session answers", hint="leave for_sender out"
        )


@ROUTES.add("POST", "/api/memory/search", "read", max_body=RESULT_BYTES)
def search(caller: Caller, fields: SearchFields) -> SearchResult:
    """Return the best hits for a question."""
    arguments = _arguments(caller, fields)
    scope = fields.scope
    if scope is not None and scope.session is not None:
        session = caller.for_session(scope.session)
        arguments["scope"] = msgspec.structs.replace(scope, session=session)
    return caller.memory.search(**arguments)


@ROUTES.add("POST", "/api/memory/lines", "read", max_body=RESULT_BYTES)
def lines(caller: Caller, fields: LinesFields) -> IndexLines:
    """Return the hits of a search, one line each."""
    for hit in fields.result.hits:
        check_time(hit.at)
    return caller.memory.lines(**_arguments(caller, fields))


@ROUTES.add("POST", "/api/memory/get", "read", max_body=RESULT_BYTES)
def get(caller: Caller, fields: GetFields) -> DetailBatch:
    """Return records in full."""
    return caller.memory.get(**_arguments(caller, fields))


@ROUTES.add("POST", "/api/memory/read", "read", max_body=RESULT_BYTES)
def read(caller: Caller, fields: ReadFields) -> ReadResult:
    """Return lines of a memory file."""
    return caller.memory.read(**_arguments(caller, fields))


@ROUTES.add("POST", "/api/memory/timeline", "read", max_body=RESULT_BYTES)
def timeline(caller: Caller, fields: TimelineFields) -> Timeline:
    """Return the events around a record, a question or a time."""
    return caller.memory.observations.timeline(**_arguments(caller, fields))


@ROUTES.add("POST", "/api/memory/context", "read", max_body=RESULT_BYTES)
def context(caller: Caller, fields: ContextFields) -> ContextBlock:
    """Return the context block for the prompt of a session."""
    _refuse_sender(caller, fields.for_sender)
    arguments = {name: getattr(fields, name) for name in fields.__struct_fields__}
    foreign, client = arguments.pop("foreign_id"), fields.client
    if foreign is None or client is None:
        session = caller.for_session(fields.session_id)
    else:
        session = caller.for_foreign(ForeignName(source=client, id=foreign, key=fields.session_id))
    return caller.memory.context(**(arguments | {"session_id": session}))


@ROUTES.add("POST", "/api/memory/titles", "read", max_body=RESULT_BYTES)
def titles(caller: Caller, fields: TitlesFields) -> dict[str, str]:
    """Return the titles of sessions, by the names given in the request."""
    ids = [caller.for_session(name) or name for name in fields.session_ids]
    titles_by_id = titles_of(caller.memory.sessions, ids)
    names = zip(fields.session_ids, ids, strict=True)
    return {name: titles_by_id[id_] for name, id_ in names if id_ in titles_by_id}
