"""Links from what hooks recorded to the messages that a transcript brings later."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import LiteralString

import msgspec

from recollect.observations.links.said import SaidMessage, said_by
from recollect.observations.observation import event_key
from recollect.observations.rows import renew_observation
from recollect.store.columns import text
from recollect.store.engine import Row, Transaction

_UNLINKED: LiteralString = """
    SELECT t.message_id, o.id FROM json_each(?2) k CROSS JOIN observations o CROSS JOIN tool_calls t
    WHERE o.session_id = ?1 AND o.tool_use_id = k.value AND o.message_id IS NULL
        AND t.session_id = ?1 AND t.call_id = k.value
"""
"""CROSS JOIN fixes the order: without statistics, SQLite read all calls of the session for each."""
_UNLINKED_TURNS: LiteralString = """
    SELECT o.id, o.event, CASE o.event WHEN 'prompt' THEN o.input ELSE o.output END, o.event_id
    FROM json_each(?2) k CROSS JOIN observations o
    WHERE o.session_id = ?1 AND o.event_id = k.value AND o.message_id IS NULL
"""
_LINK: LiteralString = """
    UPDATE observations SET message_id = m.id, turn_sender = m.turn_sender
    FROM messages m WHERE m.id = ? AND observations.id = ?
"""
_USED: LiteralString = """
    SELECT o.tool_use_id FROM json_each(?2) k CROSS JOIN observations o
    WHERE o.session_id = ?1 AND o.tool_use_id = k.value AND o.event IN ('tool', 'tool_failed')
"""


def link_calls(tx: Transaction, session_id: str, calls: Sequence[str], at: int) -> None:
    """Link the observations of a session to the messages that asked for their tools, by call."""
    for link in tx.all(_UNLINKED, _among(session_id, calls)):
        _link(tx, link, at)


def link_turns(tx: Transaction, session_id: str, messages: Sequence[SaidMessage], at: int) -> None:
    """Link the prompts and answers that hooks reported to new messages of their transcript."""
    prompts = dict.fromkeys(each.prompt for each in messages if each.prompt is not None)
    keys = [event_key(event, each) for each in prompts for event in ("prompt", "answer")]
    for id_, event, words, event_id in tx.all(_UNLINKED_TURNS, _among(session_id, keys)):
        message = said_by(text(event), text(event_id), text(words), messages)
        if message is not None:
            _link(tx, (message, id_), at)


def used_calls(tx: Transaction, session_id: str, calls: Sequence[str | None]) -> set[str]:
    """Return the tool calls, of those given, whose outcome a session has an observation of."""
    return {text(call) for (call,) in tx.all(_USED, _among(session_id, calls))}


def _among(session_id: str, names: Sequence[str | None]) -> tuple[str, str]:
    return session_id, msgspec.json.encode(names).decode()


def _link(tx: Transaction, link: Row, at: int) -> None:
    """Link an observation, ``link[1]``, to a message, ``link[0]``."""
    renew_observation(tx, text(link[1]), partial(tx.execute, _LINK, link), at)
