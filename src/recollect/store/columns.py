"""Rows and cells as the types that the schema promises, and the rows that a scope may see.

Also what a rewind took out of a session, as conditions of SQL: messages, and what came of them.

Tables are STRICT, so another type means damage; every function raises `StoreCorrupt` for it instead
of passing it on. Where more than a cell is read, one call decodes the row, or all rows of a
statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, LiteralString, TypeVar

import msgspec

from recollect.core.decoding import READ, decode_json, json_decoder
from recollect.core.errors import StoreCorrupt
from recollect.core.scope import ConversationTurn, Scope, ScopeOfPerson, ScopeWithout
from recollect.store.engine import Row, SqlValue

_HINT = "run `recollect doctor`"

T = TypeVar("T")

_OBJECT = json_decoder(dict[str, Any])

PROJECT_PATHS: LiteralString = """
    SELECT b.path FROM project_aliases a
    JOIN projects p ON p.tenant = a.tenant AND p.id = a.project_id
    JOIN projects q ON q.tenant = p.tenant AND q.stands_for = p.stands_for
    JOIN project_aliases b ON b.tenant = q.tenant AND b.project_id = q.id
    WHERE a.tenant = ? AND a.path = ?
"""
"""With a tenant and any path of the project."""
OF_PROJECT: LiteralString = f"project IN (SELECT ? UNION ALL {PROJECT_PATHS})"
"""A condition on the column ``project``, with a path, the tenant, and the path again.

An unknown path matches only itself.
"""

_AMONG: LiteralString = " IN (SELECT value FROM json_each(?))"
LISTED: LiteralString = "(SELECT value AS listed FROM json_each(?)) CROSS JOIN "
"""Before a table, with ``id = listed`` as the first condition: its rows by id, see `listed`.

