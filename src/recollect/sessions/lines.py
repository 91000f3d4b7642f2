"""Lines of a foreign file, read with bounded memory and with the place where each one ends.

Knows bytes, not JSON. A line that is too long is told, not loaded; a line without its end is told
too, because somebody may still be writing it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import msgspec

MAX_LINE_BYTES = 18 * 1024 * 1024
"""Longest line that is read: an exported message of the largest size, with its facts."""

_DRAIN_BYTES = 1024 * 1024
_BOM = b"\xef\xbb\xbf"


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a file.

    Attributes:
        number: 1-based.
        end: Offset in bytes behind the line and its line break.
        body: Without byte order mark and line break; None if it is longer than the limit.
        complete: It has its line break.
    """

    number: int
    end: int
    body: bytes | None
    complete: bool


def read_lines(
    file: BinaryIO, *, offset: int = 0, number: int = 0, limit: int = MAX_LINE_BYTES
) -> Iterator[Line]:
    """Yield the lines from ``offset`` on, of which ``number`` lines stand before it.

    Memory stays under ``limit`` and a megabyte, however long a line is.
    """
    file.seek(offset)
    while part := file.readline(limit + 1):
        number += 1
        start, offset = offset, offset + len(part)
        if len(part) <= limit or part.endswith(b"\n"):
            yield Line(
                number=number,
                end=offset,
                body=_stripped(part, first=start == 0),
                complete=part.endswith(b"\n"),
            )
            continue
        part = b""
        while part[-1:] != b"\n" and (part := file.readline(_DRAIN_BYTES)):
            offset += len(part)
        yield Line(number=number, end=offset, body=None, complete=part.endswith(b"\n"))


def _stripped(line: bytes, *, first: bool) -> bytes:
    body = line.rstrip(b"\r\n")
    return body.removeprefix(_BOM) if first else body
