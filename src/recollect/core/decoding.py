"""Decoding into types, by msgspec, in any number of threads.

msgspec reads the annotations of a type when it is first decoded into. A thread that meets a type
which another one is reading ends the process (0.22 on Python 3.11 to 3.13), also where it is only
the type of a field. So types are read here alone, under one lock.
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")
Content = bytes | bytearray | memoryview | msgspec.Raw | str

READ: dict[Any, msgspec.json.Decoder[Any]] = {}
"""The types that were read, and their decoders from JSON."""
_MSGPACK: dict[Any, msgspec.msgpack.Decoder[Any]] = {}
_READING = threading.Lock()


@overload
def decode_json(content: Content, kind: type[T]) -> T: ...
@overload
def decode_json(content: Content, kind: Any) -> Any: ...
def decode_json(content: Content, kind: Any) -> Any:
    """Return JSON as a type; see `msgspec.json.decode` for what is raised."""
    return (READ.get(kind) or json_decoder(kind)).decode(content)


def decode_msgpack(content: bytes | memoryview, kind: type[T]) -> T:
    """Return MessagePack as a type; see `msgspec.msgpack.decode` for what is raised."""
    return msgpack_decoder(kind).decode(content)


@overload
def convert_value(value: object, kind: type[T], **options: Any) -> T: ...
@overload
def convert_value(value: object, kind: Any, **options: Any) -> Any: ...
def convert_value(value: object, kind: Any, **options: Any) -> Any:
    """Return a value as a type; see `msgspec.convert` for the options and what is raised."""
    if kind not in READ:
        json_decoder(kind)
    return msgspec.convert(value, kind, **options)


@overload
def json_decoder(kind: type[T]) -> msgspec.json.Decoder[T]: ...
@overload
def json_decoder(kind: Any) -> msgspec.json.Decoder[Any]: ...
def json_decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """Return the decoder of a type from JSON; the type is read with that."""
    with _READING:
        if kind not in READ:
            READ[kind] = msgspec.json.Decoder(kind)
        return READ[kind]


def msgpack_decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]:
    """Return the decoder of a type from MessagePack."""
    with _READING:
        if kind not in _MSGPACK:
            _MSGPACK[kind] = msgspec.msgpack.Decoder(kind)
        return _MSGPACK[kind]
