"""Digests of tables: what is there is what was stored."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.core.errors import StoreCorrupt
from recollect.store.digests import check_digest


class SwappedPages:
    """Answers with the cell of another table: SQLite itself lets none into a STRICT column."""

    def __init__(self, cell: object) -> None:
        self._cell = cell

    def all(self, *_: object) -> list[tuple[object]]:
        """Return a row of the table."""
        return [(self._cell,)]

    def row(self, *_: object) -> tuple[int]:
        """Return the digest that was stored."""
        return (0,)


@pytest.mark.parametrize("cell", ["user", 1.5, b"\1", 7])
def test_a_cell_that_was_never_stored_is_damage(cell: object) -> None:
    """Of any type: a text was a failure of ours, and no error of the store."""
    pages: Any = SwappedPages(cell)
    with pytest.raises(StoreCorrupt):
        check_digest(pages, "identities")