For ``tenant = ? AND id IN (...)`` SQLite, without statistics, reads all rows of the tenant.
"""

_RANGES: LiteralString = (
    "EXISTS (SELECT 1 FROM withdrawn_ranges h WHERE h.returned_at IS NULL AND h.session_id = "
)


def user_condition(scope: Scope) -> tuple[LiteralString, list[SqlValue]]:
    """Return the condition on ``user_id`` of a scope with a user, as `includes_user` has it."""
    if not isinstance(scope, ScopeOfPerson):
        return "user_id = ?", [scope.user]
    sql: LiteralString = "user_id" + _AMONG
    params: list[SqlValue] = [listed(scope.users)]
    for id_ in scope.anywhere:
        sql += " OR substr(user_id, -length(?)) = ? AND user_id NOT" + _AMONG
        params += [f":{id_}", f":{id_}", listed(scope.others)]
    return f"({sql})", params


class Condition:
    """A WHERE clause: literal SQL and the values that belong to it.

    It begins with the owner, so that no query can forget it.

    Args:
        scope: The owner of the rows; a field that is None does not narrow, the tenant always does.
        session_column: The column that holds the session's id.
    """

    def __init__(self, scope: Scope, session_column: LiteralString = "id") -> None:
        self.sql: LiteralString = "tenant = ?"
        self.params: list[SqlValue] = [scope.tenant]
        self.equal("agent", scope.agent)
        if isinstance(scope, ScopeWithout) and scope.agents_left_out:
            self.also("ifnull(agent, '') NOT" + _AMONG, listed(scope.agents_left_out))
        self._of_user(scope, session_column)
        self.of_project(scope.project)
        self.equal(session_column, scope.session)

    def _of_user(self, scope: Scope, session_column: LiteralString) -> None:
        """Narrow to the user of the scope; for rows of sessions the user of the session counts."""
        if scope.user is None:
            return
        sql, params = user_condition(scope)
        if session_column == "session_id":
            sql = f"session_id IN (SELECT id FROM sessions WHERE tenant = ? AND {sql})"  # noqa: S608  # literals
            params.insert(0, scope.tenant)
        self.sql += " AND " + sql
        self.params += params

    def equal(self, column: LiteralString, value: SqlValue) -> Condition:
        """Narrow to rows with that value; None does not narrow."""
        return self if value is None else self.also(column + " = ?", value)

    def among(
        self,
        column: Literal["made_by", "project", "status", "trust", "type"],
        values: Sequence[str],
    ) -> Condition:
        """Narrow to rows with one of some values. For rows of some ids see `LISTED`."""
        return self.also(column + _AMONG, listed(values))

    def of_project(self, path: str | None) -> Condition:
        """Narrow to rows with a path of the project that has ``path``; None does not narrow."""
        if path is not None:
            self.sql += " AND " + OF_PROJECT
            self.params += [path, self.params[0], path]
        return self

    def also(self, sql: LiteralString, value: SqlValue) -> Condition:
        """Narrow by a comparison with one value."""
        self.sql += " AND " + sql
        self.params.append(value)
        return self


def listed(values: Iterable[str] | Iterable[int]) -> str:
    """Return values as the parameter of `LISTED`."""
    return msgspec.json.encode(list(values)).decode()


def columns_of(kind: type[msgspec.Struct], **other: LiteralString) -> LiteralString:
    """Return the columns of the fields of a struct, in their order.

    Args:
        kind: The struct; its fields are literals of this program.
        other: By field: its column, where it has another name; empty for a field without one.
    """
    names = [other.get(field, field) for field in kind.__struct_fields__]
    return ", ".join(filter(None, names))


def insert_into(table: LiteralString, columns: LiteralString) -> LiteralString:
    """Return the statement that inserts one row, with a value for each column."""
    marks: LiteralString = ", ".join(["?"] * len(columns.split(",")))
    return f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608  # literals


def typed_rows(rows: Sequence[Row], kind: type[T]) -> list[T]:
    """Return rows as values of ``kind``, whose parts are the columns in their order.

    Args:
        rows: Of one statement.
        kind: A type of tuple, or a `msgspec.Struct` with ``array_like=True``.

    Raises:
        StoreCorrupt: a cell is of another type than ``kind`` says.
    """
    of_all = list[kind]  # type: ignore[valid-type]
    if of_all not in READ:  # as `convert_value`, which would be one more call for each read
        json_decoder(of_all)
    try:
        return msgspec.convert(rows, of_all, builtin_types=(bytes,))
    except msgspec.ValidationError:
        raise StoreCorrupt("a cell is not what its column promises", hint=_HINT) from None


def placed_rows(rows: Sequence[Row], kind: type[T]) -> list[tuple[T, ConversationTurn]]:
    """Return rows as values of ``kind``, each with the `Place` in its last columns.

    Raises:
        StoreCorrupt: a cell is of another type than ``kind`` or `Place` says.
    """
    width = len(ConversationTurn.__struct_fields__)
    values = typed_rows([row[:-width] for row in rows], kind)
    return list(
        zip(values, typed_rows([row[-width:] for row in rows], ConversationTurn), strict=True)
    )


def is_message_out(
    of: LiteralString = "t", session_id: LiteralString = "t.session_id"
) -> LiteralString:
    """Return whether a message ``of`` a table is in a range that was taken out of a session.

    Args:
        of: The name of the table or of its alias, with a column ``seq``.
        session_id: The column with the session; the message's own if not given.
    """
    return f"{_RANGES}{session_id} AND h.to_seq >= {of}.seq AND h.from_seq <= {of}.seq)"


def is_time_out(session_id: LiteralString, at: LiteralString) -> LiteralString:
    """Return whether something was stored for messages that were taken out of a session.

    Args:
        session_id: The column with its session.
        at: The column with the time when it was stored.
    """
    return f"{_RANGES}{session_id} AND {at} BETWEEN h.stored_at AND h.at)"


def is_record_out(
    kind: Literal["fact", "observation", "episode"], ref: LiteralString
) -> LiteralString:
    """Return whether a record, whose id is the column ``ref``, came of messages taken out.

    >>> is_record_out("fact", "f.id")
    "EXISTS (SELECT 1 FROM withdrawn_records h WHERE h.kind = 'fact' AND h.ref = f.id)"
    """
    where: LiteralString = f"h.kind = '{kind}' AND h.ref = {ref}"
    return f"EXISTS (SELECT 1 FROM withdrawn_records h WHERE {where})"  # noqa: S608  # literals


def decode(
    kind: type[T], names: Sequence[str], row: Row, objects: Sequence[str] = (), **parsed: object
) -> T:
    """Return a row as a struct.

    Args:
        kind: The struct; the types of its fields are what the columns promise.
        names: The field of each cell, in the order of the columns; further cells are ignored.
        row: The cells.
        objects: Fields whose cells are JSON objects.
        parsed: Fields whose values differ from their cells.
    """
    fields: dict[str, Any] = {**dict(zip(names, row, strict=False)), **parsed}
    for name in objects:
        fields[name] = json_object(fields[name])
    if kind not in READ:  # as in `typed_rows`
        json_decoder(kind)
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise StoreCorrupt("a row is not what its columns promise", hint=_HINT) from error


def integer(value: SqlValue) -> int:
    """Return an INTEGER cell."""
    if isinstance(value, int):
        return value
    raise _damaged("integer")


def first_integer(row: Row | None) -> int:
    """Return the first cell of a row, an INTEGER; 0 without a row."""
    return 0 if row is None else integer(row[0])


def text(value: SqlValue) -> str:
    """Return a TEXT cell."""
    if isinstance(value, str):
        return value
    raise _damaged("text")


def text_or_none(value: SqlValue) -> str | None:
    """Return a TEXT cell that may be NULL."""
    return None if value is None else text(value)


def blob(value: SqlValue) -> bytes:
    """Return a BLOB cell."""
    if isinstance(value, bytes):
        return value
    raise _damaged("blob")


def json_cell(value: SqlValue, kind: type[T]) -> T:
    """Return the JSON of a TEXT cell as a value of ``kind``."""
    try:
        return decode_json(text(value), kind)
    except msgspec.DecodeError:
        raise StoreCorrupt("a cell is not the JSON that its column promises", hint=_HINT) from None


def json_object(value: SqlValue) -> dict[str, Any]:
    """Return the JSON object of a TEXT cell."""
    try:
        return _OBJECT.decode(text(value))
    except msgspec.DecodeError as error:
        raise StoreCorrupt("a cell must be a JSON object", hint=_HINT) from error


def _damaged(kind: str) -> StoreCorrupt:
    return StoreCorrupt(f"a cell is not the {kind} that its column promises", hint=_HINT)
