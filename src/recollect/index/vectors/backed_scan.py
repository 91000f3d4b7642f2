"""A scan whose nearest chunks come from a back end; whatever that one cannot do, the codes do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from recollect.index.layout import Floats, Ints, Mask
from recollect.index.vectors.backend import NearScan

FEW = 4_096
"""Up to this many visible chunks their rows are compared: the nearest of all are seldom theirs."""
WIDEST = 4_096
"""Most that is asked for at once; what sqlite-vec gives."""


class BackedScan:
    """Implements `NearScan`.

    Args:
        codes: Knows every cosine roughly.
        present: Which chunks have a vector.
        ask: Returns the numbers of so many nearest chunks, best first; None when it cannot.
        compare: Returns the exact cosines of chunks.
    """

    def __init__(
        self,
        codes: NearScan,
        present: Mask,
        ask: Callable[[int], Ints | None],
        compare: Callable[[Ints], Floats],
    ) -> None:
        self._codes = codes
        self._present = present
        self._ask = ask
        self._compare = compare

    def cosine(self, numbers: NDArray[np.int64]) -> Floats:
        """Return what the codes suggest."""
        return self._codes.cosine(numbers)

    def nearest(self, most: int, visible: Mask | None) -> Ints:
        """Return ``most`` visible chunks, all of them when there are fewer."""
        allowed = self._present if visible is None else self._present & visible
        count = int(np.count_nonzero(allowed))
        if count <= most:
            return np.flatnonzero(allowed)
        if count <= FEW and count < len(allowed) // 2:
            numbers = np.flatnonzero(allowed)
            return np.sort(numbers[np.argsort(-self._compare(numbers), kind="stable")[:most]])
        found = self._widening(most, allowed)
        return self._codes.nearest(most, visible) if found is None else np.sort(found)

    def _widening(self, most: int, allowed: Mask) -> Ints | None:
        """Ask for more and more, until enough of it is allowed."""
        wanted = most + most // 8
        while True:
            numbers = self._ask(min(wanted, WIDEST))
            if numbers is None:
                return None
            numbers = numbers[(numbers >= 0) & (numbers < len(allowed))]
            numbers = numbers[allowed[numbers]]
            if len(numbers) >= most:
                return numbers[:most]
            if wanted >= WIDEST:
                return None
            wanted *= 4
