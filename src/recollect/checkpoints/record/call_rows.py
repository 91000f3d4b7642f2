"""Rows of calls of tools: checkpoints whose tool may still run, and what was changed meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

import msgspec

from recollect.checkpoints.files.state import PathState, uncaptured
from recollect.checkpoints.record.rows import (
    SELECT_CHECKPOINTS,
    Change,
    Checkpoint,
    add_files,
    add_writes,
    checkpoint_of,
)
from recollect.checkpoints.record.seal import seal
from recollect.core.decoding import decode_json
from recollect.store.columns import text
from recollect.store.engine import Transaction

UNSEEN = uncaptured("not seen before")
"""The state of what a tool may have changed before it was looked at."""
MOST_OPEN_MS = 3_600_000
"""How long a call may run; one that is older was killed together with its program."""

_OPEN: LiteralString = "kind = 'tool' AND json_extract(scope_json, '$.ended_at') IS NULL"
_CALL: LiteralString = f"""
    {SELECT_CHECKPOINTS} WHERE tenant = ? AND session_id = ? AND tool_use_id = ? ORDER BY number
"""
_OPEN_OF: LiteralString = f"""
    {SELECT_CHECKPOINTS} WHERE tenant = ? AND session_id = ? AND {_OPEN} ORDER BY number
"""
_BESIDE: LiteralString = f"""
    {SELECT_CHECKPOINTS} WHERE tenant = ? AND root = ? AND kind = 'tool' AND id <> ?
        AND coalesce(json_extract(scope_json, '$.ended_at') >= ?, created_at >= ?)
        AND number > (SELECT max(number) - 1000 FROM checkpoints WHERE tenant = ?)
        AND json_extract(scope_json, '$.paths') IS NULL
"""  # noqa: S608  # literals
_WROTE: LiteralString = """
    SELECT 1 FROM checkpoint_writes WHERE checkpoint_id = ? AND path = ? AND after = ?
"""
_CLAIMED: LiteralString = """
    SELECT 1 FROM checkpoints c JOIN checkpoint_files f ON f.checkpoint_id = c.id
    LEFT JOIN checkpoint_writes w ON w.checkpoint_id = c.id AND w.path = f.path
    WHERE c.tenant = ? AND c.root = ? AND c.number > ? AND f.path = ? AND c.kind = 'tool'
        AND (json_extract(c.scope_json, '$.paths') IS NOT NULL OR c.session_id = ?)
        AND coalesce(w.after, ?) = ?
"""
_END: LiteralString = """
    UPDATE checkpoints SET scope_json = json_set(scope_json, '$.ended_at', ?),
        tool_use_id = coalesce(?, tool_use_id) WHERE id = ?
"""
_MARKED: LiteralString = """
    SELECT 1 FROM checkpoints
    WHERE tenant = ? AND session_id = ? AND root = ? AND user_message_id = ?
"""


def calls_with(tx: Transaction, tenant: str, session_id: str, use_id: str) -> list[Checkpoint]:
    """Return the checkpoints of one call, one for each root."""
    return [checkpoint_of(row) for row in tx.rows(_CALL, (tenant, session_id, use_id))]


def open_calls(tx: Transaction, tenant: str, session_id: str) -> list[Checkpoint]:
    """Return the calls of a session whose end was not reported."""
    return [checkpoint_of(row) for row in tx.rows(_OPEN_OF, (tenant, session_id))]


def is_marked(tx: Transaction, tenant: str, of: Checkpoint) -> bool:
    """Return whether a session has a checkpoint of its last message of the user in a root."""
    return tx.row(_MARKED, (tenant, of.session_id, of.root, of.user_message_id)) is not None


def end_call(tx: Transaction, checkpoint: Checkpoint, at: int, use_id: str | None = None) -> None:
    """Store that a call ended.

    Args:
        tx: The transaction.
        checkpoint: Of the call.
        at: Ms UTC.
        use_id: The id of the call, where it is another one than before it ran.
    """
    tx.execute(_END, (at, use_id, checkpoint.id))


def files_of(tx: Transaction, checkpoint: Checkpoint) -> dict[str, PathState]:
    """Return what the paths of a checkpoint were."""
    sql: LiteralString = "SELECT path, before FROM checkpoint_files WHERE checkpoint_id = ?"
    return {
        text(path): decode_json(text(before), PathState)
        for path, before in tx.all(sql, (checkpoint.id,))
    }


def add_changes(
    tx: Transaction,
    tenant: str,
    call: Checkpoint,
    changes: Sequence[Change],
    at: int,
    *,
    is_certain: bool = True,
) -> None:
    """Store what changed below a root while a call ran that may change anything.

    What another call said that it changes is that call's; of two calls of a session the later one
    has what both saw. Where such a call of another session ran, what was left counts as not known:
    a rewind of either is in conflict there.

    Args:
        tx: The transaction.
        tenant: Whose checkpoints.
        call: The call.
        changes: Since it began.
        at: When the root was looked at now, ms UTC.
        is_certain: Whether it is looked at as soon as the call ended.
    """
    own = [each for each in changes if not _is_claimed(tx, tenant, call, each)]
    since = (call.created_at, at - MOST_OPEN_MS)
    rows = tx.rows(_BESIDE, (tenant, call.root, call.id, *since, tenant)) if own else ()
    beside = [checkpoint_of(row) for row in rows]
    for each in own:
        after = msgspec.json.encode(each.after).decode()
        for other in beside:
            if other.session_id == call.session_id and other.number < call.number:
                _drop(tx, other, each.path, after)
    add_files(tx, call.id, ((each.path, _seen(call, each.before)) for each in own))
    if is_certain and all(other.session_id == call.session_id for other in beside):
        add_writes(tx, call.id, ((each.path, each.after) for each in own), at)


def _drop(tx: Transaction, call: Checkpoint, path: str, after: str) -> None:
    """Remove a path of a call that a later one has, too."""
    if tx.row(_WROTE, (call.id, path, after)) is not None:
        for table in ("checkpoint_files", "checkpoint_writes"):
            sql: LiteralString = f"DELETE FROM {table} WHERE checkpoint_id = ? AND path = ?"  # noqa: S608
            tx.execute(sql, (call.id, path))
        seal(tx, call.id)


def _seen(call: Checkpoint, before: PathState) -> PathState:
    return UNSEEN if call.coverage.is_unseen else before


def _is_claimed(tx: Transaction, tenant: str, call: Checkpoint, change: Change) -> bool:
    after = msgspec.json.encode(change.after).decode()
    key = (tenant, call.root, call.number, change.path, call.session_id)
    return tx.row(_CLAIMED, (*key, after, after)) is not None
