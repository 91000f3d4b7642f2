"""Values as seed 001 has them on the wire: its names, and times as ISO 8601 UTC.

Times that come in may be ISO 8601 or milliseconds; one without a zone is UTC.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta

import msgspec

from recollect.core.clock import check_time, to_iso, to_ms
from recollect.core.errors import InvalidInput
from recollect.core.numbers import Link, parse_record, show_number
from recollect.index.query.hit import Hit, SearchResult
from recollect.observations.observation import Observation
from recollect.recall.context.block import ContextBlock
from recollect.recall.steps.lines import IndexLine, IndexLines, Timeline
from recollect.sessions.record.session import Session

_TIMES_FROM = 100_000_000_000
"""An integer from here on is a time, not the number of an observation: in ms, March 1973."""
_DIGITS = re.compile(r"\d{1,15}")


class SessionAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A session.

    Attributes:
        id: A UUID.
        session_key: Who and where; null of one without a key.
        project_path: The folder that it is about.
        started_at: ISO 8601 UTC.
        ended_at: Likewise; null while it goes on.
        summary: What stays of it; null before its first end, and where nothing was said or done.
    """

    id: str
    session_key: str | None
    project_path: str | None
    started_at: str
    ended_at: str | None
    summary: str | None


class SessionEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A session in a list, or as it was changed.

    Attributes:
        id: A UUID.
        session_key: Who and where; null of one without a key.
        project_path: The folder that it is about.
        started_at: ISO 8601 UTC.
        updated_at: Likewise: the time of its newest message.
        ended_at: Likewise; null while it goes on.
        title: What it is called.
        status: ``active``, ``archived`` or ``deleted``.
        message_count: Messages of its own.
        parent_id: The session that it was forked from.
        forked_at_seq: How many messages of that it shares.
    """

    id: str
    session_key: str | None
    project_path: str | None
    started_at: str
    updated_at: str
    ended_at: str | None
    title: str | None
    status: str
    message_count: int
    parent_id: str | None
    forked_at_seq: int | None


class ObservationAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An observation. What input and output say is data, whosever words they are.

    Attributes:
        id: Its number.
        session_id: A UUID.
        type: One of the nine, or a client's own.
        tool_name: Empty where no tool was used.
        input: What the tool was given; head and tail where it is long.
        output: What came back, likewise.
        summary: A few words; may be empty.
        tokens: About what all of it costs in a prompt.
        importance: 0 to 1.
        created_at: ISO 8601 UTC.
        title: One line.
        trust: Whose words input and output are.
    """

    id: int
    session_id: str
    type: str
    tool_name: str
    input: str
    output: str
    summary: str
    tokens: int
    importance: float
    created_at: str
    title: str
    trust: str


class ResultLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line for something that can be loaded in full.

    Attributes:
        id: The number of an observation; ``m88``, or ``memory/tea.md:3-9``, of anything else.
        type: Of an observation its type, of a message its role, of a file ``memory``.
        title: One line.
        tokens: About what all of it costs in a prompt.
        created_at: ISO 8601 UTC.
        source: The kind of memory.
        score: 0 to 1; null where nothing was asked.
        links: Of a file the observations that its lines name, of an observation the lines of files
            that name it; not there without any.
    """

    id: int | str
    type: str
    title: str
    tokens: int
    created_at: str
    source: str
    score: float | None = None
    links: tuple[Link, ...] | msgspec.UnsetType = msgspec.UNSET


class SearchResults(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, the best first.

    Attributes:
        results: A line each.
        tokens: About what the lines cost in a prompt.
        warnings: Why the answer may be less than it could be.
        confidence: How probable it is that the answer is among them, 0 to 1.
    """

    results: tuple[ResultLine, ...]
    tokens: int
    warnings: tuple[str, ...]
    confidence: float


class TimelineLines(msgspec.Struct, frozen=True, kw_only=True):
    """What was around something, oldest first.

    Attributes:
        before: What came before.
        anchor: What it is around; null where that is a moment.
        after: What came after.
        tokens: About what the lines cost in a prompt.
    """

    before: tuple[ResultLine, ...]
    anchor: ResultLine | None
    after: tuple[ResultLine, ...]
    tokens: int


class BatchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for by id.

    Attributes:
        observations: In the order of the ids.
        missing: The ids that there are none for.
        tokens: About what all of it costs in a prompt.
    """

    observations: tuple[ObservationAnswer, ...]
    missing: tuple[int | str, ...]
    tokens: int


class ContextLine(msgspec.Struct, frozen=True, kw_only=True):
    """What went into a context.

    Attributes:
        id: The number of an observation; ``e3`` of the summary of a session.
        section: ``types``, ``summary`` or ``changes``.
        tokens: What its lines cost.
        why: The parts of its score.
    """

    id: int | str
    section: str
    tokens: int
    why: dict[str, float]


class PromptContext(msgspec.Struct, frozen=True, kw_only=True):
    """A text for a prompt.

    Attributes:
        text: Empty where there is nothing to say.
        tokens: What it costs, never more than was asked for.
        items: What is in it.
    """

    text: str
    tokens: int
    items: tuple[ContextLine, ...]


def session_answer(session: Session, summary: str | None) -> SessionAnswer:
    """Return a session as it is sent."""
    return SessionAnswer(
        id=session.id,
        session_key=session.key,
        project_path=session.project,
        started_at=to_iso(session.created_at),
        ended_at=None if session.ended_at is None else to_iso(session.ended_at),
        summary=summary,
    )


def session_entry(session: Session) -> SessionEntry:
    """Return a session as lists have it."""
    return SessionEntry(
        id=session.id,
        session_key=session.key,
        project_path=session.project,
        started_at=to_iso(session.created_at),
        updated_at=to_iso(session.updated_at),
        ended_at=None if session.ended_at is None else to_iso(session.ended_at),
        title=session.title,
        status=session.status,
        message_count=session.message_count,
        parent_id=session.parent_id,
        forked_at_seq=session.forked_at_seq,
    )


def observation_answer(of: Observation) -> ObservationAnswer:
    """Return an observation as it is sent."""
    return ObservationAnswer(
        id=of.number,
        session_id=of.session_id,
        type=of.type,
        tool_name=of.tool_name or "",
        input=of.input,
        output=of.output,
        summary=of.summary,
        tokens=of.tokens,
        importance=of.importance,
        created_at=to_iso(of.created_at),
        title=of.title,
        trust=of.trust,
    )


def search_answer(result: SearchResult, lines: IndexLines) -> SearchResults:
    """Return the hits as they are sent, in the order of the lines."""
    hits: Mapping[str, Hit] = {
        hit.ref if hit.path is None else f"{hit.path}:{hit.start_line}-{hit.end_line}": hit
        for hit in result.hits
    }
    return SearchResults(
        results=tuple(
            _line(line, hits.get(line.name if line.kind == "file" else line.ref))
            for line in lines.lines
        ),
        tokens=lines.tokens,
        warnings=tuple(result.warnings),
        confidence=round(result.confidence, 4),
    )


def timeline_answer(found: Timeline) -> TimelineLines:
    """Return a timeline as it is sent."""
    return TimelineLines(
        before=tuple(map(_line, found.before)),
        anchor=None if found.anchor is None else _line(found.anchor),
        after=tuple(map(_line, found.after)),
        tokens=found.tokens,
    )


def context_answer(block: ContextBlock) -> PromptContext:
    """Return a context block as it is sent."""
    items = tuple(
        ContextLine(
            id=_id(item.kind, item.number, item.id),
            section=item.section,
            tokens=item.tokens,
            why=item.why,
        )
        for item in block.items
    )
    return PromptContext(text=block.text, tokens=block.tokens, items=items)


_SOURCES = {"observation": "observations", "message": "sessions", "file": "memory"}


def _line(line: IndexLine, hit: Hit | None = None) -> ResultLine:
    return ResultLine(
        id=_id(line.kind, line.number, line.name),
        type=line.type,
        title=line.title,
        tokens=line.tokens,
        created_at=to_iso(line.at),
        source=_SOURCES[line.kind],
        score=None if hit is None else hit.score,
        links=msgspec.UNSET if hit is None or not hit.links else hit.links,
    )


def _id(kind: str, number: int | None, otherwise: str) -> int | str:
    if number is None:
        return otherwise
    return number if kind == "observation" else show_number(kind, number)


def name_of(id_: int | str) -> str:
    """Return the memory's name of what a client calls ``12``, ``"12"``, ``"#12"`` or by a UUID.

    >>> name_of(12), name_of("12"), name_of("m88")
    ('#12', '#12', 'm88')
    """
    text = str(id_).strip()
    return f"#{text}" if _DIGITS.fullmatch(text) else text


def moment_of(written: int | str, *, through: bool = False) -> int:
    """Return the time given by a client, ms UTC.

    Args:
        written: ISO 8601, or milliseconds as a number or a text; without a zone it is UTC.
        through: Return the first moment after it instead, of a day the first of the next.

    Raises:
        InvalidInput: it is not a valid time.
    """
    if isinstance(written, int) or _DIGITS.fullmatch(written):
        return check_time(int(written)) + int(through)
    try:
        moment, length = _written(written.strip())
        return to_ms(moment + length) if through else to_ms(moment)
    except (ValueError, OverflowError) as error:
        hint = "write 2026-02-01T10:00:00Z, 2026-02-01, or milliseconds"
        raise InvalidInput("a time must be ISO 8601 or milliseconds", hint=hint) from error


def _written(text: str) -> tuple[datetime, timedelta]:
    """Return a moment, and its length by the precision of the text."""
    if "T" not in text and " " not in text:
        return datetime.combine(date.fromisoformat(text), time(), UTC), timedelta(days=1)
    length = timedelta(milliseconds=1) if "." in text else timedelta(seconds=1)
    return datetime.fromisoformat(text), length


def anchor_of(written: int | str) -> int | str:
    """Return the anchor of a timeline as the memory takes it: the name of a record, or ms UTC.

    Raises:
        InvalidInput: it is neither.
    """
    name = name_of(written)
    if name[1:].isdecimal() and int(name[1:]) >= _TIMES_FROM and name[0] == "#":
        return int(name[1:])
    return name if parse_record(name) is not None else moment_of(written)
