"""Withheld lines: lines of a file that are not shown, recognised by content, not by position."""

from __future__ import annotations

import hashlib
from collections.abc import Collection


def line_hash(line: bytes) -> bytes:
    r"""Return the hash that identifies a line: of all its bytes but the line ending.

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
