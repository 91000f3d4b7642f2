"""Stand-ins give way: the lines of a transcript replace the messages that hooks reported.

A stand-in whose line comes becomes that line and keeps its id. Those at the end of the session move
after the lines that came, so that the transcript keeps its own order; messages that a fork or
a summary refers to keep their seq.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import LiteralString

import msgspec

from recollect.exchange.formats.extras import LINE, MESSAGE, foreign_of, part_of
from recollect.sessions.mirror.mirror import SESSION_KIND
from recollect.sessions.record.draft import Draft, encode_facts, encoded_content
from recollect.sessions.record.message import STAND_IN, Message
from recollect.sessions.record.message_rows import SELECT_MESSAGES, message_of, remove_messages
from recollect.sessions.record.session import Session
from recollect.sessions.record.transcript_rows import (
    MESSAGE_KIND,
    REWRITE_KIND,
    rewrite_message,
)
from recollect.store.columns import first_integer
from recollect.store.engine import Transaction
from recollect.store.journal import record_changes

PROMPT_ID = "promptId"
"""The field of a line that names its turn."""
_STAND_INS: LiteralString = (
    SELECT_MESSAGES + "event_id >= 'hook:' AND event_id < 'hook;' AND session_id = ? ORDER BY seq"
)
_IS_TOLD: LiteralString = "SELECT 1 FROM messages WHERE event_id = ? AND session_id = ?"
_PINNED: LiteralString = """
    SELECT coalesce(max(seq), 0) FROM (
        SELECT forked_at_seq AS seq FROM sessions WHERE parent_id = ?1
        UNION ALL SELECT last_seq FROM compactions WHERE session_id = ?1
        UNION ALL SELECT to_seq FROM withdrawn_ranges WHERE session_id = ?1)
"""
_SHORTEN: LiteralString = "UPDATE sessions SET last_seq = ? WHERE id = ?"


def give_way(
    tx: Transaction, session: Session, drafts: Sequence[Draft]
) -> tuple[Session, list[Draft]]:
    """Take out the stand-ins of a session that lines of its transcript replace or precede.

    Returns:
        The session after that, and the drafts to append: those of the lines, then the stand-ins
        whose lines are still to come.
    """
    if not drafts or tx.row(_IS_TOLD, (drafts[-1].message.event_id, session.id)) is not None:
        return session, list(drafts)
    rows = map(message_of, tx.all(_STAND_INS, (session.id,)))
    stand_ins = [each for each in rows if isinstance(each.metadata.get(STAND_IN), dict)]
    if not stand_ins:
        return session, list(drafts)
    book = _Matches(stand_ins)
    replaced = [book.replaced(draft) for draft in drafts]
    moving = _at_the_end(session, stand_ins, first_integer(tx.row(_PINNED, (session.id,))))
    stays = {each.id: each for each in stand_ins if each not in moving}
    for draft in replaced:
        if draft.message.id in stays:
            _rewrite(tx, session, stays[draft.message.id], draft)
    waiting = [each for each in moving if book.waits(each)]
    now = drafts[-1].message.recorded_at
    kept_ids = {draft.message.id for draft in replaced} | {each.id for each in waiting}
    session = _taken_out(tx, session, moving, kept_ids, now)
    lines = [draft for draft in replaced if draft.message.id not in stays]
    return session, [*lines, *map(_draft_of, waiting)]


def prompt_of(message: Message) -> str | None:
    """Return the program's id of the turn that a line begins; None if it has none."""
    turn = part_of(foreign_of(message.metadata), LINE).get(PROMPT_ID)
    return turn if isinstance(turn, str) else None


def ends_turn(message: Message) -> bool:
    """Return whether a line of a model says that its turn is over."""
    fields = part_of(foreign_of(message.metadata), MESSAGE)
    return fields.get("stop_reason") == "end_turn"


class _Matches:
    """Finds the stand-in of each line of a transcript, in order."""

    def __init__(self, stand_ins: Sequence[Message]) -> None:
        self._left = list(stand_ins)
        self._turn: str | None = None
        self._told_until = 0

    def replaced(self, draft: Draft) -> Draft:
        """Return a draft under the id of its stand-in, or as it is."""
        message = draft.message
        if message.role == "user":
            self._turn = prompt_of(message)
            self._told_until = max(self._told_until, message.created_at)
        match = next((each for each in self._left if self._stands_for(each, message)), None)
        if match is None:
            return draft
        self._left.remove(match)
        return msgspec.structs.replace(draft, message=msgspec.structs.replace(message, id=match.id))

    def waits(self, stand_in: Message) -> bool:
        """Return whether the line of a stand-in is still to come.

        A transcript has every answer before the next prompt: an earlier stand-in without an equal
        line is there in other words.
        """
        is_over = stand_in.role == "assistant" and stand_in.created_at < self._told_until
        return stand_in in self._left and not is_over

    def _stands_for(self, stand_in: Message, message: Message) -> bool:
        if stand_in.role != message.role:
            return False
        turn = stand_in.metadata[STAND_IN].get("prompt")
        if self._turn is not None and turn not in {None, self._turn}:
            return False
        words, message_words = _words(stand_in.text), _words(message.text)
        if message.role == "assistant":
            return bool(message_words) and words.endswith(message_words)
        return words == message_words or (turn is not None and turn == self._turn)


def _words(text: str) -> str:
    return " ".join(text.split())


def _at_the_end(session: Session, stand_ins: Sequence[Message], pinned: int) -> list[Message]:
    """Return the stand-ins at the end of a session that no fork and no summary refers to."""
    messages: list[Message] = []
    for each in reversed(stand_ins):
        if each.seq != session.last_seq - len(messages) or each.seq <= pinned:
            break
        messages.append(each)
    return messages[::-1]


def _taken_out(
    tx: Transaction, session: Session, moving: Sequence[Message], kept_ids: set[str], now: int
) -> Session:
    if not moving:
        return session
    ids = [each.id for each in moving]
    remove_messages(tx, session.tenant, session.id, ids, reused=True)
    last = moving[0].seq - 1
    tx.execute(_SHORTEN, (last, session.id))
    removed_ids = [each.id for each in moving if each.id not in kept_ids]
    again = [each.id for each in moving if each.id in kept_ids]
    record = partial(record_changes, tx, tenant=session.tenant, at=now)
    if removed_ids:
        record(kind=MESSAGE_KIND, refs=removed_ids, op="delete")
    if again:
        record(kind=REWRITE_KIND, refs=again, op="put")
    record(kind=SESSION_KIND, refs=[session.id], op="put")
    count = session.message_count - len(moving)
    return msgspec.structs.replace(session, last_seq=last, message_count=count)


def _rewrite(tx: Transaction, session: Session, stand_in: Message, draft: Draft) -> None:
    """Replace a stand-in by the line of its transcript."""
    message = draft.message
    new = msgspec.structs.replace(
        stand_in, event_id=message.event_id, foreign_id=message.foreign_id
    )
    rewrite_message(tx, session, new, draft, finished=True)


def _draft_of(message: Message) -> Draft:
    encoded, _ = encoded_content(message.blocks, message.metadata)
    facts = encode_facts(message.metadata)
    return Draft(message=message, encoded_content=encoded, encoded_metadata=facts)
