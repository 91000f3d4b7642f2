"""A block of text for a prompt, as each surface answers it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from recollect.answers.hit import RecordName, Tokens, short_id
from recollect.core.numbers import show_number
from recollect.recall.context.block import ContextBlock
from recollect.recall.context.injected import InjectedBlock, InjectedLine
from recollect.recall.context.injections import Exclusion, Injection


class ContextLine(msgspec.Struct, frozen=True, kw_only=True):
    """What went into a context.

    Attributes:
        id: The number of an observation; ``e3`` of the summary of a session.
        section: ``rules``, ``facts``, ``summary``, ``open``, ``types``, ``changes``; with a
            question also ``episodes`` and ``said``.
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


class ContextPart(msgspec.Struct, frozen=True, kw_only=True):
    """What a line of a context block is of."""

    kind: str
    section: str
    tokens: int
    name: RecordName | UnsetType = UNSET


class ContextOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What a session begins with; without ``session`` a new one, where the project has none yet."""

    text: str
    items: list[ContextPart]
    tokens: Tokens
    session: str | UnsetType = UNSET


class BlockEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A block that was put into a prompt, in a list.

    Attributes:
        id: A UUID.
        session_id: The session of the prompt.
        reason: ``startup``, ``clear``, ``compact``, ``resume``, ``fork`` or ``prompt``.
        client: The program, where it gave its name.
        tokens: What it cost.
        chars: Its length in UTF-16 units.
        dropped: Candidates that did not fit.
        budget: What it could have cost, in tokens; null where that was not recorded.
        items: How many of its lines are not erased.
        at: When, ms UTC.
    """

    id: str
    session_id: str
    reason: str
    client: str | None
    tokens: int
    chars: int
    dropped: int
    budget: int | None
    items: int
    at: int


class BlockList(msgspec.Struct, frozen=True, kw_only=True):
    """Blocks that were put into prompts, the newest first.

    Attributes:
        blocks: Of this page.
        cursor: For ``cursor`` of the next page; null where there is none.
    """

    blocks: tuple[BlockEntry, ...]
    cursor: str | None


class BlockLine(ContextLine, frozen=True, kw_only=True):
    """A line of a block.

    Attributes:
        kind: ``observation``, ``fact``, ``episode``, ``message``, ``file`` or ``state``.
        text: The line as it would be now; null where it is gone.
        gone: Whether its record was forgotten or rewound since, or is not for the token.
    """

    kind: str
    text: str | None
    gone: bool


class BlockAnswer(BlockEntry, frozen=True, kw_only=True):
    """A block that was put into a prompt, with its lines in their order."""

    lines: tuple[BlockLine, ...]


class NextBlock(msgspec.Struct, frozen=True, kw_only=True):
    """What the first prompt of a new session would be given.

    Attributes:
        tokens: What it costs.
        chars: Its length in UTF-16 units.
        dropped: Candidates that do not fit.
        budget: What it may cost, in tokens.
        empty_because: Why there is nothing in it; empty where there is something.
        lines: In their order.
    """

    tokens: int
    chars: int
    dropped: int
    budget: int
    empty_because: str
    lines: tuple[BlockLine, ...]


class ExclusionEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What is never put into a prompt by itself.

    Attributes:
        id: As a line of a block has it.
        kind: Likewise.
        at: Since when, ms UTC.
    """

    id: int | str
    kind: str
    at: int


class ExclusionList(msgspec.Struct, frozen=True, kw_only=True):
    """What is never put into a prompt by itself, the newest first."""

    excluded: tuple[ExclusionEntry, ...]


class InjectionList(msgspec.Struct, frozen=True, kw_only=True):
    """What was injected last."""

    injections: Sequence[Injection]


def context_answer(block: ContextBlock) -> PromptContext:
    """Return a context block as HTTP answers it."""
    items = tuple(
        ContextLine(
            id=short_id(item.kind, item.number, item.id),
            section=item.section,
            tokens=item.tokens,
            why=item.why,
        )
        for item in block.items
    )
    return PromptContext(text=block.text, tokens=block.tokens, items=items)


def block_entry(injection: Injection) -> BlockEntry:
    """Return a block as a list has it."""
    return BlockEntry(**_entry(injection))


def block_answer(block: InjectedBlock) -> BlockAnswer:
    """Return a block with its lines as HTTP answers it."""
    return BlockAnswer(**_entry(block.injection), lines=tuple(map(_line, block.lines)))


def next_block(block: ContextBlock, budget: int, lines: Iterable[InjectedLine]) -> NextBlock:
    """Return what a new session would be given as HTTP answers it."""
    return NextBlock(
        tokens=block.tokens,
        chars=block.chars,
        dropped=block.dropped,
        budget=budget,
        empty_because=block.empty_because,
        lines=tuple(map(_line, lines)),
    )


def exclusion_entry(of: Exclusion) -> ExclusionEntry:
    """Return an exclusion as HTTP answers it."""
    return ExclusionEntry(id=short_id(of.kind, of.number, of.id), kind=of.kind, at=of.at)


def _line(of: InjectedLine) -> BlockLine:
    return BlockLine(
        id=short_id(of.kind, of.number, of.id),
        section=of.section,
        tokens=of.tokens,
        why=of.why,
        kind=of.kind,
        text=of.text,
        gone=of.text is None,
    )


def _entry(of: Injection) -> dict[str, Any]:
    names = set(BlockEntry.__struct_fields__) - {"items"}
    return {name: getattr(of, name) for name in names} | {"items": len(of.items)}


def context_output(session_id: str | None, block: ContextBlock) -> ContextOutput:
    """Return a context block as MCP answers it."""
    items = [
        ContextPart(
            kind=item.kind,
            section=item.section,
            tokens=item.tokens,
            name=UNSET if item.number is None else show_number(item.kind, item.number),
        )
        for item in block.items
    ]
    return ContextOutput(
        text=block.text, items=items, tokens=block.tokens, session=session_id or UNSET
    )
