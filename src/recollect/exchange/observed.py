"""Observations of what a transcript contains and no hook had reported: tools, and decisions.

They have the keys that hooks give them, so whichever comes first is kept. They are stored in the
transaction that records how far the transcript was read: none is missing or stored twice. One line
has the call of a tool, a later one its result; between them the reading may have stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal

import msgspec

from recollect.core.checks import MAX_LABEL_CHARS
from recollect.core.clock import to_datetime
from recollect.exchange.stand_ins import ends_turn, prompt_of
from recollect.exchange.transcript import ForeignMessage
from recollect.observations.draft import GivenObservation, ObservationDraft
from recollect.observations.links.linking import link_calls, link_turns, used_calls
from recollect.observations.links.said import SaidMessage, last_prompt
from recollect.observations.observation import event_key
from recollect.observations.recorder import ObservationParts, Recorder
from recollect.observations.rows import TELLING
from recollect.sessions.record.content import ContentBlock, TextBlock, ToolResultBlock, ToolUseBlock
from recollect.sessions.record.draft import DraftMaker
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.store.engine import Transaction

_MOST_LOOKS = 100
"""Calls that are looked for in earlier lines: each look reads all of them. A reading ends between
a handful of calls and their results; results without any call are endless."""
_WORDS = frozenset({"prompt", "answer"})


class Observing:
    """Records the uses of tools in transcripts as observations, and words that decide something.

    Args:
        parts: Returns the parts that record observations; called with the first use. None records
            nothing.
    """

    def __init__(self, parts: Callable[[], ObservationParts] | None) -> None:
        self._parts = parts

    @cached_property
    def _recorder(self) -> Recorder:
        if self._parts is None:
            raise RuntimeError("nothing is recorded here")
        return Recorder(self._parts())

    def prepare(
        self, uses: Sequence[GivenObservation], messages: Sequence[Message], project: str | None
    ) -> Sequence[ObservationDraft]:
        """Return drafts of the captured calls, and of texts that add to their message.

        Args:
            uses: The uses of the tools of a session.
            messages: What was said in it, some of it perhaps stored already.
            project: The folder of the session.
        """
        if self._parts is None:
            return ()
        words = [_worded(each, project) for each in messages if _part(each) is not None]
        all_drafts = [*uses, *words]
        drafts = self._recorder.prepare(all_drafts) if all_drafts else ()
        return [
            each
            for each in drafts
            if each.observation.event not in _WORDS or each.observation.type in TELLING
        ]

    def store(
        self,
        tx: Transaction,
        session: Session,
        prepared: Sequence[ObservationDraft],
        messages: Sequence[Message],
    ) -> int:
        """Store the drafts, and link the observations of hooks to the calls in new messages.

        Returns:
            The number of new observations.
        """
        if self._parts is None:
            return 0
        calls = [
            block.id
            for message in messages
            for block in message.blocks
            if isinstance(block, ToolUseBlock) and block.id is not None
        ]
        if calls:
            link_calls(tx, session.id, calls, messages[-1].recorded_at)
        texts = [SaidMessage(each.id, each.role, each.text, prompt_of(each)) for each in messages]
        if texts:
            link_turns(tx, session.id, texts, messages[-1].recorded_at)
        if not prepared:
            return 0
        uses = [each.observation.tool_use_id for each in prepared]
        reported = used_calls(tx, session.id, uses)  # a hook may have reported another outcome
        words = any(each.observation.event in _WORDS for each in prepared)
        turns = _turns(tx, session, messages, texts) if words else {}
        drafts = []
        for each in prepared:
            observation = each.observation
            facts: dict[str, str | None] = {"session_id": session.id}
            if observation.event in _WORDS:
                message, turn = turns.get(observation.session_id, (None, None))
                if turn is None:
                    continue  # it was stored before, or belongs to the session that was copied
                facts |= {"message_id": message, "event_id": event_key(observation.event, turn)}
            elif observation.tool_use_id in reported:
                continue
            observation = msgspec.structs.replace(observation, **facts)
            drafts.append(msgspec.structs.replace(each, observation=observation))
        return len(self._recorder.add(tx, drafts).fresh)


def _part(message: Message) -> Literal["prompt", "answer"] | None:
    """Return whether a line is the prompt or the answer of a turn; None for any other."""
    if message.foreign_id is None or not message.text.strip():
        return None
    if message.role == "user":
        return None if prompt_of(message) is None else "prompt"
    return "answer" if message.role == "assistant" and ends_turn(message) else None


def _turns(
    tx: Transaction, session: Session, messages: Sequence[Message], texts: Sequence[SaidMessage]
) -> dict[str, tuple[str, str | None]]:
    """Return the id and the turn of each of some new messages, by its id in the other program."""
    turn = last_prompt(tx, session.id, messages[0].seq) if messages else None
    turns = {}
    for each, message in zip(messages, texts, strict=True):
        turn = message.prompt or turn
        if each.foreign_id is not None:
            turns[each.foreign_id] = (each.id, turn)
    return turns


def _worded(message: Message, project: str | None) -> GivenObservation:
    part = _part(message)
    return GivenObservation(
        session_id=message.foreign_id or "",  # a turn's prompt or answer is known when it is stored
        input=message.text if part == "prompt" else None,
        output=message.text if part == "answer" else None,
        event=part,
        at=to_datetime(message.created_at),
        project=project,
    )


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
    ) -> Iterator[GivenObservation]:
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
                is_waiting = call in self._waiting
                use = self._waiting.pop(call) if is_waiting else self._before(call)
                if use is None or call in recalled:
                    continue  # only the call shows whether it may be captured
                output = "\n".join(p.text for p in block.content if isinstance(p, TextBlock))
                yield GivenObservation(
                    session_id=call,  # its session is known when it is stored
                    tool_name=" ".join(use.name.split())[:MAX_LABEL_CHARS],
                    input=use.input,
                    output=None if block.is_error else output,
                    error=output if block.is_error else None,
                    tool_use_id=call,
                    agent_id=message.agent_id,
                    event="tool_failed" if block.is_error else "tool",
                    at=to_datetime(at),
                    project=message.session.project,
                )

    def _before(self, call: str) -> ToolUseBlock | None:
        """Return the newest call of an id that was read in an earlier reading."""
        self._looks += 1
        if self._looks > _MOST_LOOKS:
            return None
        blocks = (self._drafts.blocks(message.content or ()) for message in self._earlier(call))
        calls = [b for each in blocks for b in each if isinstance(b, ToolUseBlock) and b.id == call]
        return calls[-1] if calls and not self._drafts.recalled(calls) else None
