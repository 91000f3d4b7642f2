"""Rows of checkpoints: what paths were before, what a tool left, and what put them back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, LiteralString, TypeAlias

import msgspec

from recollect.checkpoints.files.state import PathState
from recollect.checkpoints.record.items import Counts, RewindItem, counts_of
from recollect.checkpoints.record.seal import check_seal, check_strays, seal
from recollect.core.decoding import decode_json
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.events import CheckpointTaken, RewindBegan, RewindEnded
from recollect.core.numbers import parse_record
from recollect.core.scope import Scope
from recollect.store.columns import (
    Condition,
    columns_of,
    decode,
    insert_into,
    integer,
    json_object,
    text,
    text_or_none,
)
from recollect.store.counters import next_number
from recollect.store.engine import Row, SqlValue, Transaction
from recollect.store.journal import record_event

CheckpointKind: TypeAlias = Literal["message", "tool", "manual", "rescue"]
RewindType: TypeAlias = Literal["rewind", "undo", "redo"]
RewindStatus: TypeAlias = Literal["applying", "done", "rolled_back", "interrupted"]

_LIST_HINT = "list them with `recollect checkpoint list`"


class Coverage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a checkpoint holds.

    Attributes:
        paths: The paths that were asked for; None for all that may change.
        files: How many paths it has the state of.
        uncaptured: How many it saw and could not keep.
        foreign: Of a rescue: the paths that hold what somebody else did after its rewind.
        returned_to: Of a rescue: the number of the checkpoint before which paths were as its rewind
            left them; 0 where that is not one for all of them.
        is_unseen: Whether the tool may have begun before its files were looked at.
        ended_at: When its tool ended, ms UTC; None where that is not known.
    """

    paths: tuple[str, ...] | None = None
    files: int = 0
    uncaptured: int = 0
    foreign: tuple[str, ...] = ()
    returned_to: int = 0
    is_unseen: bool = False
    ended_at: int | None = None


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A moment to which files can be put back.

    Attributes:
        id: Of the checkpoint.
        number: Shown as ``c12``; counts up within the tenant.
        session_id: The session that changed the files.
        seq: The last seq of the session when it was taken.
        user_message_id: The last message of the user then.
        kind: ``message``, ``tool``, ``manual``, or ``rescue``: what a rewind replaced.
        label: What it is called.
        actor: The sub-agent that acted; None for the session itself.
        tool_name: The tool that was about to run.
        tool_use_id: Its call.
        root: The folder, absolute.
        coverage: What it holds.
        created_at: Ms UTC.
    """

    id: str
    number: int
    session_id: str
    seq: int
    user_message_id: str | None
    kind: CheckpointKind
    label: str | None
    actor: str | None
    tool_name: str | None
    tool_use_id: str | None
    root: str
    coverage: Coverage
    created_at: int


class FileRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A path in a checkpoint: what it was, and what the tool left; None where that is not known."""

    checkpoint: Checkpoint
    path: str
    before: PathState
    after: PathState | None


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A path that a rewind changes."""

    path: str
    before: PathState
    after: PathState


class Rewind(msgspec.Struct, frozen=True, kw_only=True):
    """What put files back, or takes that back.

    Attributes:
        id: For `undo` and `redo`.
        session_id: Whose files.
        root: The folder, absolute.
        type: ``rewind``, ``undo`` or ``redo``.
        target_id: The checkpoint to which files were put back; of an undo or redo, the rewind.
        rescue_id: The checkpoint of what was there before.
        status: ``interrupted`` where a crash and a change by somebody else met.
        items: What was done to each path; without diffs.
        first_seq: The first message that it took out of the conversation, or returned to it; None
            for none.
        last_seq: The last one.
        created_at: Ms UTC.
        finished_at: Ms UTC; None while it runs.
    """

    id: str
    session_id: str
    root: str
    type: RewindType
    target_id: str
    rescue_id: str
    status: RewindStatus
    items: tuple[RewindItem, ...]
    created_at: int
    finished_at: int | None = None
    first_seq: int | None = None
    last_seq: int | None = None

    @property
    def changes(self) -> tuple[Change, ...]:
        """The paths that it changes, or changed, with their states before and after."""
        return tuple(
            Change(path=item.path, before=item.current, after=item.after)
            for item in self.items
            if item.is_change
        )

    @property
    def unresolved(self) -> tuple[str, ...]:
        """The paths that a crash left, and somebody else changed since."""
        return tuple(item.path for item in self.items if item.outcome == "unresolved")

    @property
    def counts(self) -> Counts:
        """How many paths, by action and by status."""
        return counts_of(self.items)


class SharedPart(msgspec.Struct, frozen=True):
    """Checkpoints that a session has: those of ``session_id``, up to a seq and before a time.

    None: up to any. A checkpoint that was taken after a fork began is not the fork's.
    """

    session_id: str
    last_seq: int | None = None
    before: int | None = None


_OWNER: LiteralString = "SELECT agent, user_id, project FROM sessions WHERE id = ? AND tenant = ?"
_COLUMNS = columns_of(Checkpoint, coverage="scope_json")
_NAMES = Checkpoint.__struct_fields__
_INSERT = insert_into("checkpoints", "tenant, " + _COLUMNS)
SELECT_CHECKPOINTS: LiteralString = f"SELECT {_COLUMNS} FROM checkpoints"  # noqa: S608  # literals
_ADD_FILE: LiteralString = """
    INSERT INTO checkpoint_files (checkpoint_id, path, existed_before, backup_blob, before)
    VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
