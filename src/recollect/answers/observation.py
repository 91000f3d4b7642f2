"""Observations, and records in full, as each surface answers them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from recollect.answers.hit import (
    NOTE,
    Links,
    Note,
    RecordName,
    Tokens,
    Trust,
    cost_of,
    link_outputs,
    trust_of_message,
)
from recollect.core.clock import to_iso
from recollect.core.errors import NotFound
from recollect.core.numbers import show_number
from recollect.observations.observation import Observation
from recollect.recall.steps.detail import Detail, DetailBatch

if TYPE_CHECKING:  # for a name only
    from recollect.memory import Memory
    from recollect.sessions.record.message import Message

_SOURCES = {
    "observation": "observations",
    "message": "sessions",
    "episode": "episodes",
    "fact": "facts",
}


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


class ReportNote(msgspec.Struct, frozen=True, kw_only=True):
    """Why something is not as the client meant it.

    Attributes:
        reason: A word: ``paused``, ``excluded``, ``off``, ``tool``, ``file``, ``recalled``,
            ``no_session``, ``unread``.
        why: A sentence.
    """

    reason: str
    why: str


class StoredObservation(ObservationAnswer, frozen=True, kw_only=True):
    """An observation that was stored, and what of it is not as it was given.

    Attributes:
        redacted: The kinds of secrets that were replaced by a mark, such as ``github-token``; not
            there without any.
        note: Why something was left out, or is in another session than meant; not there otherwise.
    """

    redacted: tuple[str, ...] | UnsetType = UNSET
    note: ReportNote | UnsetType = UNSET


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


class ObservationPage(msgspec.Struct, frozen=True, kw_only=True):
    """Observations, the newest first.

    Attributes:
        observations: Of this page.
        cursor: For ``cursor`` of the next page; null where there is none.
    """

    observations: tuple[ObservationAnswer, ...]
    cursor: str | None


class RecordOutput(msgspec.Struct, frozen=True, kw_only=True):
    """One record in full; what it has not is left out."""

    name: RecordName
    kind: Annotated[str, Meta(description="observation, message, episode or fact.")]
    source: str
    trust: Trust
    at: str
    tokens: int
    type: str | UnsetType = UNSET
    tool: str | UnsetType = UNSET
    speaker: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    summary: str | UnsetType = UNSET
    input: str | UnsetType = UNSET
    output: str | UnsetType = UNSET
    error: str | UnsetType = UNSET
    files: list[str] | UnsetType = UNSET
    text: str | UnsetType = UNSET
    links: Links | UnsetType = UNSET


class RecordsOutput(msgspec.Struct, frozen=True, kw_only=True):
    """Records in the order in which they were asked for."""

    note: Note
    records: list[RecordOutput]
    missing: list[str]
    tokens: Tokens


class ForgetOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What was forgotten."""

    name: RecordName
    forgotten: bool
    undo: Annotated[str, Meta(description="The command with which the user brings it back.")]
    tokens: Tokens


class ObservationList(msgspec.Struct, frozen=True, kw_only=True):
    """Observations; ``missing`` only where they were asked for by name."""

    observations: Sequence[Observation]
    missing: Sequence[str] | UnsetType = UNSET


def observation_answer(of: Observation) -> ObservationAnswer:
    """Return an observation as HTTP answers it."""
    return ObservationAnswer(**_answered(of))


def stored_answer(
    of: Observation, redacted: tuple[str, ...] = (), note: ReportNote | None = None
) -> StoredObservation:
    """Return an observation that was stored as HTTP answers it."""
    return StoredObservation(**_answered(of), redacted=redacted or UNSET, note=note or UNSET)


def _answered(of: Observation) -> dict[str, Any]:
    return {
        "id": of.number,
        "session_id": of.session_id,
        "type": of.type,
        "tool_name": of.tool_name or "",
        "input": of.input,
        "output": of.output,
        "summary": of.summary,
        "tokens": of.tokens,
        "importance": of.importance,
        "created_at": to_iso(of.created_at),
        "title": of.title,
        "trust": of.trust,
    }


def records_output(memory: Memory, batch: DetailBatch) -> RecordsOutput:
    """Return records in full as MCP answers them.

    Raises:
        NotFound: none of them is there.
    """
    if not batch.found:
        raise NotFound("none of the records exists", hint="use ids that a search shows: #12")
    records = [_record(memory, each) for each in batch.found]
    missing = list(batch.missing)
    cost = cost_of([*records, *missing])
    return RecordsOutput(note=NOTE, records=records, missing=missing, tokens=cost)


def _record(memory: Memory, detail: Detail) -> RecordOutput:
    of = detail.record
    own: dict[str, Any]
    if detail.kind == "observation":
        own = _observed(of) | {"links": link_outputs(detail.links)}
    elif detail.kind == "message":
        own = _said(memory, of)
    elif detail.kind == "fact":
        own = {"trust": of.trust, "type": of.kind, "text": of.text}
    else:
        own = {"trust": "agent", "text": of.text or UNSET}
    return RecordOutput(
        name=detail.name,
        kind=detail.kind,
        source=_SOURCES[detail.kind],
        at=to_iso(of.created_at),
        tokens=detail.tokens,
        **own,
    )


def _observed(of: Observation) -> dict[str, Any]:
    return {
        "trust": of.trust,
        "type": of.type or UNSET,
        "tool": of.tool_name or UNSET,
        "title": of.title or UNSET,
        "summary": of.summary or UNSET,
        "input": of.input or UNSET,
        "output": of.output or UNSET,
        "error": of.error or UNSET,
        "files": list(of.files) or UNSET,
    }


def _said(memory: Memory, of: Message) -> dict[str, Any]:
    trust = trust_of_message(memory, of)
    text, speaker = of.text or UNSET, of.name or UNSET
    return {"trust": trust, "type": of.role, "speaker": speaker, "text": text}


def forget_output(of: Observation) -> ForgetOutput:
    """Return the forgotten observation as MCP answers it, and how to restore it."""
    name = show_number("observation", of.number)
    return ForgetOutput(
        name=name, forgotten=True, undo=f"recollect forget --undo '{name}'", tokens=cost_of(name)
    )
