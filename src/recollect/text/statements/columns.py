"""Rows of whole numbers, each one number itself, so that to add up rows is one addition."""

from __future__ import annotations

import struct
from collections.abc import Iterable

_BITS = 32
"""Of a column: no sum here reaches two thousand millions."""


class Columns:
    """Rows of as many columns.

    >>> columns = Columns(3)
    >>> columns.values(columns.row((1, -2, 3)) + columns.row((1, 1, 0)))
    (2, -1, 3)
    """

    def __init__(self, count: int) -> None:
        self._struct = struct.Struct(f"<{count}i")
        self._lowest = self.row([-1 << _BITS - 1] * count)

    def row(self, values: Iterable[int]) -> int:
        """Return the row of some values, the first column first."""
        return sum(value << _BITS * at for at, value in enumerate(values))

    def values(self, row: int) -> tuple[int, ...]:
        """Return the columns of a row, or of a sum of rows."""
        # Without a sign no column takes from the next one; the highest bit of each makes it again.
        number = (row - self._lowest) ^ -self._lowest
        return self._struct.unpack(number.to_bytes(self._struct.size, "little"))
