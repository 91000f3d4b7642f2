"""Withheld lines: lines of a file that are not shown, known by what they are, not where."""

from __future__ import annotations

import hashlib
from collections.abc import Collection


def line_hash(line: bytes) -> bytes:
    r"""Return by what a line is known again: all its bytes, but not how it ends.

    >>> line_hash(b"- tea") == line_hash(b"- tea\r")
    True
    """
    return hashlib.sha256(line.rstrip(b"\r")).digest()


def without_lines(content: bytes, hashes: Collection[bytes]) -> bytes:
    """Return a content in which lines with these hashes are empty; each line keeps its number."""
    if not hashes:
        return content
    lines = content.split(b"\n")
    return b"\n".join(b"" if line_hash(line) in hashes else line for line in lines)
