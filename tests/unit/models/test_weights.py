"""The weights reader: exact on good files, clear on damaged ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.core.errors import EmbeddingError
from recollect.models.local.weights import read_weights

FLOATS = np.arange(6, dtype="<f4").reshape(2, 3)


def _entry(start: int = 0, end: int = 24, **changes: object) -> dict[str, object]:
    return {"dtype": "F32", "shape": [2, 3], "data_offsets": [start, end], **changes}


def _file(path: Path, header: object, body: bytes = FLOATS.tobytes()) -> Path:
    raw = json.dumps(header).encode()
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + body)
    return path


def test_tensors_come_back_as_they_were(tmp_path: Path) -> None:
    """The format of the published weights, metadata and integers included."""
    header = {
        "__metadata__": {"format": "pt"},
        "a": _entry(),
        "ids": _entry(24, 32, dtype="I64", shape=[1]),
    }
    weights = read_weights(_file(tmp_path / "w", header, FLOATS.tobytes() + bytes(8)))
    assert list(weights) == ["a"]
    assert np.array_equal(weights["a"], FLOATS)


def test_tensors_cannot_be_changed(tmp_path: Path) -> None:
    """They are mapped from the file."""
    weights = read_weights(_file(tmp_path / "w", {"a": _entry()}))
    with pytest.raises(ValueError, match="read-only"):
        weights["a"][0, 0] = 1


@pytest.mark.parametrize(
    "entry",
    [
        _entry(0, 28),
        _entry(-4, 20),
        _entry(20, 4),
        _entry(0, 20),
        _entry(shape=[2, 4]),
        _entry(shape=[-2, -3]),
        _entry(shape=[1] * 40),
        _entry(shape="six"),
        {"dtype": "F32"},
    ],
)
def test_an_entry_that_does_not_fit_is_refused(tmp_path: Path, entry: object) -> None:
    """A damaged header must never read outside of the file."""
    with pytest.raises(EmbeddingError, match="damaged") as caught:
        read_weights(_file(tmp_path / "w", {"a": entry}))
    assert caught.value.hint


@pytest.mark.parametrize(
    "content",
    [b"", b"\x05", b"\xff" * 8, b"\xff" * 64, (2).to_bytes(8, "little") + b"[]", bytes(8)],
)
def test_what_is_no_safetensors_file_is_refused(tmp_path: Path, content: bytes) -> None:
    """Empty, short, and with a header longer than the file."""
    (tmp_path / "w").write_bytes(content)
    with pytest.raises(EmbeddingError, match="damaged"):
        read_weights(tmp_path / "w")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 90), value=st.integers(0, 255), length=st.integers(0, 120) | st.none())
def test_any_damage_is_read_or_refused(
    tmp_path: Path, place: int, value: int, length: int | None
) -> None:
    """A flipped byte or a cut gives tensors or our error, never another exception."""
    path = _file(tmp_path / "w", {"a": _entry(), "b": _entry(4, 24, shape=[5])})
    content = bytearray(path.read_bytes())
    content[place] = value
    path.write_bytes(content[:length])
    try:
        weights = read_weights(path)
    except EmbeddingError:
        return
    assert all(tensor.dtype == np.float32 for tensor in weights.values())
