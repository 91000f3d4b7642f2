"""Observations of what a transcript tells and no hook had reported: tools, and decisions.

They have the keys that hooks give them, so whichever comes first is kept. They are stored in the
transaction that notes how far the transcript was read: none is missing and none comes twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from recollect.core.checks import MAX_LABEL_CHARS
from recollect.observations.draft import GivenObservation, ObservationDraft
from recollect.observations.links.linking import link_calls, link_turns, used_calls
from recollect.observations.links.said import SaidMessage
from recollect.observations.observation import event_key
from recollect.observations.recorder import Recorder
from recollect.observations.rows import TELLING
from recollect.sessions.exchange.stand_ins import prompt_of
from recollect.sessions.exchange.tool_uses import ToolUse
from recollect.sessions.record.content import ToolUseBlock
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.store.engine import Transaction


class TranscriptUses:
    """Records the uses of tools in transcripts as observations, and prompts that decide something.

    Args:
        recorder: Returns what stores observations; asked for with the first use.
    """

    def __init__(self, recorder: Callable[[], Recorder]) -> None:
        self._recorder = recorder

    def prepare(
        self, uses: Sequence[ToolUse], messages: Sequence[Message], project: str | None
    ) -> Sequence[ObservationDraft]:
        """Return drafts of what is captured; of prompts those that say more than their message."""
        prompts = [
            _prompted(each, key, project)
            for each in messages
            if (key := _key(_said(each))) is not None
        ]
        given = [*map(_given, uses), *prompts]
        drafts = self._recorder().prepare(given) if given else ()
        return [
            each
            for each in drafts
            if each.observation.event != "prompt" or each.observation.type in TELLING
        ]

    def store(
        self,
        tx: Transaction,
        session: Session,
        prepared: Sequence[ObservationDraft],
        messages: Sequence[Message],
    ) -> int:
        """Store the drafts, and link what hooks recorded of the calls in new messages."""
        calls = [
            block.id
            for message in messages
            for block in message.content
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
        said = {key: each.id for each in told if (key := _key(each)) is not None}
        drafts = []
        for each in prepared:
            made = each.observation
            facts = {"session_id": session.id}
            if made.event == "prompt":
                if made.event_id not in said:
                    continue  # it was stored before, or belongs to the session that was copied
                facts["message_id"] = said[made.event_id]
            elif made.tool_use_id in known:
                continue
            made = msgspec.structs.replace(made, **facts)
            drafts.append(msgspec.structs.replace(each, observation=made))
        return len(self._recorder().add(tx, drafts).fresh)


def _said(message: Message) -> SaidMessage:
    return SaidMessage(message.id, message.role, message.text, prompt_of(message))


def _key(message: SaidMessage) -> str | None:
    """Return the key by which a hook reports a prompt; None for what is no prompt of a turn."""
    if message.role != "user" or message.prompt is None or not message.text.strip():
        return None
    return event_key("prompt", message.prompt)


def _prompted(message: Message, key: str, project: str | None) -> GivenObservation:
    return GivenObservation(
        session_id=message.id,  # of which one is known when it is stored
        input=message.text,
        event_id=key,
        event="prompt",
        at=message.created_at,
        project=project,
    )


def _given(use: ToolUse) -> GivenObservation:
    return GivenObservation(
        session_id=use.id,  # of which one is known when it is stored
        tool_name=" ".join(use.name.split())[:MAX_LABEL_CHARS],
        input=use.input,
        output=None if use.is_error else use.output,
        error=use.output if use.is_error else None,
        tool_use_id=use.id,
        agent_id=use.agent_id,
        event="tool_failed" if use.is_error else "tool",
        at=use.at,
        project=use.project,
    )
