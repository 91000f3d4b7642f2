"""Writes the head of a GGUF file, as llama.cpp's own tools do."""

from __future__ import annotations

import struct
from collections.abc import Mapping

Entries = Mapping[str, object]

USUAL: Entries = {
    "general.architecture": "bert",
    "general.name": "tiny",
    "tokenizer.ggml.tokens": ["a", "b"],
    "tokenizer.ggml.scores": [0.5, 1.5],
    "tokenizer.ggml.add_bos_token": True,
    "bert.context_length": 512,
    "bert.embedding_length": 4,
}


def gguf_head(entries: Entries = USUAL, *, version: int = 3) -> bytes:
    """Return the bytes of a file without tensors."""
    head = b"GGUF" + struct.pack("<IQQ", version, 0, len(entries))
    return head + b"".join(_text(name) + _value(value) for name, value in entries.items())


def _value(value: object) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    assert isinstance(value, list)
    if isinstance(value[0], str):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_text, value))
    return struct.pack(f"<IIQ{len(value)}f", 9, 6, len(value), *value)


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()
