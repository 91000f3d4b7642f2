"""Reads what a GGUF file says about its model, from its first kilobytes, trusting nothing in it.

The format: ``GGUF``, a version, the numbers of tensors and of entries, then the entries: a name, a
type and a value. What is wanted mostly stands before the tokenizer's long lists.

Source: the GGUF specification, versions 2 and 3.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

import msgspec

from recollect.core.errors import ModelMissing

_MAX_TEXT_BYTES = 1 << 20
_MAX_ENTRIES = 10_000
_MAX_ITEMS = 10_000_000
_TEXT, _LIST = 8, 9
_SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}

Value = int | float | bool | str | None


class GgufModel(msgspec.Struct, frozen=True, kw_only=True):
    """What a file says of its model.

    Attributes:
        architecture: Such as ``gemma-embedding`` or ``bert``.
        name: The model's name; empty where the file has none.
        dimensions: Size of its vectors.
        context_tokens: How many tokens it reads at once.
    """

    architecture: str
    name: str
    dimensions: int
    context_tokens: int


def read_gguf(path: Path) -> GgufModel:
    """Return what the file at ``path`` says.

    Raises:
        ModelMissing: it is no GGUF file, is damaged, or does not say what is needed.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        try:
            found = _read(file)
        except (struct.error, UnicodeDecodeError) as error:
            raise _damaged("it ends too early") from error
    return found


def _read(file: BinaryIO) -> GgufModel:
    if file.read(4) != b"GGUF" or _number(file, "I") not in {2, 3}:
        raise _damaged("it is no GGUF file")
    _number(file, "Q")
    count = int(_number(file, "Q"))
    entries: dict[str, Value] = {}
    for _ in range(min(count, _MAX_ENTRIES)):
        name = _text(file)
        entries[name] = _value(file, int(_number(file, "I")))
        found = _model(entries)
        if found is not None:
            return found
    raise _damaged("it does not say the size of its vectors")


def _model(entries: dict[str, Value]) -> GgufModel | None:
    architecture = entries.get("general.architecture")
    dimensions = entries.get(f"{architecture}.embedding_length")
    context = entries.get(f"{architecture}.context_length")
    if not (isinstance(architecture, str) and _is_size(dimensions) and _is_size(context)):
        return None
    name = entries.get("general.name")
    return GgufModel(
        architecture=architecture,
        name=name if isinstance(name, str) else "",
        dimensions=int(dimensions or 0),
        context_tokens=int(context or 0),
    )


def _is_size(value: Value) -> bool:
    return type(value) is int and 0 < value <= 1 << 24


def _value(file: BinaryIO, kind: int) -> Value:
    if kind in _SCALARS:
        return _number(file, _SCALARS[kind])
    if kind == _TEXT:
        return _text(file)
    if kind != _LIST:
        raise _damaged("it holds a value of an unknown type")
    _skip_list(file)
    return None


def _skip_list(file: BinaryIO) -> None:
    kind, count = int(_number(file, "I")), int(_number(file, "Q"))
    if count > _MAX_ITEMS or kind not in {*_SCALARS, _TEXT}:
        raise _damaged("it holds a list that no model has")
    if kind != _TEXT:
        file.seek(count * struct.calcsize("<" + _SCALARS[kind]), 1)
        return
    for _ in range(count):
        _text(file)


def _number(file: BinaryIO, code: str) -> int | float | bool:
    code = "<" + code
    found: int | float | bool = struct.unpack(code, file.read(struct.calcsize(code)))[0]
    return found


def _text(file: BinaryIO) -> str:
    length = int(_number(file, "Q"))
    raw = file.read(length) if length <= _MAX_TEXT_BYTES else b""
    if len(raw) != length:
        raise _damaged("a text in it has no possible length")
    return raw.decode("utf-8")


def _damaged(why: str) -> ModelMissing:
    return ModelMissing(
        f"the GGUF file cannot be used: {why}",
        hint="get the file again, or name another with embedding.gguf_path",
    )
