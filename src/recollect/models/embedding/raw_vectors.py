"""Decodes vectors as a provider sends them, and passes on only sound ones.

Servers send ``NaN`` and ``null`` where a model overflowed, which strict JSON does not allow. Such a
vector is dropped, never repaired: searches would find the invented number.
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
"""One vector as sent; null is a number that JSON cannot express."""

_LARGEST = float(np.finfo(np.float32).max)


class VectorReply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of a provider.

    Attributes:
        rows: One for each text, in the order of sending.
        tokens: The billed tokens; None if not reported.
    """

    rows: list[Row]
    tokens: int | None = None


def check_count(provider: str, rows: Sequence[Row], count: int) -> None:
    """Refuse an answer whose number of vectors differs from that of the texts.

    Raises:
        ProviderUnavailable: they differ, so vectors cannot be matched to texts.
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
        DimensionMismatch: the size differs, so they cannot be compared.
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
    # A NaN anywhere makes the maximum NaN, and every comparison with it is false.
    if not 0.0 < largest <= _LARGEST:
        return None
    # Divide by the maximum first: the square of a tiny or huge value under- or overflows.
    scaled = wide / largest
    vector: Vectors = (scaled / np.linalg.norm(scaled)).astype(np.float32)
    return vector
