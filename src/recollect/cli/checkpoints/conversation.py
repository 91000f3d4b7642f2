"""Rewinds of the conversation alone: messages leave a session and come back, files stay."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal, TypeAlias

from recollect.cli.invocation import answer, answers_json, require_agreement
from recollect.cli.output.screen import next_steps, show
from recollect.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:  # for a name only
    import typer

    from recollect.answers.checkpoint import ConversationRewind
    from recollect.memory import Memory

RewindScopeName: TypeAlias = Literal["files", "conversation", "both"]


def withdraw_messages(
    context: typer.Context,
    memory: Memory,
    target: str,
    session_id: str | None,
    *,
    only_plan: bool,
    agreed: bool,
) -> None:
    """Take the messages since a target out of its session, once somebody agreed.

    Raises:
        NotFound: the target does not exist.
        InvalidInput: the session has no message after it.
    """
    from recollect.answers.checkpoint import ConversationRewind

    whose, seq = _position(memory, target, session_id)
    messages = memory.sessions.messages(whose)
    if not messages or messages[-1].seq <= seq:
        raise InvalidInput("the session has no message after this", hint="name an earlier one")
    document = ConversationRewind(
        status="planned",
        rewind_id=None,
        session_id=whose,
        first_seq=seq + 1,
        last_seq=messages[-1].seq,
    )
    if only_plan:
        answer(context, document, lambda: _show(document))
        return
    if not agreed:
        _require_agreement(context, document)
    withdrawal = memory.sessions.rewind(whose, seq)
    result = ConversationRewind(
        status="done",
        rewind_id=withdrawal.id,
        session_id=whose,
        first_seq=seq + 1,
        last_seq=document.last_seq,
    )
    answer(context, result, lambda: _show(result))


def returned_messages(context: typer.Context, memory: Memory, rewind_id: str) -> bool:
    """Return whether an id is that of a rewind of a conversation alone, which is undone then.

    Raises:
        RewindConflict: there are newer messages.
    """
    from recollect.answers.checkpoint import ConversationRewind

    try:
        memory.checkpoints.get_rewind(rewind_id)
    except NotFound:
        withdrawal = memory.sessions.undo_rewind(rewind_id)
    else:
        return False
    undone = ConversationRewind(
        status="undone",
        rewind_id=withdrawal.id,
        session_id=withdrawal.session_id,
        first_seq=withdrawal.from_seq,
        last_seq=withdrawal.to_seq,
    )
    answer(context, undone, lambda: _show(undone))
    return True


def _position(memory: Memory, target: str, session_id: str | None) -> tuple[str, int]:
    """Return a session, and the seq of its last message that stays."""
    try:
        checkpoint = memory.checkpoints.get(target)
    except (NotFound, InvalidInput):
        message = memory.sessions.message(target)
        return session_id or message.session_id, message.seq - 1
    return session_id or checkpoint.session_id, checkpoint.seq


def _show(document: ConversationRewind) -> None:
    span = f"the messages {document.first_seq} to {document.last_seq} of {document.session_id}"
    if document.status == "planned":
        show(("nothing was changed", "bold green"), (f": {span} would leave it", ""))
    elif document.status == "undone":
        show(("undone", "bold green"), (f": {span} are there again", ""))
    else:
        show(("done", "bold green"), (f": {span} left it", ""))
        next_steps([(f"recollect rewind --undo {document.rewind_id}", "take that back")])


def _require_agreement(context: typer.Context, document: ConversationRewind) -> None:
    offer = f"the messages {document.first_seq} to {document.last_seq} would leave the session"
    is_asked = sys.stdin.isatty() and not answers_json(context)
    if not is_asked:
        return
    require_agreement(
        context,
        offer,
        unasked=(offer, "add --yes to agree; --plan shows what it is"),
        declined=("nothing was changed", "name a later message"),
    )
