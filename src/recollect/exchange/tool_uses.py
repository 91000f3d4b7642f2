"""Tool uses of a transcript: each call with its result, for the recorder that is passed in.

One line has the call, a later one the result; between them the reading may have stopped. The
recorder is passed in because this package knows no observations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Protocol

import msgspec

from recollect.exchange.transcript import ForeignMessage
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
"""Calls that are looked for in earlier lines: each look reads all of them. A reading ends between
a handful of calls and their results; results without any call are endless."""


class ToolUse(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that was used, and its result.

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
    """Records the uses of tools; a use that is recorded already is left as it is."""

    def prepare(
        self, uses: Sequence[ToolUse], messages: Sequence[Message], project: str | None
    ) -> Sequence[Any]:
        """Return the records to be stored for a session; called outside of transactions.

        Args:
            uses: The uses of its tools.
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
        """Store prepared records in the transaction that stores the messages of their session.

        Args:
            tx: Of ``records.db``; the messages are in it already.
            session: The session of the uses.
            prepared: The result of `prepare` for it.
            messages: Those that are new; the records of their calls are linked to them.

        Returns:
            The number of new records.
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
        earlier: Yields the messages before the start of this reading that hold a text.
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
        """Yield the uses that a message completes; note the calls that it makes.

        Args:
            message: The message, with its sub-agent and session.
            blocks: Its blocks, as they are stored.
            at: When it was said, ms UTC.
            recalled: The ids of those of its calls and results that asked this memory.
        """
        for block in blocks:
            if isinstance(block, ToolUseBlock) and block.id is not None:
                self._waiting[block.id] = None if block.id in recalled else block
            elif isinstance(block, ToolResultBlock) and (call := block.tool_use_id) is not None:
                known = call in self._waiting
                asked = self._waiting.pop(call) if known else self._before(call)
                if asked is None or call in recalled:
                    continue  # only the call shows whether it may be captured
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
