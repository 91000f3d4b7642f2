"""Which message of a transcript says what an observation is of, or asked for its tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

import msgspec

from recollect.observations.observation import Observation
from recollect.store.columns import text, typed_rows
from recollect.store.engine import Transaction

_CALL: LiteralString = """
    SELECT message_id FROM tool_calls WHERE session_id = ? AND call_id = ?
"""
_TURN: LiteralString = """
    SELECT json_extract(metadata, '$.foreign.line.promptId') AS prompt FROM messages
    WHERE session_id = ? AND seq < ? AND role = 'user' AND prompt IS NOT NULL
    ORDER BY seq DESC LIMIT 1
"""
_TOLD: LiteralString = """
    SELECT id, role, text, json_extract(metadata, '$.foreign.line.promptId') FROM messages
    WHERE session_id = ? AND foreign_id IS NOT NULL ORDER BY seq DESC LIMIT 200
"""
"""The newest lines of a transcript: those of the turn that a late hook reports."""


class SaidMessage(msgspec.Struct, frozen=True, array_like=True):
    """A message of a program's transcript; ``prompt`` is the id of its turn there."""

    id: str
    role: str
    text: str
    prompt: str | None


def said_by(event: str, event_id: str, words: str, messages: Sequence[SaidMessage]) -> str | None:
    """Return the id of the message that is the prompt or answer of an observation; None if none is.

    Messages come oldest first. A prompt is the only one of its turn, or the one with its words; an
    answer is the last message of its turn that ends it.
    """
    prompt = event_id.partition(":")[2]
    turn, candidates = None, list[SaidMessage]()
    for each in messages:
        if each.role == "user":
            turn = each.prompt
        if turn != prompt:
            continue
        if event == "prompt" and each.role == "user":
            candidates.append(each)
        elif event == "answer" and each.role == "assistant" and _ends(words, each.text):
            candidates = [each]
    same = [each for each in candidates if each.text.strip() == words.strip()]
    matches = candidates if len(candidates) == 1 else same
    return matches[0].id if matches else None


def said_in(tx: Transaction, draft: Observation) -> str | None:
    """Return the id of the message that says the same, or called the tool; None if not stored."""
    if draft.event in {"prompt", "answer"} and draft.event_id is not None:
        rows = typed_rows(tx.all(_TOLD, (draft.session_id,)), SaidMessage)
        words = draft.input if draft.event == "prompt" else draft.output
        return said_by(draft.event, draft.event_id, words, rows[::-1])
    if draft.tool_use_id is None:
        return None
    row = tx.row(_CALL, (draft.session_id, draft.tool_use_id))
    return None if row is None else text(row[0])


def last_prompt(tx: Transaction, session_id: str, before: int) -> str | None:
    """Return the program's id of the turn that goes on at a seq; None where it is not known."""
    row = tx.row(_TURN, (session_id, before))
    return None if row is None else text(row[0])


def _ends(words: str, text: str) -> bool:
    return bool(text.strip()) and words.strip().endswith(text.strip())
