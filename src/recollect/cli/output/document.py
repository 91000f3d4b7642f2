"""The JSON document of a command: one, on stdout, in UTF-8, and nothing else."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any, TextIO

import msgspec

_CONTROL = re.compile("[\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def print_document(document: object, stream: TextIO | None = None) -> None:
    """Write ``document`` and a newline.

    Args:
        document: Structs, mappings, lists, texts, numbers.
        stream: Where to; stdout if not given.
    """
    target = sys.stdout if stream is None else stream
    content = encoded(document)
    target.flush()
    buffer = getattr(target, "buffer", None)
    if buffer is None:
        target.write(content.decode() + "\n")
    else:
        # Past the encoding of the terminal: JSON is UTF-8.
        buffer.write(content + b"\n")
    target.flush()


def encoded(document: object) -> bytes:
    """Return ``document`` as JSON without raw control characters, also those above ASCII."""
    try:
        content = msgspec.json.encode(document)
    except UnicodeEncodeError:  # a file name that is not UTF-8
        content = msgspec.json.encode(_without_surrogates(msgspec.to_builtins(document)))
    text = content.decode()
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {_without_surrogates(k): _without_surrogates(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value
