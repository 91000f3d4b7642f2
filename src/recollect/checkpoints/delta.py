"""Differences between two contents: what is copied from the base, and what is new.

Lines that both have are found by their bytes, so that edits at several places stay small. The
result is compressed; it needs the base, which is stored whole, to be read again.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import accumulate

_BLOCK = 65_536
_LONG_LINE = 16
"""Bytes of a line from which it begins a copy: shorter ones cost less as new text."""


def encode(base: bytes, content: bytes) -> bytes:
    """Return the differences of ``content`` from ``base``, compressed."""
    head = _common_prefix(base, content)
    tail = _common_suffix(base[head:], content[head:])
    out = bytearray()
    _add(out, b"", 0, head)
    middle = content[head : len(content) - tail]
    for text, start, length in _pieces(base[head : len(base) - tail], middle):
        _add(out, text, head + start, length)
    _add(out, b"", len(base) - tail, tail)
    return zlib.compress(bytes(out), 6)


def decode(base: bytes, delta: bytes) -> bytes:
    """Return the content that `encode` was given.

    Raises:
        ValueError: the bytes are no differences.
    """
    try:
        packed = zlib.decompress(delta)
    except zlib.error as error:
        raise ValueError("the differences cannot be decompressed") from error
    out = bytearray()
    position = 0
    while position < len(packed):
        new, position = _number(packed, position)
        out += packed[position : position + new]
        start, position = _number(packed, position + new)
        length, position = _number(packed, position)
        out += base[start : start + length]
    return bytes(out)


def _pieces(base: bytes, content: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield new text, and the start and length of the copy from the base that follows it."""
    lines = base.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, lines))]
    where: dict[bytes, int] = {}
    for number, line in enumerate(lines):
        where.setdefault(line, number)
    new: list[bytes] = []
    first = after = 0
    for line in content.splitlines(keepends=True):
        if first < after < len(lines) and lines[after] == line:
            after += 1
            continue
        if first < after:
            yield b"".join(new), starts[first], starts[after] - starts[first]
            new, first, after = [], 0, 0
        copied = where.get(line) if len(line) >= _LONG_LINE else None
        if copied is None:
            new.append(line)
        else:
            first, after = copied, copied + 1
    yield b"".join(new), starts[first], starts[after] - starts[first]


def _add(out: bytearray, new: bytes, start: int, length: int) -> None:
    if new or length:
        out += _packed(len(new)) + new + _packed(start) + _packed(length)


def _packed(number: int) -> bytes:
    """Return a number in seven bits a byte, the lowest first."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _number(packed: bytes, position: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        if position >= len(packed):
            raise ValueError("the differences end too early")
        byte = packed[position]
        position += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, position
        shift += 7


def _common_prefix(one: bytes, other: bytes) -> int:
    """Return how many bytes both begin with."""
    most = min(len(one), len(other))
    low = 0
    while low < most and one[low : low + _BLOCK] == other[low : low + _BLOCK]:
        low = min(low + _BLOCK, most)
    high = min(low + _BLOCK, most)
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(one: bytes, other: bytes) -> int:
    """Return how many bytes both end with."""
    return _common_prefix(one[::-1], other[::-1])
