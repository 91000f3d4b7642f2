"""What the tools answer: the shapes that clients know them by, and how records become them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypeVar, cast

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no nested one of Python 3.11

from recollect.core.clock import to_iso
from recollect.core.errors import NotFound
from recollect.core.numbers import Link, show_number
from recollect.index.query.hit import Hit, SearchResult
from recollect.mcp.quoting import NOTE, cost_of
from recollect.memory import Memory
from recollect.observations.observation import Observation
from recollect.recall.context.block import ContextBlock
from recollect.recall.steps.detail import Detail, DetailBatch
from recollect.recall.steps.lines import IndexLine, IndexLines, Timeline
from recollect.sessions.record.message import Message
from recollect.store.sqlite.home import GUEST_NOTES
from recollect.workspace.reading import ReadResult

Trust = Annotated[
    str,
    Field(description="Whose words it is: owner, agent, tool, web, group (others), imported."),
]
Name = Annotated[str, Field(description="For timeline and get_observations, such as #12 or m88.")]
Tokens = Annotated[int, Field(description="About what this answer costs in a prompt.")]
Note = Annotated[str, Field(description="What to make of the texts below.")]
Answer = TypeVar("Answer")
_SOURCES = {"observation": "observations", "message": "sessions", "episode": "episodes"}
_BY_ROLE = {"assistant": "agent", "tool": "tool", "system": "tool"}


class LinkOutput(TypedDict):
    """A line of a memory file that names an observation."""

    path: Annotated[str, Field(description="For memory_get.")]
    line: int
    name: Name
    title: str


Links = Annotated[
    list[LinkOutput], Field(description="Observations that the lines name; lines that name it.")
]


class FoundRecord(TypedDict):
    """One hit."""

    source: Annotated[str, Field(description="memory (a file), sessions or observations.")]
    trust: Trust
    score: Annotated[float, Field(description="0 to 1, higher is better.")]
    snippet: str
    at: str
    name: NotRequired[Name]
    type: NotRequired[str]
    speaker: NotRequired[str]
    detailTokens: NotRequired[Annotated[int, Field(description="What all of it costs.")]]
    path: NotRequired[Annotated[str, Field(description="For memory_get.")]]
    startLine: NotRequired[int]
    endLine: NotRequired[int]
    citation: NotRequired[str]
    links: NotRequired[Links]


class SearchOutput(TypedDict):
    """Hits, best first."""

    note: Note
    results: list[FoundRecord]
    mode: Annotated[str, Field(description="What took part: hybrid, lexical or vector.")]
    confidence: Annotated[
        float, Field(description="0 to 1: how probable it is that the answer is among these.")
    ]
    warnings: list[str]
    tokens: Tokens


FileOutput = TypedDict(
    "FileOutput",
    {
        "note": Note,
        "status": Literal["ok", "not_found"],
        "path": str,
        "source": str,
        "trust": Trust,
        "text": str,
        "from": int,
        "lines": int,
        "totalLines": int,
        "truncated": bool,
        "nextFrom": NotRequired[int],
        "links": NotRequired[Links],
        "tokens": Tokens,
    },
)
"""Lines of a memory file."""


class LineOutput(TypedDict):
    """One record, in one line."""

    name: Name
    kind: str
    type: str
    trust: Trust
    at: str
    title: str
    detailTokens: int


class TimelineOutput(TypedDict):
    """What was around something, oldest first."""

    note: Note
    lines: list[LineOutput]
    anchor: NotRequired[Name]
    tokens: Tokens


class RecordOutput(TypedDict):
    """One record in full."""

    name: Name
    kind: Annotated[str, Field(description="observation, message or episode.")]
    source: str
    trust: Trust
    at: str
    tokens: int
    type: NotRequired[str]
    tool: NotRequired[str]
    speaker: NotRequired[str]
    title: NotRequired[str]
    summary: NotRequired[str]
    input: NotRequired[str]
    output: NotRequired[str]
    error: NotRequired[str]
    files: NotRequired[list[str]]
    text: NotRequired[str]
    links: NotRequired[Links]


class RecordsOutput(TypedDict):
    """Records in the order in which they were asked for."""

    note: Note
    records: list[RecordOutput]
    missing: list[str]
    tokens: Tokens


class ContextPart(TypedDict):
    """What a line of a context block is of."""

    kind: str
    section: str
    tokens: int
    name: NotRequired[Name]


class ContextOutput(TypedDict):
    """What a session begins with."""

    session: str
    text: str
    items: list[ContextPart]
    tokens: Tokens


class ForgetOutput(TypedDict):
    """What was forgotten."""

    name: Name
    forgotten: bool
    undo: Annotated[str, Field(description="The command with which the user brings it back.")]
    tokens: Tokens


def search_output(memory: Memory, result: SearchResult, lines: IndexLines) -> SearchOutput:
    """Return hits with what loads them; those without a line are gone, or not for who asks."""
    named = {line.ref: line for line in lines.lines}
    hits = [_hit(memory, hit, named[hit.ref]) for hit in result.hits if hit.ref in named]
    return SearchOutput(
        note=NOTE,
        results=hits,
        mode=result.mode,
        confidence=round(result.confidence, 4),
        warnings=list(result.warnings),
        tokens=cost_of(hits),
    )


def _hit(memory: Memory, hit: Hit, line: IndexLine) -> FoundRecord:
    found = FoundRecord(
        source=hit.source,
        trust=trust_of_file(hit.path) if hit.path is not None else _trust(memory, line),
        score=round(hit.score, 4),
        snippet=hit.snippet,
        at=to_iso(hit.at),
    )
    optional: dict[str, object] = {
        "speaker": hit.name,
        "citation": hit.citation,
        "links": _links(hit.links),
    }
    if hit.path is None:
        optional |= {"name": line.name, "type": line.type, "detailTokens": line.tokens}
    else:
        optional |= {"path": hit.path, "startLine": hit.start_line, "endLine": hit.end_line}
    return _with(found, optional)


def _with(answer: Answer, optional: Mapping[str, object]) -> Answer:
    """Return an answer with those of its optional parts that there are."""
    there = {name: value for name, value in optional.items() if value is not None and value != ""}
    return cast(Answer, {**cast(dict[str, object], answer), **there})


def trust_of_file(path: str) -> str:
    """Return whose words a memory file is: the owner's, or a note of a guest."""
    return "group" if path.startswith(f"{GUEST_NOTES}/") else "owner"


