"""Which sessions a list shows: the filters of `Sessions.list` as one condition."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import LiteralString

from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.sessions.draft import check_time
from recollect.sessions.keys import AUTOMATIC, parse_key
from recollect.sessions.session import STATUSES, Condition

Span = tuple[int | datetime | None, int | datetime | None]
"""From one time on, and before another."""


def session_filter(
    scope: Scope,
    *,
    equal: Mapping[LiteralString, str | None],
    key: str | None,
    status: str | None,
    title: str | None,
    used: Span,
    automatic: bool,
) -> Condition:
    """Return the condition of the sessions that meet all the filters given.

    Args:
        scope: Whose sessions.
        equal: Column -> value; None does not narrow.
        key: A session key in any spelling.
        status: One of `STATUSES`; without one all but the deleted.
        title: A part of the title, whatever its case.
        used: When they were used last.
        automatic: Also those without a person in them.

    Raises:
        InvalidInput: a status, key or time cannot be one.
    """
    if status is not None and status not in STATUSES:
        raise InvalidInput("unknown status of a session", hint=f"Use one of {', '.join(STATUSES)}.")
    where = Condition(scope).equal("status", status)
    for column, value in equal.items():
        where.equal(column, value)
    where.equal("key", None if key is None else parse_key(key).text)
    if status is None:
        where.also("status <> ?", "deleted")
    if title is not None:
        where.also("instr(lower(coalesce(title, '')), lower(?)) > 0", title)
    since, until = used
    if since is not None:
        where.also("updated_at >= ?", check_time(since))
    if until is not None:
        where.also("updated_at < ?", check_time(until))
    for chat_type in () if automatic else sorted(AUTOMATIC):
        where.also("coalesce(chat_type, '') <> ?", chat_type)
    return where