_ADD_WRITE: LiteralString = """
    INSERT INTO checkpoint_writes (checkpoint_id, path, after_blob, after, at)
    VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (checkpoint_id, path)
    DO UPDATE SET after_blob = excluded.after_blob, after = excluded.after, at = excluded.at
"""
_FILES: LiteralString = f"""
    SELECT {_COLUMNS}, f.path, f.before, w.after FROM checkpoints c
    JOIN checkpoint_files f ON f.checkpoint_id = c.id
    LEFT JOIN checkpoint_writes w ON w.checkpoint_id = c.id AND w.path = f.path
    WHERE c.tenant = ? AND c.session_id = ? AND c.seq <= ? AND c.created_at <= ?
        AND c.root = ? AND c.number >= ? AND (c.kind <> 'manual' OR c.number = ?)
    ORDER BY c.number
"""  # noqa: S608  # literals
_FILES_OF: LiteralString = """
    SELECT f.path, f.before, w.after FROM checkpoint_files f
    LEFT JOIN checkpoint_writes w ON w.checkpoint_id = f.checkpoint_id AND w.path = f.path
    WHERE f.checkpoint_id = ? ORDER BY f.path
"""
_COUNTS: LiteralString = """
    SELECT (SELECT count(*) FROM checkpoints WHERE tenant = ?1 AND kind <> 'rescue'),
        (SELECT count(*) FROM rewinds WHERE tenant = ?1 AND status IN ('applying', 'interrupted'))
"""
_SINCE: LiteralString = """
    SELECT id FROM checkpoints c WHERE c.tenant = ? AND c.session_id = ? AND c.seq <= ?
        AND c.created_at <= ? AND c.root = ? AND c.number >= ?
        AND (c.kind <> 'manual' OR c.number = ?)
"""
_NO_ID = "~"
"""Comes after every id."""
_REWIND_COLUMNS = columns_of(Rewind, items="changes")
_ADD_REWIND = insert_into("rewinds", "tenant, " + _REWIND_COLUMNS)
_MOST = 2**62


