"""Vectors as they were sent."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.errors import ProviderUnavailable
from recollect.models.embedding.raw_vectors import Row, sound_vectors
from recollect.models.http.client import decode_answer

ROUNDS_TO_INFINITY = 2.0**128 - 2.0**103
"""The least double that is no float32."""

ANY_VALUE = st.one_of(st.none(), st.floats(), st.floats(allow_nan=False, allow_infinity=False))


class _Answer(msgspec.Struct):
    row: Row


@given(st.lists(st.lists(ANY_VALUE, max_size=6), max_size=5))
def test_bad_vectors_never_enter(rows: list[Row]) -> None:
    """What comes through has length 1 and is finite; what was finite and not zero comes through."""
    for row, vector in zip(rows, sound_vectors(rows), strict=True):
        finite = all(
            v is not None and math.isfinite(v) and abs(v) < ROUNDS_TO_INFINITY for v in row
        )
        assert (vector is not None) == (finite and any(row))
        if vector is not None:
            assert vector.dtype == np.float32
            assert abs(float(np.linalg.norm(vector.astype(np.float64))) - 1) < 1e-6


@given(st.lists(st.floats(-1e6, 1e6).filter(lambda v: v == 0 or abs(v) > 1e-6), min_size=1))
def test_the_direction_stays(row: list[float]) -> None:
    """Only the length changes."""
    vector = sound_vectors([list(row)])[0]
    length = math.sqrt(sum(value * value for value in row))
    if vector is None:
        assert length == 0
    else:
        np.testing.assert_allclose(vector, np.array(row) / length, atol=1e-6)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "null"])
def test_what_no_json_can_say_is_read_anyway(word: str) -> None:
    """Servers in Python write it; the vector is dropped later, and not the whole answer."""
    row = decode_answer("openai", f'{{"row": [1.0, {word}]}}'.encode(), _Answer).row
    assert row[0] == 1.0
    assert row[1] is None or not math.isfinite(row[1])


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b'{"row": [1.0', b'{"row": "x"}', b'{"row": ["1"]}', b"\xff", b"[" * 9_999],
)
def test_what_cannot_be_read_is_a_clear_error(body: bytes) -> None:
    """It may be right at the next try."""
    with pytest.raises(ProviderUnavailable, match="cannot be read"):
        decode_answer("openai", body, _Answer)
