"""Decodes vectors as a provider sends them, and lets only sound ones through.

Servers send ``NaN`` and ``null`` where a model overflowed, which strict JSON cannot say. Such a
vector is dropped, never repaired: a made-up number would be found by searches.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.errors import DimensionMismatch, ProviderUnavailable

Vectors = NDArray[np.float32]
"""Vectors as float32: one row a text, or one vector."""

Row = list[float | None]
"""One vector as it was sent; null is a number that JSON cannot say."""

_LARGEST = float(np.finfo(np.float32).max)


class VectorReply(msgspec.Struct, frozen=True, kw_only=True):
    """What a provider answered.

    Attributes:
        rows: One a text, in the order that they were sent.
        tokens: What it bills; None where it does not say.
    """

    rows: list[Row]
    tokens: int | None = None


def check_count(provider: str, rows: Sequence[Row], count: int) -> None:
    """Refuse an answer that has another number of vectors than texts were sent.

    Raises:
        ProviderUnavailable: which vector belongs to which text is unknown.
    """
    if len(rows) != count:
        raise ProviderUnavailable(
            f"{provider} sent another number of vectors than texts were asked for",
            hint="wait, it is tried again later; if it goes on, choose another model",
            expected=count,
            found=len(rows),
        )


def check_dimensions(provider: str, rows: Sequence[Row], dimensions: int) -> None:
    """Refuse an answer with vectors of another size than the model has.

    Raises:
        DimensionMismatch: they cannot be compared with the others.
    """
    for row in rows:
        if len(row) != dimensions:
            raise DimensionMismatch(
                f"{provider} sent vectors of {len(row)} values instead of {dimensions}",
                hint="check the model's name and embedding.dimensions",
                expected=dimensions,
                found=len(row),
            )


def sound_vectors(rows: Sequence[Row]) -> list[Vectors | None]:
    """Return each row L2-normalised as float32; None for one that has no direction.

    Args:
        rows: Any size; a value may be null, NaN, infinite or too large for float32.

    >>> sound_vectors([[3.0, 4.0], [1.0, None], [0.0, 0.0]])
    [array([0.6, 0.8], dtype=float32), None, None]
    """
    return [_sound(row) for row in rows]


def _sound(row: Row) -> Vectors | None:
    wide = np.array(row, np.float64)
    largest = float(np.max(np.abs(wide), initial=0.0))
    # A NaN anywhere makes the largest NaN, and no comparison with it is true.
    if not 0.0 < largest <= _LARGEST:
        return None
    # By the largest first: the square of a tiny or huge value overflows or vanishes.
    scaled = wide / largest
    vector: Vectors = (scaled / np.linalg.norm(scaled)).astype(np.float32)
    return vector
