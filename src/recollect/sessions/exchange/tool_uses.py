"""What the tools of a transcript did: each call with its result, for whoever records that.

A line tells of the call, a later one of the result; between them the reading may have stopped.
Who records is given: this room knows no observations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Protocol

import msgspec

from recollect.sessions.exchange.transcript_format import ForeignMessage
from recollect.sessions.record.content import (
    ContentBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from recollect.sessions.record.draft import DraftMaker
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.store.engine import Transaction

_MOST_LOOKS = 100
"""Calls that are looked for in what was read before: each look reads all of it. A reading ends
between a handful of calls and their results; results without any call are endless."""


class ToolUse(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that was used, and what came of it.

    Attributes:
        id: The id that the model gave the call.
        name: The tool.
        input: What it was given, JSON.
        output: The text that came back.
        is_error: It failed.
        at: When the result came, ms UTC.
        agent_id: The sub-agent that used it.
        project: The folder in which it happened.
    """

    id: str
    name: str
    input: Any
    output: str
    is_error: bool
    at: int
    agent_id: str | None = None
    project: str | None = None


class UseRecorder(Protocol):
    """Whoever records what tools did; a use that is recorded already is left as it is."""

    def prepare(
        self, uses: Sequence[ToolUse], messages: Sequence[Message], project: str | None
    ) -> Sequence[Any]:
        """Return what of a session is to be stored; called outside of transactions.

        Args:
            uses: Of its tools.
            messages: What was said in it, some of it perhaps stored already.
            project: The folder of the session.
        """

    def store(
        self,
        tx: Transaction,
        session: Session,
        prepared: Sequence[Any],
        messages: Sequence[Message],
    ) -> int:
        """Store what was prepared in the transaction that stores the messages of its session.

        Args:
            tx: Of ``records.db``; the messages are in it already.
            session: Where the tools were used.
            prepared: What `prepare` returned of it.
            messages: Those that are new; what is recorded of their calls is linked to them.

        Returns:
            How many are new.
        """


class RecordNothing:
    """Records nothing."""

    def prepare(
        self, uses: Sequence[ToolUse], messages: Sequence[Message], project: str | None
    ) -> Sequence[Any]:
        """Return nothing."""
        return ()

    def store(
        self,
        tx: Transaction,
        session: Session,
        prepared: Sequence[Any],
        messages: Sequence[Message],
    ) -> int:
        """Return 0."""
        return 0


class CallBook:
    """Joins the calls of one transcript with their results.

    Args:
        earlier: Yields the messages before the place where this reading began that hold a text.
        drafts: Redacts them, and knows the calls that asked this memory: they are not recorded.
    """

    def __init__(
        self, earlier: Callable[[str], Iterable[ForeignMessage]], drafts: DraftMaker
    ) -> None:
        self._earlier = earlier
        self._drafts = drafts
        self._looks = 0
        self._waiting: dict[str, ToolUseBlock | None] = {}
        """Calls without a result, by id; None for one that is not recorded."""

    def uses(
        self,
        message: ForeignMessage,
        blocks: Iterable[ContentBlock],
        at: int,
        recalled: Collection[str],
    ) -> Iterator[ToolUse]:
        """Yield the uses that a message brings to their end; note the calls that it makes.

        Args:
            message: Who used them, and where.
            blocks: What it says, as it is stored.
            at: When it was said, ms UTC.
            recalled: Those of its calls and results that this memory was asked by.
        """
        for block in blocks:
            if isinstance(block, ToolUseBlock) and block.id is not None:
                self._waiting[block.id] = None if block.id in recalled else block
            elif isinstance(block, ToolResultBlock) and (call := block.tool_use_id) is not None:
                known = call in self._waiting
                asked = self._waiting.pop(call) if known else self._before(call)
                if asked is None or call in recalled:
                    continue  # without the call nothing says whether it may be captured
                yield ToolUse(
                    id=call,
                    name=asked.name,
                    input=asked.input,
                    output="\n".join(p.text for p in block.content if isinstance(p, TextBlock)),
                    is_error=block.is_error,
                    at=at,
                    agent_id=message.agent_id,
                    project=message.session.project,
                )

    def _before(self, call: str) -> ToolUseBlock | None:
        """Return the newest call of an id that was read in an earlier reading."""
        self._looks += 1
        if self._looks > _MOST_LOOKS:
            return None
        told = (self._drafts.blocks(message.content or ()) for message in self._earlier(call))
        calls = [b for each in told for b in each if isinstance(b, ToolUseBlock) and b.id == call]
        return calls[-1] if calls and not self._drafts.recalled(calls) else None
