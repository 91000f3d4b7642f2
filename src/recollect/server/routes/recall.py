"""Recall: search, timeline, context and what was put into prompts; see docs/http.md."""

from __future__ import annotations

from recollect.answers.context import (
    BlockAnswer,
    BlockList,
    ExclusionEntry,
    ExclusionList,
    NextBlock,
    PromptContext,
    block_answer,
    block_entry,
    context_answer,
    exclusion_entry,
    next_block,
)
from recollect.answers.hit import SearchResults, TimelineLines, search_answer, timeline_answer
from recollect.caller import Caller
from recollect.core.checks import HitCount, LineCount, Question
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.recall.context.injections import Injection
from recollect.server.route import Fields, Nothing, Routes
from recollect.server.routes.sessions import PAGE
from recollect.server.values import Cursor, anchor_of, moment_of, name_of, page_of

RESULTS = 10
"""As the tools of MCP have it."""

ROUTES = Routes()


class Search(Fields, frozen=True, kw_only=True):
    """A search.

    Attributes:
        query: A question or words, 4,000 characters at most.
        limit: Results at most, 1 to 1,000.
        type: Only observations of this type, or of these.
        project: Only of this project: a path of it, its name or its id. ``all``: of any, and that
            of the session that asks is not preferred.
        date_from: Only from then on, ISO 8601 or ms.
        date_to: Only up to then, inclusive: of a day the whole.
        min_importance: Only observations that are at least so important, 0 to 1.
        sources: Kinds of memory; only observations if not given.
        min_score: Only what scores at least so much, 0 to 1.
        min_confidence: Nothing where the confidence of the answer is below it, 0 to 1.
        as_of: What held then comes first, before what replaced it later; ISO 8601 or ms.
        for_session: Only what this session may hear, by its key or id.
    """

    query: Question
    limit: HitCount = RESULTS
    type: str | list[str] | None = None
    project: str | None = None
    date_from: int | str | None = None
    date_to: int | str | None = None
    min_importance: float | None = None
    sources: tuple[str, ...] = ("observations",)
    min_score: float | None = None
    min_confidence: float | None = None
    as_of: int | str | None = None
    for_session: str | None = None


class Around(Fields, frozen=True, kw_only=True):
    """What a timeline is around: an anchor or a question.

    Attributes:
        anchor: The number or id of an observation, ``m88``, or a time, ISO 8601 or ms.
        query: The best hit of this question.
        before: Lines before it, at most; 0 to 200.
        after: Lines after it, at most; 0 to 200.
        project: Only of this project.
        for_session: Only what this session may hear, by its key or id.
        date_from: Only lines from then on, as for a search; alone, the timeline begins there.
        date_to: Only lines before then; alone, the timeline ends there.
    """

    anchor: int | str | None = None
    query: Question | None = None
    before: LineCount = 5
    after: LineCount = 5
    project: str | None = None
    for_session: str | None = None
    date_from: int | str | None = None
    date_to: int | str | None = None


class ForPrompt(Fields, frozen=True, kw_only=True):
    """Whose prompt.

    Attributes:
        session_key: Of this session, by its key or id. One that is not there yet gets what its
            first prompt would be given. A plain name is a person, as where a session begins.
        project: The project, where no session is there.
        max_tokens: What it may cost; ``context.budget_tokens`` if not given.
        query: A question; what answers it comes first.
        owner: Whether a plain name is a session of the owner's.
    """

    session_key: str | None = None
    project: str | None = None
    max_tokens: int | None = None
    query: Question | None = None
    owner: bool = False


@ROUTES.add("POST", "/api/search", "read")
def search(caller: Caller, fields: Search) -> SearchResults:
    """Search observations, or other sources too; one line for each."""
    memory, audience = caller.memory, caller.for_session(fields.for_session)
    project = caller.projects.only(fields.project)
    result = memory.search(
        fields.query,
        fields.limit,
        fields.min_score,
        fields.sources,
        None if project is None else Scope(tenant=memory.scope.tenant, project=project),
        for_session=audience,
        since=None if fields.date_from is None else moment_of(fields.date_from),
        until=None if fields.date_to is None else moment_of(fields.date_to, through=True),
        types=fields.type,
        min_importance=fields.min_importance,
        min_confidence=fields.min_confidence,
        as_of=None if fields.as_of is None else moment_of(fields.as_of, through=True),
        near_project=caller.projects.near(fields.project),
    )
    return search_answer(result, memory.lines(result, for_session=audience))


@ROUTES.add("POST", "/api/timeline", "read")
def timeline(caller: Caller, fields: Around) -> TimelineLines:
    """Get what was said and done around something, by time."""
    events = caller.memory.observations.timeline(
        None if fields.anchor is None else anchor_of(fields.anchor),
        fields.query,
        fields.before,
        fields.after,
        project=caller.projects.only(fields.project),
        near_project=caller.projects.near(fields.project),
        for_session=caller.for_session(fields.for_session),
        since=None if fields.date_from is None else moment_of(fields.date_from),
        until=None if fields.date_to is None else moment_of(fields.date_to, through=True),
    )
    return timeline_answer(events)


