"""What comes back for a message: events while it is answered, and one reply.

What people read where a message could not be answered says that it is kept.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.errors import RecollectError
from recollect.text.boundaries import brief_repr

ReplyStatus = Literal[
    "answered",
    "silent",
    "joined",
    "edited",
    "noted",
    "heard",
    "command",
    "failed",
    "cancelled",
]
"""What became of a message. ``silent``: the model had nothing to say. ``joined``: it is answered
together with a newer one. ``edited``: it replaced a message that waits. ``noted``: it edits one
that was answered. ``heard``: it did not call the agent."""
EventKind = Literal["typing", "piece", "block", "reply"]


class PromptItem(msgspec.Struct, frozen=True, kw_only=True):
    """Something of the memory that was put into a prompt.

    Attributes:
        source: ``context``, ``memory``, ``sessions``, ``observations``, ``facts``, ``episodes``,
            ``history`` or ``transcript``.
        ref: The id of the record, or the path and lines of a memory file.
        tokens: What it costs.
        score: How well it fits the message, 0 to 1; None where it was not searched for.
        why: The parts of the score.
    """

    source: str
    ref: str
    tokens: int
    score: float | None = None
    why: dict[str, float] = {}


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a message.

    Attributes:
        status: See `ReplyStatus`.
        text: What to show: the answer, the outcome of a command, the line of a failure; empty
            where there is nothing to show.
        session_id: The session that has the message.
        event_id: That of the message.
        inbound_seq: The seq of the message, where it is in the session.
        seq: The seq of the answer.
        code: The code of a failure.
        hint: What to do about it.
        model: What answered, ``provider:model``.
        use: Tokens as the provider counted them.
        usd: The cost; None where it is not known.
        context: What of the memory was in the prompt.
    """

    __repr__ = brief_repr

    status: ReplyStatus
    text: str = ""
    session_id: str = ""
    event_id: str = ""
    inbound_seq: int | None = None
    seq: int | None = None
    code: str | None = None
    hint: str | None = None
    model: str | None = None
    use: TokenUse | None = None
    usd: float | None = None
    context: tuple[PromptItem, ...] = ()


class ReplyEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened while a message is answered.

    Attributes:
        kind: ``typing``: the model is asked. ``piece``: more of the answer. ``block``: a part of
            the answer that a channel may send on its own; the blocks together are the answer.
            ``reply``: the end; always the last one.
        text: Of a piece or block.
        reply: Of the end.
    """

    kind: EventKind
    text: str = ""
    reply: Reply | None = None


_KEPT = "Your message is kept."
_AGAIN = "try again: send it once more"
NO_MODEL = Reply(
    status="failed",
    text=f"I have no language model to answer with. {_KEPT}",
    code="model_missing",
    hint="set language.provider, and add respond to language.uses",
)
EMPTY = Reply(
    status="failed",
    text=f"The language model returned an empty answer. {_KEPT}",
    code="answer_unusable",
    hint=_AGAIN,
)
BROKEN = Reply(
    status="failed",
    text=f"Something unexpected went wrong. {_KEPT}",
    code=RecollectError.code,
    hint="read the log, and report it",
)
INTERRUPTED = Reply(
    status="failed",
    text="The command was interrupted, and may not have run.",
    code="interrupted",
    hint=_AGAIN,
)


def failure_of(error: RecollectError) -> Reply:
    """Return what people read of an error."""
    text = f"I could not answer: {error.message}. {_KEPT}"
    return Reply(status="failed", text=text, code=error.code, hint=error.hint or _AGAIN)


def stored_failure(code: str | None) -> Reply:
    """Return what people read of a failure of which only the code is stored."""
    failures = {each.code: each for each in (NO_MODEL, INTERRUPTED)}
    return failures.get(code or "") or Reply(
        status="failed",
        text=f"I could not answer. {_KEPT}",
        code=code or RecollectError.code,
        hint=_AGAIN,
    )


def with_failure(reply: Reply, failure: Reply) -> Reply:
    """Return a failure as the reply to the message of another reply."""
    return msgspec.structs.replace(
        failure,
        session_id=reply.session_id,
        event_id=reply.event_id,
        inbound_seq=reply.inbound_seq,
    )
