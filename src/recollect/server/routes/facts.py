"""Facts: remembered, read, corrected, and taken out of everything."""

from __future__ import annotations

from contextlib import suppress
from typing import Literal

from recollect.answers.fact import (
    FactAnswer,
    FactPage,
    FactWithHistory,
    RememberAnswer,
    fact_answer,
    followers,
    remember_answer,
    with_history,
)
from recollect.caller import Caller
from recollect.core.checks import Question, RowCount
from recollect.core.errors import NotFound
from recollect.knowledge.fact import Fact, FactStatus
from recollect.server.route import Created, Fields, Routes
from recollect.server.routes.sessions import PAGE
from recollect.server.values import Cursor, moment_of, page_of

ROUTES = Routes()


class NewFact(Fields, frozen=True, kw_only=True):
    """Something to remember.

    Attributes:
        text: One short statement.
        user_id: The person whose fact it is; the owner's if not given.
        kind: Such as ``rule`` or ``preference``; found out if not given.
        importance: 1 to 10; found out if not given.
        confidence: 0 to 1; 1 if not given.
        source: The message that says it: ``m88`` or its id.
        about: ``me`` or ``project``; found out if not given.
        project: A path of the project that it is about.
        trust: ``agent`` where an agent says it by itself: what it says of its owner waits for
            review.
        for_session: On behalf of this session, by its key or id: its audience hears the fact.
    """

    text: str
    user_id: str | None = None
    kind: str | None = None
    importance: int | None = None
    confidence: float | None = None
    source: str | None = None
    about: Literal["me", "project"] | None = None
    project: str | None = None
    trust: Literal["agent"] | None = None
    for_session: str | None = None


class FactFilter(Fields, frozen=True, kw_only=True):
    """Which facts; all current ones that the token hears if nothing is given.

    Attributes:
        query: A question: the facts that fit it, the best first, without pages.
        user_id: Only those of this person.
        project: Only of this project: a path of it, its name or its id.
        kind: Only this kind.
        status: Instead of the current ones.
        as_of: What was true then instead of what is, ISO 8601 or ms.
        limit: Of a page.
        cursor: Of the page before: only what is older.
        for_session: Only what this session may hear, by its key or id.
    """

    query: Question | None = None
    user_id: str | None = None
    project: str | None = None
    kind: str | None = None
    status: FactStatus = "current"
    as_of: int | str | None = None
    limit: RowCount = PAGE
    cursor: Cursor | None = None
    for_session: str | None = None


class OneFact(Fields, frozen=True, kw_only=True):
    """A fact, by its number or id.

    Attributes:
        id: ``f12``, or a UUID.
        for_session: Only if this session may hear it, by its key or id.
    """

    id: str
    for_session: str | None = None


class FactId(Fields, frozen=True, kw_only=True):
    """A fact, by its number or id."""

    id: str


class FactReplacement(FactId, frozen=True, kw_only=True):
    """The fact that another one makes way for.

    Attributes:
        by: Its number or id.
    """

    by: str


class FactUpdate(FactId, frozen=True, kw_only=True):
    """What to change of a fact; what is not given stays.

    Attributes:
        text: Other words.
        pinned: Whether it is never archived.
    """

    text: str | None = None
    pinned: bool | None = None


@ROUTES.add("POST", "/api/facts", "capture")
def remember(caller: Caller, fields: NewFact) -> Created[RememberAnswer] | RememberAnswer:
    """Remember a fact; the same words again are known.

    One with a token that only captures, or is not the owner's, is an agent's.
    """
    is_persons = caller.token.is_owners and caller.token.allows("write")
    outcome = caller.memory.facts.remember(
        fields.user_id,
        fields.text,
        fields.kind,
        fields.importance,
        fields.confidence,
        fields.source,
        about=fields.about,
        project=None if fields.project is None else caller.projects.path(fields.project),
        trust=fields.trust if is_persons else "agent",
        for_session=caller.for_session(fields.for_session),
    )
    _record(caller, "fact.remember", outcome.fact)
    answer = remember_answer(outcome)
    return answer if outcome.status == "known" else Created(answer)


