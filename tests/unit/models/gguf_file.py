"""Writes GGUF files, as llama.cpp's own tools do: heads for reading, and a tiny random model."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Entries = Mapping[str, object]
Tensors = Mapping[str, NDArray[np.float32]]

USUAL: Entries = {
    "general.architecture": "bert",
    "general.name": "tiny",
    "tokenizer.ggml.tokens": ["a", "b"],
    "tokenizer.ggml.scores": [0.5, 1.5],
    "tokenizer.ggml.add_bos_token": True,
    "bert.context_length": 512,
    "bert.embedding_length": 4,
}

_ALIGNMENT = 32
_FLOAT, _BOOL, _TEXT, _LIST, _UNSIGNED, _SIGNED = 6, 7, 8, 9, 4, 5


def gguf_head(
    entries: Entries = USUAL, *, version: int = 3, tensors: Tensors | None = None
) -> bytes:
    """Return the bytes of a file up to its tensors' data."""
    tensors = tensors or {}
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(entries))
    head += b"".join(_text(name) + _value(value) for name, value in entries.items())
    offset = 0
    for name, tensor in tensors.items():
        sides = tensor.shape[::-1]  # the fastest running one comes first
        head += _text(name) + struct.pack(f"<I{len(sides)}QIQ", len(sides), *sides, 0, offset)
        offset += len(_padded(tensor.tobytes()))
    return head


def tiny_bert(words: Sequence[str], *, dimensions: int = 32, context: int = 64) -> bytes:
    """Return a whole model of one layer with random weights: llama.cpp loads and runs it."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokens = [*special, *(f"▁{word}" for word in words), *map(chr, range(ord("a"), ord("z") + 1))]
    tensors = _weights(len(tokens), dimensions, context)
    head = gguf_head(_entries(tokens, dimensions, context), tensors=tensors)
    return _padded(head) + b"".join(_padded(tensor.tobytes()) for tensor in tensors.values())


def _entries(tokens: list[str], dimensions: int, context: int) -> Entries:
    return {
        "general.architecture": "bert",
        "general.name": "tiny",
        "bert.context_length": context,
        "bert.embedding_length": dimensions,
        "bert.block_count": 1,
        "bert.feed_forward_length": 2 * dimensions,
        "bert.attention.head_count": 4,
        "bert.attention.layer_norm_epsilon": 1e-12,
        "bert.attention.causal": False,
        "bert.pooling_type": 1,
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.pre": "default",
        "tokenizer.ggml.token_type_count": 2,
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3] * 5 + [1] * (len(tokens) - 5),
        "tokenizer.ggml.padding_token_id": 0,
        "tokenizer.ggml.unknown_token_id": 1,
        "tokenizer.ggml.bos_token_id": 2,
        "tokenizer.ggml.cls_token_id": 2,
        "tokenizer.ggml.seperator_token_id": 3,
        "tokenizer.ggml.mask_token_id": 4,
    }


def _weights(tokens: int, size: int, context: int) -> Tensors:
    generator = np.random.default_rng(20_261_120)

    def random(*shape: int) -> NDArray[np.float32]:
        return generator.normal(0.0, 0.5, shape).astype(np.float32)

    tensors = {
        "token_embd.weight": random(tokens, size),
        "token_types.weight": random(2, size),
        "position_embd.weight": random(context, size) / np.float32(10),
        "token_embd_norm.weight": np.ones(size, np.float32),
        "token_embd_norm.bias": np.zeros(size, np.float32),
    }
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        tensors[f"blk.0.{name}.weight"] = random(size, size)
        tensors[f"blk.0.{name}.bias"] = random(size)
    for name, rows, columns in (("ffn_up", 2 * size, size), ("ffn_down", size, 2 * size)):
        tensors[f"blk.0.{name}.weight"] = random(rows, columns)
        tensors[f"blk.0.{name}.bias"] = random(rows)
    for name in ("attn_output_norm", "layer_output_norm"):
        tensors[f"blk.0.{name}.weight"] = np.ones(size, np.float32)
        tensors[f"blk.0.{name}.bias"] = np.zeros(size, np.float32)
    return tensors


def _value(value: object) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", _BOOL, value)
    if isinstance(value, int):
        return struct.pack("<II", _UNSIGNED, value)
    if isinstance(value, float):
        return struct.pack("<If", _FLOAT, value)
    if isinstance(value, str):
        return struct.pack("<I", _TEXT) + _text(value)
    assert isinstance(value, list)
    return _list(value)


def _list(values: list[object]) -> bytes:
    if isinstance(values[0], str):
        texts = b"".join(_text(str(value)) for value in values)
        return struct.pack("<IIQ", _LIST, _TEXT, len(values)) + texts
    kind, code = (_SIGNED, "i") if isinstance(values[0], int) else (_FLOAT, "f")
    return struct.pack(f"<IIQ{len(values)}{code}", _LIST, kind, len(values), *values)


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _padded(raw: bytes) -> bytes:
    return raw + bytes(-len(raw) % _ALIGNMENT)