@ROUTES.add("GET", "/api/context", "read")
def context(caller: Caller, fields: ForPrompt) -> PromptContext:
    """Get what a prompt is given by itself; of a session that is there it is recorded."""
    contexts, most, key = caller.memory.context, fields.max_tokens, fields.session_key
    try:
        session = None if key is None else caller.session(key, owner=fields.owner)
    except (InvalidInput, NotFound):  # it is not there yet, or not theirs: both alike
        session = None
    if session is not None and session.status != "deleted":
        return context_answer(contexts(session.id, fields.query, most))
    block = contexts.about(
        None if fields.project is None else caller.projects.path(fields.project),
        fields.query,
        most,
        for_session=caller.for_session(),
        key=key if caller.token.is_owners else None,
        owner=fields.owner and caller.token.is_owners,
    )
    return context_answer(block)


class BlockFilter(Fields, frozen=True, kw_only=True):
    """Which blocks: those of prompts of a session, or all that the token may hear."""

    session: str | None = None
    limit: HitCount = PAGE
    cursor: Cursor | None = None


class OneBlock(Fields, frozen=True, kw_only=True):
    """A block, by its id."""

    id: str


class Beginning(Fields, frozen=True, kw_only=True):
    """A session that would begin.

    Attributes:
        project: Where.
        query: What its first prompt asks; what answers it comes first.
        max_tokens: What the block may cost; ``context.budget_tokens`` if not given.
        client: The program, such as ``claude-code``: what it loads itself is left out.
    """

    project: str | None = None
    query: Question | None = None
    max_tokens: int | None = None
    client: str | None = None


class OneLine(Fields, frozen=True, kw_only=True):
    """A record, by the id that a line of a block has: its number, ``m88``, lines of a file."""

    id: int | str


@ROUTES.add("GET", "/api/context/blocks", "read")
def list_blocks(caller: Caller, fields: BlockFilter) -> BlockList:
    """List what was put into prompts, the newest first."""
    session = None if fields.session is None else caller.session(fields.session).id

    def read(until: int | None, most: int) -> list[Injection]:
        return caller.memory.context.injections(
            session, most, until=until, for_session=caller.for_session()
        )

    page, cursor = page_of(read, _position, fields.limit, fields.cursor, None)
    return BlockList(blocks=tuple(map(block_entry, page)), cursor=cursor)


@ROUTES.add("GET", "/api/context/blocks/{id}", "read")
def get_block(caller: Caller, fields: OneBlock) -> BlockAnswer:
    """Get a block with its lines, made again of their records, and why each is in it."""
    block = caller.memory.context.injected(fields.id, for_session=caller.for_session())
    return block_answer(block)


@ROUTES.add("GET", "/api/context/next", "read")
def show_next(caller: Caller, fields: Beginning) -> NextBlock:
    """Show what the first prompt of a new session would be given, and why; nothing is recorded."""
    contexts, for_session = caller.memory.context, caller.for_session()
    block = contexts.about(
        None if fields.project is None else caller.projects.path(fields.project),
        fields.query,
        fields.max_tokens,
        for_session=for_session,
        client=fields.client,
    )
    budget = fields.max_tokens or caller.memory.settings.context.budget_tokens
    lines = contexts.lines(block.items, for_session=for_session)
    return next_block(block, budget, lines)


@ROUTES.add("GET", "/api/context/never", "read")
def list_excluded(caller: Caller, _fields: Nothing) -> ExclusionList:
    """List what is never put into a prompt by itself."""
    caller.require_operator("tenant")
    return ExclusionList(excluded=tuple(map(exclusion_entry, caller.memory.context.exclusions())))


@ROUTES.add("POST", "/api/context/never", "write")
def exclude(caller: Caller, fields: OneLine) -> ExclusionEntry:
    """Never put a record into a prompt by itself again; searches still find it."""
    caller.require_operator("tenant")
    exclusion = caller.memory.context.exclude(name_of(fields.id))
    caller.memory.audit.record("context.never", target=exclusion.id)
    return exclusion_entry(exclusion)


@ROUTES.add("DELETE", "/api/context/never/{id}", "write")
def include(caller: Caller, fields: OneLine) -> ExclusionEntry:
    """Let a record be put into prompts again."""
    caller.require_operator("tenant")
    exclusion = caller.memory.context.include(name_of(fields.id))
    caller.memory.audit.record("context.again", target=exclusion.id)
    return exclusion_entry(exclusion)


def _position(injection: Injection) -> tuple[int, str]:
    return injection.at, injection.id
