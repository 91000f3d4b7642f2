"""The check that every vector passes before it may enter an index."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.core.errors import DimensionMismatch, EmbeddingError
from recollect.models.embedding.embedder import checked_vectors


def test_good_vectors_pass_unchanged() -> None:
    """The check copies nothing."""
    vectors = np.eye(3, 4, dtype=np.float32)
    assert checked_vectors(vectors, 3, 4) is vectors


def test_no_texts_have_no_vectors() -> None:
    """An empty batch is a batch."""
    assert len(checked_vectors(np.empty((0, 4), np.float32), 0, 4)) == 0


def test_another_count_is_refused() -> None:
    """DESIGN section 8: the wrong count never enters."""
    with pytest.raises(EmbeddingError, match="number of vectors"):
        checked_vectors(np.eye(3, 4, dtype=np.float32), 2, 4)


def test_a_single_row_is_not_a_batch() -> None:
    """A provider that answers one flat vector is not trusted to mean a batch of one."""
    with pytest.raises(EmbeddingError, match="number of vectors"):
        checked_vectors(np.ones(4, np.float32), 1, 4)


def test_another_size_is_refused() -> None:
    """DESIGN section 8: a vector of the wrong size never enters."""
    with pytest.raises(DimensionMismatch) as caught:
        checked_vectors(np.eye(3, 4, dtype=np.float32), 3, 8)
    assert caught.value.facts == {"expected": 8, "found": 4}


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0, 2.0])
def test_a_vector_that_is_not_of_length_one_is_refused(value: float) -> None:
    """DESIGN section 8: a NaN never enters; neither does a vector that would distort scores."""
    vectors = np.eye(3, 4, dtype=np.float32)
    vectors[1, 1] = value
    with pytest.raises(EmbeddingError, match="not finite or not normalised"):
        checked_vectors(vectors, 3, 4)
