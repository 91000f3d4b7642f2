"""Observations of what tools did, as transcripts tell it: those that no hook reported before.

They have the keys that hooks give them, so whichever comes first is kept. They are stored in the
transaction that notes how far the transcript was read: none is missing and none comes twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from recollect.core.checks import MAX_LABEL_CHARS
from recollect.observations.draft import GivenObservation, ObservationDraft
from recollect.observations.links.linking import link_calls, link_turns, used_calls
from recollect.observations.links.told import ToldMessage
from recollect.observations.recorder import Recorder
from recollect.sessions.exchange.stand_ins import prompt_of
from recollect.sessions.exchange.tool_uses import ToolUse
from recollect.sessions.record.content import ToolUseBlock
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.store.engine import Transaction


class TranscriptUses:
    """Records the uses of tools in transcripts as observations.

    Args:
        recorder: Returns what stores observations; asked for with the first use.
    """

    def __init__(self, recorder: Callable[[], Recorder]) -> None:
        self._recorder = recorder

    def prepare(self, uses: Sequence[ToolUse]) -> Sequence[ObservationDraft]:
        """Return drafts of those that are captured."""
        return self._recorder().prepare([_given(use) for use in uses])

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
        told = [ToldMessage(m.id, m.role, m.text, prompt_of(m)) for m in messages]
        if told:
            link_turns(tx, session.id, told, messages[-1].recorded_at)
        if not prepared:
            return 0
        uses = [each.observation.tool_use_id for each in prepared]
        known = used_calls(tx, session.id, uses)  # a hook may have reported another outcome
        drafts = [
            msgspec.structs.replace(
                each,
                observation=msgspec.structs.replace(each.observation, session_id=session.id),
            )
            for each in prepared
            if each.observation.tool_use_id not in known
        ]
        return len(self._recorder().add(tx, drafts).fresh)


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
