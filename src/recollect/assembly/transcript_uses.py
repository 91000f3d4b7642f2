"""Observations of what a transcript contains and no hook had reported: tools, and decisions.

They have the keys that hooks give them, so whichever comes first is kept. They are stored in the
transaction that records how far the transcript was read: none is missing or stored twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from recollect.core.checks import MAX_LABEL_CHARS
from recollect.core.clock import to_datetime
from recollect.exchange.stand_ins import ends_turn, prompt_of
from recollect.exchange.tool_uses import ToolUse
from recollect.observations.draft import GivenObservation, ObservationDraft
from recollect.observations.links.linking import link_calls, link_turns, used_calls
from recollect.observations.links.said import SaidMessage, last_prompt
from recollect.observations.observation import event_key
from recollect.observations.recorder import Recorder
from recollect.observations.rows import TELLING
from recollect.sessions.record.content import ToolUseBlock
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.store.engine import Transaction


class TranscriptUses:
    """Records the uses of tools in transcripts as observations, and words that decide something.

    Args:
        recorder: Returns the recorder of observations; called with the first use.
    """

    def __init__(self, recorder: Callable[[], Recorder]) -> None:
        self._recorder = recorder

    def prepare(
        self, uses: Sequence[ToolUse], messages: Sequence[Message], project: str | None
    ) -> Sequence[ObservationDraft]:
        """Return drafts of what is captured; of texts, those that add to their message."""
        words = [_worded(each, project) for each in messages if _part(each) is not None]
        given = [*map(_given, uses), *words]
        drafts = self._recorder().prepare(given) if given else ()
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
        """Store the drafts, and link the observations of hooks to the calls in new messages."""
        calls = [
            block.id
            for message in messages
            for block in message.blocks
            if isinstance(block, ToolUseBlock) and block.id is not None
        ]
        if calls:
            link_calls(tx, session.id, calls, messages[-1].recorded_at)
        told = [_said(each) for each in messages]
        if told:
            link_turns(tx, session.id, told, messages[-1].recorded_at)
        if not prepared:
            return 0
        uses = [each.observation.tool_use_id for each in prepared]
        known = used_calls(tx, session.id, uses)  # a hook may have reported another outcome
        words = any(each.observation.event in _WORDS for each in prepared)
        turns = _turns(tx, session, messages, told) if words else {}
        drafts = []
        for each in prepared:
            made = each.observation
            facts: dict[str, str | None] = {"session_id": session.id}
            if made.event in _WORDS:
                message, turn = turns.get(made.session_id, (None, None))
                if turn is None:
                    continue  # it was stored before, or belongs to the session that was copied
                facts |= {"message_id": message, "event_id": event_key(made.event, turn)}
            elif made.tool_use_id in known:
                continue
            made = msgspec.structs.replace(made, **facts)
            drafts.append(msgspec.structs.replace(each, observation=made))
        return len(self._recorder().add(tx, drafts).fresh)


_WORDS = frozenset({"prompt", "answer"})


def _part(message: Message) -> Literal["prompt", "answer"] | None:
    """Return whether a line is the prompt or the answer of a turn; None for any other."""
    if message.foreign_id is None or not message.text.strip():
        return None
    if message.role == "user":
        return None if prompt_of(message) is None else "prompt"
    return "answer" if message.role == "assistant" and ends_turn(message) else None


def _said(message: Message) -> SaidMessage:
    return SaidMessage(message.id, message.role, message.text, prompt_of(message))


def _turns(
    tx: Transaction, session: Session, messages: Sequence[Message], told: Sequence[SaidMessage]
) -> dict[str, tuple[str, str | None]]:
    """Return the id and the turn of each of some new messages, by its id in the other program."""
    turn = last_prompt(tx, session.id, messages[0].seq) if messages else None
    found = {}
    for each, said in zip(messages, told, strict=True):
        turn = said.prompt or turn
        if each.foreign_id is not None:
            found[each.foreign_id] = (each.id, turn)
    return found


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


def _given(use: ToolUse) -> GivenObservation:
    return GivenObservation(
        session_id=use.id,  # a turn's prompt or answer is known when it is stored
        tool_name=" ".join(use.name.split())[:MAX_LABEL_CHARS],
        input=use.input,
        output=None if use.is_error else use.output,
        error=use.output if use.is_error else None,
        tool_use_id=use.id,
        agent_id=use.agent_id,
        event="tool_failed" if use.is_error else "tool",
        at=to_datetime(use.at),
        project=use.project,
    )
