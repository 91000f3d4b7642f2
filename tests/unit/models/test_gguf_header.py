"""What a GGUF file says of its model."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.backends.gguf import GgufModel, read_gguf
from recollect.core.errors import ModelMissing
from tests.unit.models.gguf_file import USUAL, gguf_head

HEAD = gguf_head()


def _read(folder: Path, content: bytes) -> GgufModel:
    path = folder / "model.gguf"
    path.write_bytes(content)
    return read_gguf(path)


def test_the_head_tells_the_model(tmp_path: Path) -> None:
    """Lists before it are skipped, whatever comes behind is not read."""
    header = _read(tmp_path, HEAD + b"tensors")
    assert header == GgufModel(architecture="bert", name="tiny", dimensions=4, context_tokens=512)
    assert _read(tmp_path, gguf_head(version=2)) == header


def test_a_file_without_a_name_has_none(tmp_path: Path) -> None:
    """It is optional."""
    entries = {name: value for name, value in USUAL.items() if name != "general.name"}
    assert _read(tmp_path, gguf_head(entries)).name == ""


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04 a zip",
        gguf_head(version=1),
        gguf_head({"general.architecture": "bert"}),
        gguf_head({**USUAL, "bert.embedding_length": 0}),
        gguf_head({**USUAL, "bert.embedding_length": "4"}),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 40),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"x" + struct.pack("<I", 99),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"x" + struct.pack("<IIQ", 9, 4, 1 << 60),
    ],
)
def test_what_is_no_such_file_is_refused(tmp_path: Path, content: bytes) -> None:
    """With a hint, before llama.cpp sees it."""
    with pytest.raises(ModelMissing) as caught:
        _read(tmp_path, content)
    assert "gguf_path" in caught.value.hint


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, len(HEAD) - 1), byte=st.integers(0, 255), keep=st.booleans())
def test_a_damaged_head_is_read_or_refused(
    tmp_path: Path, place: int, byte: int, keep: bool
) -> None:
    """Never another error, never a long wait: one byte is changed, or the file ends there."""
    tail = HEAD[place + 1 :] if keep else b""
    try:
        header = _read(tmp_path, HEAD[:place] + bytes([byte]) + tail)
    except ModelMissing:
        return
    assert header.dimensions > 0