def add_checkpoint(tx: Transaction, tenant: str, draft: Checkpoint) -> Checkpoint:
    """Store a checkpoint and its event, and return it with its number."""
    number = next_number(tx, tenant, "checkpoint")
    checkpoint = msgspec.structs.replace(draft, number=number)
    cells = [getattr(checkpoint, name) for name in _NAMES if name != "coverage"]
    cells.insert(_NAMES.index("coverage"), _json(checkpoint.coverage))
    tx.execute(_INSERT, [tenant, *cells])
    seal(tx, checkpoint.id)
    event = CheckpointTaken(
        scope=_owner_of(tx, tenant, checkpoint.session_id),
        at=checkpoint.created_at,
        number=number,
        kind=checkpoint.kind,
        files=checkpoint.coverage.files,
        uncaptured=checkpoint.coverage.uncaptured,
    )
    record_event(tx, event)
    return checkpoint


def add_files(tx: Transaction, checkpoint_id: str, files: Iterable[tuple[str, PathState]]) -> None:
    """Store what paths were; what is stored already stays."""
    rows = (
        (checkpoint_id, path, int(state.kind != "absent"), state.digest, _json(state))
        for path, state in files
    )
    tx.executemany(_ADD_FILE, rows)
    seal(tx, checkpoint_id)


def add_writes(
    tx: Transaction, checkpoint_id: str, files: Iterable[tuple[str, PathState]], at: int
) -> None:
    """Store what a tool left of paths of a checkpoint."""
    rows = ((checkpoint_id, path, state.digest, _json(state), at) for path, state in files)
    tx.executemany(_ADD_WRITE, rows)
    seal(tx, checkpoint_id)


def find_checkpoint(tx: Transaction, tenant: str, name: object) -> Checkpoint:
    """Return the checkpoint of a number (``12``, ``c12``) or an id.

    Raises:
        NotFound: there is none.
        InvalidInput: the text names none.
    """
    record = parse_record(f"c{name}" if str(name).isdecimal() else name)
    if record is None or record.kind not in {None, "checkpoint"}:
        raise InvalidInput("a checkpoint is a number such as c12, or an id", hint=_LIST_HINT)
    column: LiteralString = "id" if record.id else "number"
    sql: LiteralString = f"SELECT {_COLUMNS} FROM checkpoints WHERE tenant = ? AND {column} = ?"  # noqa: S608
    row = tx.row(sql, (tenant, record.id or record.number))
    if row is None:
        raise NotFound("the checkpoint does not exist", hint=_LIST_HINT)
    return checkpoint_of(row)


def find_tool_call(tx: Transaction, tenant: str, tool_use_id: str) -> Checkpoint | None:
    """Return the checkpoint before a call of a tool; None where there is none."""
    sql: LiteralString = f"""
        SELECT {_COLUMNS} FROM checkpoints WHERE tenant = ? AND tool_use_id = ?
        ORDER BY number LIMIT 1
    """  # noqa: S608  # literals
    row = tx.row(sql, (tenant, tool_use_id))
    return None if row is None else checkpoint_of(row)


def list_checkpoints(
    tx: Transaction, tenant: str, lineage: Sequence[SharedPart]
) -> list[Checkpoint]:
    """Return the checkpoints of a session and of what it shares with its parents, oldest first."""
    sql: LiteralString = f"""
        SELECT {_COLUMNS} FROM checkpoints
        WHERE tenant = ? AND session_id = ? AND seq <= ? AND created_at <= ? ORDER BY number
    """  # noqa: S608  # literals
    rows = (tx.all(sql, (tenant, *_bounds(each))) for each in lineage)
    return sorted((checkpoint_of(row) for some in rows for row in some), key=lambda it: it.number)


def recent_checkpoints(tx: Transaction, scope: Scope, limit: int) -> list[Checkpoint]:
    """Return the newest checkpoints of all sessions of a scope, oldest first."""
    rows = _recent(tx, scope, limit, SELECT_CHECKPOINTS + " WHERE", "number")
    return [checkpoint_of(row) for row in reversed(rows)]