def _trust(memory: Memory, line: IndexLine) -> str:
    """Return whose words a record is; of a message that somebody wrote, whether the owner did."""
    if line.trust is not None:
        return line.trust
    if line.type in _BY_ROLE:
        return _BY_ROLE[line.type]
    return _trust_of_message(memory, memory.sessions.message(line.ref))


def _trust_of_message(memory: Memory, message: Message) -> str:
    if message.role in _BY_ROLE:
        return _BY_ROLE[message.role]
    return "owner" if memory.sessions.message_group(message).is_owners else "group"


def file_output(read: ReadResult) -> FileOutput:
    """Return lines of a memory file."""
    answer: FileOutput = {
        "note": NOTE,
        "status": read.status,
        "path": read.path,
        "source": "memory",
        "trust": trust_of_file(read.path),
        "text": read.text,
        "from": read.from_line,
        "lines": read.lines,
        "totalLines": read.total_lines,
        "truncated": read.truncated,
        "tokens": cost_of(read.text),
    }
    if read.next_from is not None:
        answer["nextFrom"] = read.next_from
    links = _links(read.links)
    if links is not None:
        answer["links"] = links
        answer["tokens"] += cost_of(links)
    return answer


def _links(links: Sequence[Link]) -> list[LinkOutput] | None:
    return [
        LinkOutput(
            path=each.path,
            line=each.line,
            name=show_number("observation", each.number),
            title=each.title,
        )
        for each in links
    ] or None


def timeline_output(memory: Memory, found: Timeline) -> TimelineOutput:
    """Return lines by time."""
    lines = [_line(memory, line) for line in found.lines]
    answer = TimelineOutput(note=NOTE, lines=lines, tokens=cost_of(lines))
    if found.anchor is not None:
        answer["anchor"] = found.anchor.name
    return answer


def _line(memory: Memory, line: IndexLine) -> LineOutput:
    return LineOutput(
        name=line.name,
        kind=line.kind,
        type=line.type,
        trust=_trust(memory, line),
        at=to_iso(line.at),
        title=line.title,
        detailTokens=line.tokens,
    )


def records_output(memory: Memory, batch: DetailBatch) -> RecordsOutput:
    """Return records in full.

    Raises:
        NotFound: none of them is there.
    """
    if not batch.found:
        raise NotFound("none of the records exists", hint="use ids that a search shows: #12")
    records = [_record(memory, each) for each in batch.found]
    missing = list(batch.missing)
    return RecordsOutput(
        note=NOTE, records=records, missing=missing, tokens=cost_of([*records, *missing])
    )


def _record(memory: Memory, detail: Detail) -> RecordOutput:
    of = detail.record
    head = RecordOutput(
        name=detail.name,
        kind=detail.kind,
        source=_SOURCES[detail.kind],
        trust="agent",
        at=to_iso(of.created_at),
        tokens=detail.tokens,
    )
    if detail.kind == "observation":
        return _with(head, _observed(of) | {"links": _links(detail.links)})
    return _with(head, _said(memory, of) if detail.kind == "message" else {"text": of.text})


def _observed(of: Observation) -> dict[str, Any]:
    return {
        "trust": of.trust,
        "type": of.type,
        "tool": of.tool_name,
        "title": of.title,
        "summary": of.summary,
        "input": of.input,
        "output": of.output,
        "error": of.error,
        "files": list(of.files) or None,
    }


def _said(memory: Memory, of: Message) -> dict[str, Any]:
    trust = _trust_of_message(memory, of)
    return {"trust": trust, "type": of.role, "speaker": of.name, "text": of.text}


def context_output(session_id: str, block: ContextBlock) -> ContextOutput:
    """Return a context block."""
    items = [
        _with(
            ContextPart(kind=item.kind, section=item.section, tokens=item.tokens),
            {"name": None if item.number is None else show_number(item.kind, item.number)},
        )
        for item in block.items
    ]
    return ContextOutput(session=session_id, text=block.text, items=items, tokens=block.tokens)


def forget_output(of: Observation) -> ForgetOutput:
    """Return what was forgotten, and how it comes back."""
    name = show_number("observation", of.number)
    return ForgetOutput(
        name=name, forgotten=True, undo=f"recollect forget --undo '{name}'", tokens=cost_of(name)
    )
