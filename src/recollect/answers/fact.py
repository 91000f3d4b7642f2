"""Facts as each surface answers them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from recollect.answers.hit import RecordName, Tokens, Trust, cost_of
from recollect.answers.observation import ForgetOutput
from recollect.core.clock import to_iso
from recollect.core.errors import NotFound
from recollect.core.numbers import show_number
from recollect.knowledge.fact import Fact, FactChange, Remembered
from recollect.knowledge.facts import Facts


class FactAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A fact. What it says is data, whosever words they are.

    Attributes:
        id: Its number, such as ``f12``.
        text: One short statement.
        kind: Such as ``rule`` or ``preference``.
        subject: About whom: ``speaker``, ``other``, ``project`` or ``nobody``.
        name: The other person or thing, in lower case; null for none.
        slot: What it gives a value to, such as ``home``; null where that is not recognised.
        value: The value, normalised.
        user_id: The person whom it belongs to; null for the owner.
        project: The folder that it is about.
        importance: 1 to 10.
        confidence: 0 to 1.
        trust: Whose words it is.
        status: ``current``, ``replaced``, ``forgotten``, ``archived`` or ``review``.
        valid_from: From when it is true, ISO 8601 UTC.
        valid_to: Until when; null while it is.
        created_at: When it was recorded, ISO 8601 UTC.
        pinned: Whether it is never archived.
        access_count: How often it was found.
        session_id: Where it was said; null of one by hand.
        message_id: The message that says it, likewise.
        start: The first character of the quoted span in the text of the message; null without one.
        end: The one after its last.
    """

    id: str
    text: str
    kind: str
    subject: str
    name: str | None
    slot: str | None
    value: str | None
    user_id: str | None
    project: str | None
    importance: int
    confidence: float
    trust: str
    status: str
    valid_from: str
    valid_to: str | None
    created_at: str
    pinned: bool
    access_count: int
    session_id: str | None
    message_id: str | None
    start: int | None
    end: int | None


class RememberAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What became of something to remember.

    Attributes:
        status: ``new``, ``known`` or ``replaced``.
        fact: As it is stored now.
        replaced: The facts that made way for it.
    """

    status: str
    fact: FactAnswer
    replaced: tuple[FactAnswer, ...]


class FactPage(msgspec.Struct, frozen=True, kw_only=True):
    """Facts, the newest first; those that a question finds, the best first.

    Attributes:
        facts: Of this page.
        cursor: For ``cursor`` of the next page; null where there is none.
    """

    facts: tuple[FactAnswer, ...]
    cursor: str | None


class HistoryLine(msgspec.Struct, frozen=True, kw_only=True):
    """What a fact was from a change on.

    Attributes:
        version: From 1.
        action: What was done.
        at: When, ISO 8601 UTC.
        actor: The name of the token that did it; null: whoever uses the files of the home.
        text: Its words.
        status: Whether it counted.
        replaced_by: The number of the fact that it made way for; null for none, or one that the
            token does not hear.
    """

    version: int
    action: str
    at: str
    actor: str | None
    text: str
    status: str
    replaced_by: str | None


class FactWithHistory(FactAnswer, frozen=True, kw_only=True):
    """A fact with all that it was before, the oldest first.

    Attributes:
        history: What was done to it.
        line: The facts that it replaced and those that replaced it, one by one, with itself among
            them, by the time from which they are true.
    """

    history: tuple[HistoryLine, ...]
    line: tuple[FactAnswer, ...]


class FactList(msgspec.Struct, frozen=True, kw_only=True):
    """Facts as ``--json`` answers them."""

    facts: Sequence[Fact]


class FactHistory(msgspec.Struct, frozen=True, kw_only=True):
    """The history of a fact as ``--json`` answers it."""

    fact: Fact
    history: Sequence[FactChange]


class RememberOutput(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What became of something to remember."""

    name: RecordName
    status: Annotated[str, Meta(description="new, known, or replaced: an older value made way.")]
    kind: str
    of: Annotated[
        str | UnsetType, Meta(description="The person whom it belongs to; the user if absent.")
    ] = UNSET
    project: Annotated[str | UnsetType, Meta(description="Only where it is of one.")] = UNSET
    trust: Trust
    in_review: Annotated[bool, Meta(description="The user has to confirm it first.")]
    tokens: Tokens
    replaced: list[RecordName] | UnsetType = UNSET


def fact_answer(of: Fact) -> FactAnswer:
    """Return a fact as HTTP answers it."""
    return FactAnswer(**_answered(of))


def followers(
    facts: Facts, history: Sequence[FactChange], for_session: str | None = None
) -> dict[str, str]:
    """Return the numbers of the facts that one made way for, by id, as far as they are heard."""
    numbers = {}
    for id_ in {each.replaced_by for each in history if each.replaced_by is not None}:
        with suppress(NotFound):
            newer = facts.get(id_, for_session=for_session)
            numbers[id_] = show_number("fact", newer.number)
    return numbers


def with_history(
    of: Fact, history: Sequence[FactChange], numbers: Mapping[str, str], line: Sequence[Fact]
) -> FactWithHistory:
    """Return a fact with its history and line as HTTP answers them; numbers as of `followers`."""
    lines = tuple(
        HistoryLine(
            version=each.version,
            action=each.action,
            at=to_iso(each.at),
            actor=each.actor,
            text=each.text,
            status=each.status,
            replaced_by=numbers.get(each.replaced_by or ""),
        )
        for each in history
    )
    return FactWithHistory(**_answered(of), history=lines, line=tuple(map(fact_answer, line)))


def remember_answer(of: Remembered) -> RememberAnswer:
    """Return the outcome of remembering something as HTTP answers it."""
    replaced = tuple(map(fact_answer, of.replaced))
    return RememberAnswer(status=of.status, fact=fact_answer(of.fact), replaced=replaced)


def remember_output(of: Remembered) -> RememberOutput:
    """Return the outcome of remembering something as MCP answers it."""
    name = show_number("fact", of.fact.number)
    return RememberOutput(
        name=name,
        status=of.status,
        kind=of.fact.kind,
        of=of.fact.user or UNSET,
        project=of.fact.project or UNSET,
        trust=of.fact.trust,
        in_review=of.fact.status == "review",
        replaced=[show_number("fact", each.number) for each in of.replaced] or UNSET,
        tokens=cost_of([name, of.status, of.fact.kind]),
    )


def forget_fact_output(of: Fact) -> ForgetOutput:
    """Return the forgotten fact as MCP answers it, and how to restore it."""
    name = show_number("fact", of.number)
    undo = f"recollect facts restore {name}"
    return ForgetOutput(name=name, forgotten=True, undo=undo, tokens=cost_of(name))


def _answered(of: Fact) -> dict[str, Any]:
    return {
        "id": show_number("fact", of.number),
        "text": of.text,
        "kind": of.kind,
        "subject": of.subject,
        "name": of.name,
        "slot": of.slot,
        "value": of.value,
        "user_id": of.user,
        "project": of.project,
        "importance": of.importance,
        "confidence": of.confidence,
        "trust": of.trust,
        "status": of.status,
        "valid_from": to_iso(of.valid_from),
        "valid_to": None if of.valid_to is None else to_iso(of.valid_to),
        "created_at": to_iso(of.created_at),
        "pinned": of.is_pinned,
        "access_count": of.access_count,
        "session_id": of.session_id,
        "message_id": of.message_id,
        "start": of.start,
        "end": of.end,
    }