@ROUTES.add("GET", "/api/facts", "read")
def list_facts(caller: Caller, fields: FactFilter) -> FactPage:
    """List facts, the newest first, or those that fit a question; a cursor gets the next page."""
    facts, hears = caller.memory.facts, caller.for_session(fields.for_session)
    project = None if fields.project is None else caller.projects.path(fields.project)
    as_of = None if fields.as_of is None else moment_of(fields.as_of)
    if fields.query is not None:
        hits = facts.search(
            fields.user_id, fields.query, fields.limit or PAGE, as_of, project=project,
            for_session=hears,
        )  # fmt: skip
        return FactPage(facts=tuple(fact_answer(each.fact) for each in hits), cursor=None)

    def read(until: int | None, most: int) -> list[Fact]:
        return facts.list(
            fields.user_id,
            project,
            fields.kind,
            status=fields.status,
            until=until,
            as_of=as_of,
            limit=most,
            for_session=hears,
        )

    page, cursor = page_of(read, _position, fields.limit, fields.cursor, None)
    return FactPage(facts=tuple(map(fact_answer, page)), cursor=cursor)


@ROUTES.add("GET", "/api/facts/{id}", "read")
def get(caller: Caller, fields: OneFact) -> FactWithHistory:
    """Get a fact with its history, and the line of what it replaced and what replaced it."""
    facts, hears = caller.memory.facts, caller.for_session(fields.for_session)
    fact = facts.get(fields.id, for_session=hears)
    history = facts.history(fact.id, for_session=hears)
    line = facts.line(fact.id, for_session=hears)
    return with_history(fact, history, followers(facts, history, hears), line)


@ROUTES.add("PATCH", "/api/facts/{id}", "write")
def update(caller: Caller, fields: FactUpdate) -> FactAnswer:
    """Give a fact other words, or pin it."""
    fact, hears = _writable(caller, fields.id), caller.for_session()
    facts = caller.memory.facts
    if fields.text is not None:
        fact = facts.correct(fact.id, fields.text, for_session=hears)
    if fields.pinned is not None:
        fact = facts.pin(fact.id, pinned=fields.pinned, for_session=hears)
    _record(caller, "fact.update", fact)
    return fact_answer(fact)


@ROUTES.add("DELETE", "/api/facts/{id}", "write")
def forget(caller: Caller, fields: FactId) -> FactAnswer:
    """Take a fact out of everything, until it is restored."""
    fact = _writable(caller, fields.id)
    _record(caller, "fact.forget", fact)
    return fact_answer(caller.memory.facts.forget(fact.id, for_session=caller.for_session()))


@ROUTES.add("POST", "/api/facts/{id}/restore", "write")
def restore(caller: Caller, fields: FactId) -> FactAnswer:
    """Make a fact count again, undo its last correction, or confirm it."""
    fact = _writable(caller, fields.id)
    if fact.status == "review":
        caller.require_operator()  # only the owner says what is true of the owner
    _record(caller, "fact.restore", fact)
    return fact_answer(caller.memory.facts.restore(fact.id, for_session=caller.for_session()))


@ROUTES.add("POST", "/api/facts/{id}/replace", "write")
def replace(caller: Caller, fields: FactReplacement) -> FactAnswer:
    """Replace a fact with another; restore undoes it."""
    fact, newer = _writable(caller, fields.id), _writable(caller, fields.by)
    _record(caller, "fact.replace", fact)
    hears = caller.for_session()
    return fact_answer(caller.memory.facts.replace(fact.id, newer.id, for_session=hears))


def _writable(caller: Caller, id_: str) -> Fact:
    """Return a fact that the token may change.

    Raises:
        NotFound: there is none that the token hears.
        Denied: it was said in a session that the token may not write into.
    """
    fact = caller.memory.facts.get(id_, for_session=caller.for_session())
    if fact.session_id is not None:
        with suppress(NotFound):  # retention removed it
            caller.writable(caller.memory.sessions.get(fact.session_id))
    return fact


def _record(caller: Caller, action: str, fact: Fact) -> None:
    caller.memory.audit.record(action, target=fact.id)


def _position(of: Fact) -> tuple[int, str]:
    return of.created_at, of.id
