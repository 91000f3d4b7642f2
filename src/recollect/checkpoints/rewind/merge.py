"""Three-way merges of texts, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple


class _Hunk(NamedTuple):
    """Lines of the base that a side replaced."""

    start: int
    end: int
    lines: tuple[bytes, ...]


def merge(base: bytes, one: bytes, other: bytes) -> bytes | None:
    r"""Return the base with the changes of both sides; None where both changed the same lines.

    Changes that touch each other without sharing a line are both kept; two insertions at one
    position are not, unless they are the same. Which side is which makes no difference.

    >>> merge(b"1\n2\n3\n", b"0\n1\n2\n3\n", b"1\n2\n")
    b'0\n1\n2\n'
    """
    lines = _lines(base)
    hunks = sorted({*_hunks(lines, _lines(one)), *_hunks(lines, _lines(other))})
    if any(_overlap(first, second) for first, second in pairwise(hunks)):
        return None
    merged: list[bytes] = []
    position = 0
    for hunk in hunks:
        merged += [*lines[position : hunk.start], *hunk.lines]
        position = hunk.end
    merged += lines[position:]
    is_glued = any(not line.endswith(b"\n") for line in merged[:-1])
    return None if is_glued else b"".join(merged)


def is_text(content: bytes) -> bool:
    """Return whether bytes are UTF-8 without a NUL."""
    try:
        return "\0" not in content.decode()
    except UnicodeDecodeError:
        return False


def _lines(content: bytes) -> list[bytes]:
    """Return lines with their ends: a carriage return is part of its line."""
    *whole, last = content.split(b"\n")
    return [line + b"\n" for line in whole] + ([last] if last else [])


def _hunks(base: list[bytes], side: list[bytes]) -> Iterator[_Hunk]:
    """Yield what a side changed, in order; what both begin and end with is not compared."""
    head = _shared(base, side)
    tail = _shared(base[head:][::-1], side[head:][::-1])
    middle, changed = base[head : len(base) - tail], side[head : len(side) - tail]
    for tag, start, end, first, last in SequenceMatcher(None, middle, changed).get_opcodes():
        if tag != "equal":
            yield _Hunk(head + start, head + end, tuple(changed[first:last]))


def _shared(one: list[bytes], other: list[bytes]) -> int:
    """Return how many lines both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _overlap(first: _Hunk, second: _Hunk) -> bool:
    """Return whether two hunks, the first one first, share a line or a point of insertion."""
    return second.start < first.end or (first.start, first.end) == (second.start, second.end)
