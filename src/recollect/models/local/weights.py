"""Reads model weights from a safetensors file without trusting it.

The format: eight bytes little-endian header length, a JSON header that names each tensor's
type, shape and byte range, then the bytes. Nothing here knows what the tensors mean.
"""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.core.decoding import decode_json
from recollect.core.errors import EmbeddingError

Weights = dict[str, NDArray[np.float32]]

_LENGTH_BYTES = 8
_MAX_HEADER_BYTES = 16 << 20
"""A header of a hundred tensors has 10 kB; the limit keeps a damaged length from reading the whole
file."""
_MAX_RANK = 8


class _Entry(msgspec.Struct, frozen=True):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def read_weights(path: Path) -> Weights:
    """Return the float32 tensors of ``path`` by name, memory-mapped and read-only.

    Tensors of other types are left out.

    Raises:
        EmbeddingError: the file is not a safetensors file, or its header points outside of it.
        OSError: the file cannot be read.
    """
    size = path.stat().st_size
    header, start = _read_header(path, size)
    data = np.memmap(path, dtype=np.uint8, mode="r") if size else np.empty(0, np.uint8)
    return {
        name: _view(data[start:], name, entry)
        for name, entry in header.items()
        if entry.dtype == "F32"
    }


def _read_header(path: Path, size: int) -> tuple[dict[str, _Entry], int]:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        if size < _LENGTH_BYTES or length > min(_MAX_HEADER_BYTES, size - _LENGTH_BYTES):
            raise _damaged("its header is longer than the file")
        raw = file.read(length)
    try:
        names = decode_json(raw, dict[str, msgspec.Raw])
        names.pop("__metadata__", None)
        entries = {n: decode_json(raw, _Entry) for n, raw in names.items()}
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _damaged("its header cannot be read") from error
    return entries, _LENGTH_BYTES + length


def _view(data: NDArray[np.uint8], name: str, entry: _Entry) -> NDArray[np.float32]:
    first, last = entry.data_offsets
    if not 0 <= first <= last <= len(data):
        raise _damaged(f"tensor {name} lies outside of it")
    if len(entry.shape) > _MAX_RANK or any(side < 0 for side in entry.shape):
        raise _damaged(f"tensor {name} has no possible shape")
    if math.prod(entry.shape) * 4 != last - first:
        raise _damaged(f"tensor {name} has another size than its shape")
    return data[first:last].view("<f4").reshape(entry.shape)


def _damaged(why: str) -> EmbeddingError:
    return EmbeddingError(
        f"the weights file is damaged: {why}", hint="run `recollect models install` again"
    )