def records_of(tx: Transaction, checkpoint: Checkpoint) -> list[FileRecord]:
    """Return the paths of a checkpoint, sorted."""
    return [
        FileRecord(
            checkpoint=checkpoint, path=text(path), before=_state(before), after=_left(after)
        )
        for path, before, after in tx.rows(_FILES_OF, (checkpoint.id,))
    ]


def records_since(
    tx: Transaction, tenant: str, lineage: Sequence[SharedPart], root: str, number: int
) -> list[FileRecord]:
    """Return the paths of the checkpoints from a number on, in order.

    Later ones by hand change nothing, and are left out.

    Raises:
        StoreCorrupt: rows are missing, or are not what was stored.
    """
    width = len(_NAMES)
    for each in lineage:
        ids = [
            text(row[0]) for row in tx.all(_SINCE, (tenant, *_bounds(each), root, number, number))
        ]
        for id_ in ids:
            check_seal(tx, id_)
        check_strays(tx, min(ids, default=_NO_ID))
    records = [
        FileRecord(
            checkpoint=checkpoint_of(row),
            path=text(row[width]),
            before=_state(row[width + 1]),
            after=_left(row[width + 2]),
        )
        for each in lineage
        for row in tx.rows(_FILES, (tenant, *_bounds(each), root, number, number))
    ]
    return sorted(records, key=lambda it: it.checkpoint.number)


def add_rewind(tx: Transaction, tenant: str, rewind: Rewind) -> None:
    """Store a rewind that begins, the journal of its change, and its event."""
    cells: list[SqlValue] = [tenant]
    for name in Rewind.__struct_fields__:
        value = getattr(rewind, name)
        cells.append(_json(value) if name == "items" else value)
    tx.execute(_ADD_REWIND, cells)
    seal(tx, rewind.rescue_id)
    began = RewindBegan(
        scope=_owner_of(tx, tenant, rewind.session_id),
        at=rewind.created_at,
        rewind_id=rewind.id,
        kind=rewind.type,
        files=len(rewind.changes),
    )
    record_event(tx, began)


def end_rewind(tx: Transaction, tenant: str, rewind: Rewind, at: int) -> None:
    """Store how a rewind ended, and its event.

    One that was put back leaves no states behind but those of paths that are not resolved.
    """
    tx.execute(
        "UPDATE rewinds SET status = ?, finished_at = ?, changes = ? WHERE id = ?",
        (rewind.status, rewind.finished_at, _json(rewind.items), rewind.id),
    )
    if rewind.status != "done":
        tx.execute("DELETE FROM checkpoint_writes WHERE checkpoint_id = ?", (rewind.rescue_id,))
        tx.execute(
            "DELETE FROM checkpoint_files WHERE checkpoint_id = ?"
            " AND path NOT IN (SELECT value FROM json_each(?))",
            (rewind.rescue_id, _json(rewind.unresolved)),
        )
    seal(tx, rewind.rescue_id)
    ended = RewindEnded(
        scope=_owner_of(tx, tenant, rewind.session_id),
        at=at,
        rewind_id=rewind.id,
        kind=rewind.type,
        status=rewind.status,
        files=len(rewind.changes),
    )
    record_event(tx, ended)


def find_rewind(tx: Transaction, tenant: str, id_: str) -> Rewind:
    """Return a rewind.

    Raises:
        NotFound: there is none.
        StoreCorrupt: it is not what was stored.
    """
    sql: LiteralString = f"SELECT {_REWIND_COLUMNS} FROM rewinds WHERE tenant = ? AND id = ?"  # noqa: S608
    row = tx.row(sql, (tenant, id_))
    if row is None:
        raise NotFound("the rewind does not exist", hint="list them with `recollect rewind --list`")
    return _checked(tx, _rewind(row))


