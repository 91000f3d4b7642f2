"""Cuts a long text's word pieces into windows, and combines the windows' vectors into one.

A model reads a fixed number of pieces. What is longer is not cut off: it is read in windows, each
of which ends where a word ends. Knows neither the tokenizer nor the runtime.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from recollect.models.embedder import Vectors


class WindowRules(msgspec.Struct, frozen=True, kw_only=True):
    """How a text becomes windows and windows become one vector. Part of the fingerprint.

    Attributes:
        pieces: Word pieces of a window, special pieces not counted. The model was trained to
            read 256 with its two special pieces.
        max_windows: What lies behind the last window of a text is not embedded.
        head_weight: Weight of the first window in the combined vector; the others weigh 1 each.
            Every weight is multiplied by the share of the window that is filled.
    """

    pieces: int = 254
    max_windows: int = 8
    head_weight: float = 1.0

    def __post_init__(self) -> None:
        """Refuse rules that no text could follow."""
        if self.pieces < 1 or self.max_windows < 1 or not self.head_weight > 0:
            raise ValueError("window rules need pieces, max_windows and head_weight above zero")

    @property
    def max_pieces(self) -> int:
        """Return the number of pieces that a text can fill at most."""
        return self.pieces * self.max_windows

    def cut(
        self, ids: Sequence[int], is_continuation: Callable[[int], bool]
    ) -> Iterator[Sequence[int]]:
        """Yield the windows of ``ids`` in order; a text without pieces has one empty window."""
        start = 0
        for _ in range(self.max_windows):
            end = self._end(ids, start, is_continuation)
            yield ids[start:end]
            start = end
            if start >= len(ids):
                return

    def combine(self, vectors: Vectors, lengths: Sequence[int]) -> Vectors:
        """Return the normalised weighted mean of the window vectors of one text.

        Args:
            vectors: ``(windows, dimensions)`` float32, normalised, in order.
            lengths: Pieces of each window.
        """
        head: Vectors = vectors[0]
        if len(vectors) == 1:
            return head
        weights = np.array(lengths, np.float32)
        weights[0] *= self.head_weight
        combined: Vectors = weights @ vectors
        length = float(np.linalg.norm(combined))
        # Only vectors that cancel out leave nothing to scale; the head stands for them.
        return combined / np.float32(length) if length > 0 else head

    def _end(self, ids: Sequence[int], start: int, is_continuation: Callable[[int], bool]) -> int:
        end = min(start + self.pieces, len(ids))
        word = end
        while start < word < len(ids) and is_continuation(ids[word]):
            word -= 1
        # A word that fills the whole window has no better place to be cut.
        return word if word > start else end
