"""Vectors as rows: read in any order, and damage is told as damage."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.core.errors import StoreCorrupt
from recollect.core.settings import VectorSettings
from recollect.index.model.chunk_record import chunk_id
from recollect.index.vectors.vector_rows import read_vectors
from recollect.testing.vector_suite import DIMENSIONS, drawn
from tests.unit.index.vectors.conftest import Opened


def test_vectors_come_in_the_order_that_is_asked(open_vectors: Opened) -> None:
    """Also when a number comes twice or has no vector: then there are zeros."""
    home = open_vectors(VectorSettings())
    partition = home.partition(home.generation())
    home.add(partition, drawn(10))
    numbers = np.array([7, 3, 3, 99, 0], np.int64)
    rows = home.database.read(lambda tx: read_vectors(tx, partition, numbers, DIMENSIONS))
    expected = np.concatenate([drawn(10)[[7, 3, 3]], np.zeros((1, DIMENSIONS)), drawn(10)[:1]])
    assert np.array_equal(rows, expected.astype(np.float32))
    nothing = np.zeros(0, np.int64)
    empty = home.database.read(lambda tx: read_vectors(tx, partition, nothing, DIMENSIONS))
    assert empty.shape == (0, DIMENSIONS)


def test_a_vector_of_another_size_is_damage(open_vectors: Opened) -> None:
    """A row that was cut is never taken for a vector."""
    home = open_vectors(VectorSettings())
    partition = home.partition(home.generation())
    home.add(partition, drawn(3))
    key = chunk_id(partition, 1)
    home.database.write(
        lambda tx: tx.execute("UPDATE vectors SET data = x'00' WHERE id = ?", (key,))
    )
    numbers = np.arange(3)
    with pytest.raises(StoreCorrupt) as caught:
        home.database.read(lambda tx: read_vectors(tx, partition, numbers, DIMENSIONS))
    assert "recollect reindex" in caught.value.hint