def list_rewinds(tx: Transaction, tenant: str, session_ids: Sequence[str]) -> list[Rewind]:
    """Return the rewinds of some sessions, oldest first."""
    sql: LiteralString = f"""
        SELECT {_REWIND_COLUMNS} FROM rewinds
        WHERE tenant = ? AND session_id IN (SELECT value FROM json_each(?)) ORDER BY id
    """  # noqa: S608  # literals
    return [_rewind(row) for row in tx.rows(sql, (tenant, _json(session_ids)))]


def recent_rewinds(tx: Transaction, scope: Scope, limit: int) -> list[Rewind]:
    """Return the newest rewinds of all sessions of a scope, oldest first."""
    select: LiteralString = f"SELECT {_REWIND_COLUMNS} FROM rewinds WHERE"  # noqa: S608  # literals
    return [_rewind(row) for row in reversed(_recent(tx, scope, limit, select, "id"))]


def _recent(
    tx: Transaction, scope: Scope, limit: int, select: LiteralString, order: LiteralString
) -> Sequence[Row]:
    """Return the rows of the sessions of a scope, the newest first."""
    sessions = Condition(scope)
    sql: LiteralString = f"""
        {select} tenant = ? AND session_id IN (SELECT id FROM sessions WHERE {sessions.sql})
        ORDER BY {order} DESC LIMIT ?
    """  # noqa: S608  # literals
    return tx.all(sql, (scope.tenant, *sessions.params, limit))


def repeats_of(tx: Transaction, tenant: str, rewind_id: str) -> list[str]:
    """Return the ids of a rewind and of what repeated it, the newest first."""
    sql: LiteralString = """
        SELECT id FROM rewinds WHERE tenant = ? AND (id = ? OR target_id = ? AND type = 'redo')
        ORDER BY id DESC
    """
    return [text(row[0]) for row in tx.rows(sql, (tenant, rewind_id, rewind_id))]


def unfinished_rewinds(tx: Transaction, tenant: str, root: str | None = None) -> list[Rewind]:
    """Return the rewinds that a crash cut off, of one root or of all, the newest first."""
    sql: LiteralString = f"""
        SELECT {_REWIND_COLUMNS} FROM rewinds WHERE tenant = ? AND coalesce(root = ?, TRUE)
        AND status IN ('applying', 'interrupted') ORDER BY id DESC
    """  # noqa: S608  # literals
    return [_checked(tx, _rewind(row)) for row in tx.all(sql, (tenant, root))]


def _checked(tx: Transaction, rewind: Rewind) -> Rewind:
    check_seal(tx, rewind.rescue_id)
    return rewind


def count_checkpoints(tx: Transaction, tenant: str) -> tuple[int, int]:
    """Return the number of checkpoints, and that of rewinds that a crash cut off."""
    checkpoints, interrupted = tx.all(_COUNTS, (tenant,))[0]
    return integer(checkpoints), integer(interrupted)


def _owner_of(tx: Transaction, tenant: str, session_id: str) -> Scope:
    agent, user, project = tx.row(_OWNER, (session_id, tenant)) or (None, None, None)
    return Scope(
        tenant=tenant,
        agent=text_or_none(agent),
        user=text_or_none(user),
        project=text_or_none(project),
        session=session_id,
    )


def _bounds(of: SharedPart) -> tuple[str, int, int]:
    last = _MOST if of.last_seq is None else of.last_seq
    return of.session_id, last, _MOST if of.before is None else of.before


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _state(cell: SqlValue) -> PathState:
    return decode_json(text(cell), PathState)


def _left(cell: SqlValue) -> PathState | None:
    return None if cell is None else _state(cell)


def checkpoint_of(row: Row) -> Checkpoint:
    """Return the checkpoint of a row of `SELECT_CHECKPOINTS`."""
    coverage: Any = json_object(row[_NAMES.index("coverage")])
    return decode(Checkpoint, _NAMES, row, coverage=coverage)


def _rewind(row: Row) -> Rewind:
    names = Rewind.__struct_fields__
    items = decode_json(text(row[names.index("items")]), tuple[RewindItem, ...])
    return decode(Rewind, names, row, items=items)
