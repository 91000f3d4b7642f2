"""Cuts Markdown into chunks that overlap, by the rules of OpenClaw's `chunkMarkdown`.

Where its versions differ: sizes are weighted as in 2026.9 (a Chinese character is a token, not a
quarter of one) and the overlap never makes a chunk too large, as there; but what overlaps is whole
lines, as in 2026.2, so that a chunk is what its line numbers say.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate, pairwise

from msgspec import Struct

from recollect.text.char_cost import CHARS_PER_TOKEN, HEAVIEST, char_cost, stop_within

MIN_CHARS = 2 * HEAVIEST
"""The smallest chunk size, whatever size is requested."""


class Chunk(Struct, frozen=True, kw_only=True):
    """A piece of a text: its lines, or a part of one line that is longer than a chunk."""

    start_line: int
    """1-based."""
    end_line: int
    """1-based, inclusive."""
    text: str
    hash: str
    """SHA-256 of the text in UTF-8, hexadecimal."""


class _Unit(Struct, frozen=True):
    """A line, or a part of a line that was cut."""

    line: int
    start: int
    stop: int
    size: int
    """Weight, and 1 for the line break."""
    is_whole: bool


def chunk_markdown(text: str, tokens: int = 400, overlap: int = 80) -> list[Chunk]:
    r"""Return the chunks of ``text`` in order; one empty chunk for an empty text.

    Lines end at ``\n`` only; a final line break makes an empty last line. A chunk is filled with
    lines up to ``max(32, 4 * tokens)`` characters, and begins with the last lines of the one before
    as far as they fit into ``4 * overlap``; when not even one fits, with that one if it is at most
    half a chunk. A longer line is cut. Chinese, Japanese and Korean characters weigh 4.

    Source: the golden outputs of OpenClaw 2026.2.9 and 2026.9.6; weights from the latter.
    """
    limit = max(MIN_CHARS, tokens * CHARS_PER_TOKEN)
    units = _units(text, limit)
    spans = _spans(units, limit, max(0, overlap * CHARS_PER_TOKEN))
    return [_chunk(text, units[first], units[last - 1]) for first, last in spans]


def chunk_hash(text: str) -> str:
    """Return the hash of a chunk of ``text``; lone surrogates have one too."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _units(text: str, limit: int) -> list[_Unit]:
    """Return the lines of ``text``; those above ``limit`` in parts of at most ``limit``."""
    measure = len if text.isascii() else char_cost
    units: list[_Unit] = []
    start = 0
    for number, line in enumerate(text.split("\n"), start=1):
        stop = start + len(line)
        size = measure(line)
        if size <= limit:
            units.append(_Unit(number, start, stop, size + 1, True))
        else:
            units += [
                _Unit(number, start + first, start + last, measure(line[first:last]) + 1, False)
                for first, last in pairwise(_cuts(line, limit))
            ]
        start = stop + 1
    return units


def _cuts(line: str, limit: int) -> Iterator[int]:
    """Yield the borders of the parts of ``line``, its two ends included."""
    at = 0
    while at < len(line):
        yield at
        at = stop_within(line, at, limit)
    yield at


def _spans(units: list[_Unit], limit: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield the first unit of every chunk and the one after its last."""
    totals = [0, *accumulate(unit.size for unit in units)]
    first = new = 0
    while new < len(units):
        fits = bisect_right(totals, totals[first] + limit, lo=new) - 1
        last = max(fits, new + 1)
        yield first, last
        first = new = last
        if overlap and new < len(units):
            first = _overlap_start(units, totals, new, limit, overlap)


def _overlap_start(
    units: list[_Unit], totals: list[int], new: int, limit: int, overlap: int
) -> int:
    """Return the first of the whole lines before unit ``new`` that its chunk repeats."""
    room = limit - units[new].size
    first = bisect_left(totals, totals[new] - min(overlap, room), hi=new)
    if first == new and units[new - 1].size <= min(room, limit // 2):
        first = new - 1
    parts = [index for index in range(first, new) if not units[index].is_whole]
    return parts[-1] + 1 if parts else first


def _chunk(text: str, first: _Unit, last: _Unit) -> Chunk:
    piece = text[first.start : last.stop]
    return Chunk(start_line=first.line, end_line=last.line, text=piece, hash=chunk_hash(piece))
