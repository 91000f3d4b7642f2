"""An answer while it arrives: passed on in pieces and blocks, stored as a growing message.

Blocks are the parts that a channel may send on their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from recollect.core.decoding import convert_value
from recollect.core.errors import RecollectError
from recollect.models.language.model import Completion
from recollect.respond.inbox import Inbox, JoinedMessages
from recollect.respond.pending import Ongoing, Pending
from recollect.respond.prompt import NO_REPLY
from recollect.respond.reply import EMPTY, EventKind, Reply, ReplyEvent
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.content import ContentBlock
from recollect.sessions.record.draft import Draft
from recollect.sessions.record.message import UNFINISHED, Message
from recollect.sessions.record.session import Session
from recollect.sessions.record.token_usage import TokenUsage
from recollect.sessions.record.transcript_rows import UNNAMED
from recollect.sessions.streaming import GrowingMessage, MessageStream
from recollect.sessions.transcripts import check_holder
from recollect.store.engine import Transaction
from recollect.text.markdown.fences import lines_outside

BLOCK_CHARS = 800
"""A block ends with the first paragraph after so many characters; OpenClaw's lower limit."""


class Answer:
    """The answer to what is answered together.

    Args:
        access: The records, and their owner.
        inbox: Where the rows are.
        batch: What is answered.
        ongoing: Says whether a newer message may still join.
        listeners: Who gets the pieces.
        senders: Those of them who get blocks too: what several wait for is to be sent once.
        also: Ids of earlier messages that it answers as well.
    """

    def __init__(
        self,
        access: SessionAccess,
        inbox: Inbox,
        batch: JoinedMessages,
        ongoing: Ongoing,
        listeners: Sequence[Pending],
        *,
        senders: Sequence[Pending] = (),
        also: Sequence[str] = (),
    ) -> None:
        self._access, self._inbox, self._batch = access, inbox, batch
        self._ongoing, self._also = ongoing, also
        self._listeners, self._senders = listeners, senders
        self._row = batch.rows[-1]
        turn = batch.sender or UNNAMED
        self._growing = GrowingMessage(access, self._row.session_id, self._guard, turn)
        self._stream = MessageStream(
            self._growing, self._draft, access.drafts.redacted, access.clock
        )
        self._blocks = BlockCutter()
        self._held_back = ""
        """What arrived, until it cannot be `NO_REPLY` any more."""
        self._text: list[str] = []
        self._is_out = self._is_last = False
        self.reply: Reply | None = None
        """As far as it is known here; None until the answer is stored."""

    def take(self, piece: str) -> None:
        """Pass on a piece, and store it now and then; nothing where the answer was cut off."""
        if self._ongoing.cancellation.is_cancelled:
            return
        if not self._is_out:
            self._held_back += piece
            if not NO_REPLY.startswith(self._held_back.strip()):
                self._begin()
            return
        self._pass_on(piece)

    def finish(self, completion: Completion) -> Reply | None:
        """Store the answer, and what became of its rows, in one transaction.

        Returns:
            Why it failed; None if there is an answer, or it was cut off.
        """
        is_silent = False
        if not self._is_out:
            self._held_back = self._held_back or completion.text
            if not self._held_back.strip():
                return EMPTY
            is_silent = self._held_back.strip() == NO_REPLY
            if not is_silent:
                self._begin()
        if self._ongoing.cancellation.is_cancelled:
            return None
        message: Message | None = None
        if is_silent:
            self._inbox.settle(self._batch.rows, "silent")
        else:
            self._is_last = True
            counted = convert_value(completion.use, TokenUsage, from_attributes=True)
            message = self._stream.finish(usage=counted, model=completion.model)
            self._tell("block", self._blocks.rest())
        self.reply = Reply(
            status="silent" if is_silent else "answered",
            text="".join(self._text).strip(),
            session_id=self._row.session_id,
            event_id=self._row.event_id,
            inbound_seq=self._batch.seq,
            seq=None if message is None else message.seq,
            model=completion.model,
            use=completion.use,
            usd=completion.usd,
        )
        return None

    def keep(self) -> str:
        """Store what arrived, marked as unfinished, and return it."""
        if self._is_out:
            with suppress(RecollectError):  # it is kept as far as it was stored before
                self._stream.flush()
        return "".join(self._text).strip()

    def _begin(self) -> None:
        """Let the first piece out, unless a newer message joins."""
        if self._inbox.has_later(self._batch):
            self._ongoing.cut_off("newer", "")
        if not self._ongoing.begin_speaking():
            return
        self._is_out = True
        self._pass_on(self._held_back.lstrip())
        # From now on it has its place in the transcript, before messages that come meanwhile.
        self._growing.save(self._draft([], {UNFINISHED: True}), finished=False)

    def _pass_on(self, piece: str) -> None:
        self._text.append(piece)
        self._tell("piece", piece)
        for block in self._blocks.add(piece):
            self._tell("block", block)
        self._stream.add(piece)

    def _tell(self, kind: EventKind, text: str) -> None:
        for listener in (self._senders if kind == "block" else self._listeners) if text else ():
            listener.tell(ReplyEvent(kind=kind, text=text))

    def _draft(self, blocks: list[ContentBlock], more: Mapping[str, Any]) -> Draft:
        return self._access.drafts.session(
            self._row.session_id,
            lambda it: it.message(
                "assistant", blocks, metadata=dict(more), event_id=self._row.answer_event
            ),
        )

    def _guard(self, tx: Transaction, session: Session) -> None:
        check_holder(tx, session, self._access)
        if self._is_last:
            self._inbox.answered(tx, self._batch.rows, self._also)


class BlockCutter:
    """Cuts an answer at the ends of paragraphs, never inside a code block.

    The blocks together are the answer.
    """

    def __init__(self) -> None:
        self._open = ""

    def add(self, piece: str) -> list[str]:
        """Take more of the answer in; return the blocks that are complete."""
        self._open += piece
        blocks: list[str] = []
        while (end := _end_of_block(self._open)) is not None:
            blocks.append(self._open[:end])
            self._open = self._open[end:]
        return blocks

    def rest(self) -> str:
        """Return what is left at the end of the answer; empty if nothing is."""
        rest, self._open = self._open, ""
        return rest


def _end_of_block(text: str) -> int | None:
    """Return the end of the first paragraph that makes a block long enough; None if none does."""
    if len(text) <= BLOCK_CHARS or "\n\n" not in text[BLOCK_CHARS - 2 :]:
        return None
    offset = 0
    for line, is_outside in lines_outside(text):
        is_blank = not line.strip() and is_outside and offset > 0
        offset = min(offset + len(line) + 1, len(text))
        if is_blank and offset > BLOCK_CHARS and offset < len(text):
            return offset
    return None
