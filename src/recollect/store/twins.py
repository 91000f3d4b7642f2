"""Second copies that reveal a damaged page of a table or of an index.

SQLite itself seldom notices one. A twin is an index that has the columns that statements read, on
pages of its own; SQLite keeps it in step. A statement that names a twin is run twice, once from the
twin and once from the table by another index: the rows are equal, or a page is damaged. No page is
part of both answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import LiteralString

from recollect.core.errors import StoreCorrupt
from recollect.store.engine import Row, SqlValue, Transaction

TWINS: dict[str, LiteralString] = {
    "audit_twin": "NOT INDEXED",
    "compactions_twin": "INDEXED BY sqlite_autoindex_compactions_2",
    "episodes_twin": "INDEXED BY episodes_by_time",
    "events_twin_by_seq": "NOT INDEXED",
    "facts_twin": "INDEXED BY facts_by_time",
    "facts_twin_by_user": "INDEXED BY facts_by_user",
    "facts_twin_by_id": "INDEXED BY sqlite_autoindex_facts_1",
    "facts_twin_by_number": "INDEXED BY sqlite_autoindex_facts_2",
    "injected_items_twin": "INDEXED BY sqlite_autoindex_injected_items_1",
    "injections_twin": "NOT INDEXED",
    "messages_twin": "INDEXED BY messages_by_time",
    "messages_twin_by_id": "INDEXED BY sqlite_autoindex_messages_1",
    "observations_twin": "INDEXED BY observations_by_time",
    "observations_twin_by_id": "INDEXED BY sqlite_autoindex_observations_1",
    "observations_twin_by_number": "INDEXED BY sqlite_autoindex_observations_2",
    "pauses_twin": "NOT INDEXED",
    "project_aliases_twin": "INDEXED BY sqlite_autoindex_project_aliases_1",
    "projects_twin": "INDEXED BY sqlite_autoindex_projects_1",
    "session_states_twin": "INDEXED BY session_states_by_turn",
    "sessions_twin": "INDEXED BY sqlite_autoindex_sessions_1",
    "sessions_twin_by_time": "INDEXED BY sessions_by_time",
    "spending_twin": "INDEXED BY sqlite_autoindex_spending_1",
    "withheld_twin": "INDEXED BY sqlite_autoindex_withheld_1",
}
"""By twin: the index by which the same rows are read from the table."""
_NAMED = re.compile(r"INDEXED BY (\w+_twin\w*)")


def each_compared(
    tx: Transaction,
    columns: LiteralString,
    of: LiteralString,
    params: Sequence[SqlValue] = (),
    *,
    key: LiteralString = "",
) -> Iterator[Row]:
    """Yield the rows of a statement if the tables and their twins give the same.

    Args:
        tx: A transaction.
        columns: The selected columns.
        of: The statement from FROM on; it names twins, as ``FROM projects INDEXED BY
            projects_twin``, and orders its rows by unique columns.
        params: Its values.
        key: The first of the columns, where a twin has not all of them; the others must be proved
            in another way, such as a hash.

    Raises:
        StoreCorrupt: a row is missing or damaged.
    """
    rows = tx.rows("SELECT " + columns + " " + _of_tables(of), params)
    twins = tx.rows("SELECT " + (key or columns) + " " + of, params)
    for row, twin in zip_longest(rows, twins):
        if row is None or twin is None or row[: len(twin)] != twin:
            raise damaged_rows()
        yield row


def compared_rows(
    tx: Transaction,
    columns: LiteralString,
    of: LiteralString,
    params: Sequence[SqlValue] = (),
    *,
    key: LiteralString = "",
) -> list[Row]:
    """Return the rows of `each_compared`."""
    return list(each_compared(tx, columns, of, params, key=key))


def damaged_rows() -> StoreCorrupt:
    """Return the error where a table and its twins differ."""
    return StoreCorrupt(
        "rows are missing, or are not what was stored",
        hint="look with `recollect doctor`; `recollect recover` rebuilds the records",
    )


@lru_cache(maxsize=256)
def _of_tables(statement: LiteralString) -> LiteralString:
    return _NAMED.sub(lambda match: TWINS[match[1]], statement)
