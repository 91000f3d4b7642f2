"""The hash that truth rows carry."""

from __future__ import annotations

import enum

from hypothesis import given
from hypothesis import strategies as st

from recollect.store.engine import SqlValue
from recollect.store.row_hash import row_hash

VALUES: st.SearchStrategy[list[SqlValue]] = st.lists(
    st.none() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(), max_size=5
)


class _Named(enum.StrEnum):
    TEA = "tea"


def _typed(values: list[SqlValue]) -> list[object]:
    return [(type(value), repr(value)) for value in values]


@given(VALUES, VALUES)
def test_different_rows_have_different_hashes(one: list[SqlValue], two: list[SqlValue]) -> None:
    """Also when only the types or the borders between the columns differ."""
    assert (row_hash(one) == row_hash(two)) == (_typed(one) == _typed(two))


def test_types_and_borders_count() -> None:
    """The cases that a hash over joined text would miss."""
    rows = [
        (1, 2),
        (12,),
        ("1", 2),
        ("1", "2"),
        ("12",),
        (b"12",),
        (1.0, 2),
        (None, 12),
        (12, None),
    ]
    assert len({row_hash(row) for row in rows}) == len(rows)


def test_a_lone_surrogate_has_a_hash() -> None:
    """A text that cannot be encoded must not stop the row from being stored."""
    assert len(row_hash(["\ud800"])) == 16


def test_a_row_has_the_hash_that_it_was_stored_with() -> None:
    """Homes of before would be damaged otherwise."""
    row = [None, "", "tea", "grün", 0, -7, 2**63 - 1, -(2**63), True, 2.5, b"\x00\x01"]
    for text in ("tea", _Named.TEA):
        values: list[SqlValue] = [*row[:2], text, *row[3:], "x" * 2_000, "\ud800"]
        assert row_hash(values).hex() == "42ef9e87e00026a72cd9288a8c012edb"
