"""Cells: the type that the schema promises, or damage."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from recollect.core.errors import StoreCorrupt
from recollect.store.columns import (
    blob,
    decode,
    first_integer,
    integer,
    json_object,
    text,
    text_or_none,
    typed_rows,
)
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


class Pair(msgspec.Struct):
    """What a row of two cells is read as."""

    name: str
    count: int


@pytest.mark.parametrize(
    "read",
    [
        lambda: typed_rows([("a", "1")], tuple[str, int]),
        lambda: decode(Pair, ("name", "count"), ("a", "1")),
        lambda: json_object("[]"),
        lambda: json_object("{"),
    ],
)
def test_a_row_that_breaks_its_promise_is_damage_that_says_nothing_of_the_text(
    read: Callable[[], object],
) -> None:
    """A whole row, rows at once, and JSON."""
    with pytest.raises(StoreCorrupt) as caught:
        read()
    assert caught.value.hint
