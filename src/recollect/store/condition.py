"""Conditions: which rows a scope may see, as a part of the query itself."""

from __future__ import annotations

from typing import LiteralString

from recollect.core.scope import Scope
from recollect.store.engine import SqlValue


class Condition:
    """A WHERE clause: literal SQL and the values that belong to it.

    It begins with the owner, so that no query can forget it.

    Args:
        scope: Whose rows; a field that is None does not narrow, the tenant always does.
        session_column: The column that holds the session's id.
    """

    def __init__(self, scope: Scope, session_column: LiteralString = "id") -> None:
        self.sql: LiteralString = "tenant = ?"
        self.params: list[SqlValue] = [scope.tenant]
        self.equal("agent", scope.agent)
        self.equal("user_id", scope.user)
        self.equal("project", scope.project)
        self.equal(session_column, scope.session)

    def equal(self, column: LiteralString, value: SqlValue) -> Condition:
        """Narrow to rows with that value; None does not narrow."""
        return self if value is None else self.also(column + " = ?", value)

    def also(self, sql: LiteralString, value: SqlValue) -> Condition:
        """Narrow by a comparison with one value."""
        self.sql += " AND " + sql
        self.params.append(value)
        return self
