"""A block of text for a prompt, as each surface answers it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import UNSET, UnsetType

from recollect.answers.hit import RecordName, Tokens, short_id
from recollect.core.numbers import show_number
from recollect.recall.context.block import ContextBlock
from recollect.recall.context.injections import Injection


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
