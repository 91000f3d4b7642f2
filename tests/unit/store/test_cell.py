"""Cells: the type that the schema promises, or damage."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recollect.core.errors import StoreCorrupt
from recollect.store.columns import blob, first_integer, integer, text, text_or_none
from recollect.store.engine import SqlValue


@pytest.mark.parametrize(
    ("read", "value"),
    [(integer, 7), (text, "a"), (text_or_none, "a"), (text_or_none, None), (blob, b"a")],
)
def test_a_cell_of_the_right_type_is_given_back(
    read: Callable[[SqlValue], SqlValue], value: SqlValue
) -> None:
    """As it is."""
    assert read(value) == value


@pytest.mark.parametrize("read", [integer, text, text_or_none, blob])
def test_a_cell_of_another_type_is_damage(read: Callable[[SqlValue], SqlValue]) -> None:
    """STRICT tables hold no other."""
    with pytest.raises(StoreCorrupt):
        read(1.5)


def test_the_first_cell_of_a_row_counts_and_no_row_counts_nothing() -> None:
    """Counts and numbers handed out by RETURNING come as one row of one cell."""
    assert (first_integer((7,)), first_integer(None)) == (7, 0)
    with pytest.raises(StoreCorrupt):
        first_integer(("a",))
