"""Sections: lines that recollect keeps between two markers of a user's Markdown file.

The first marker has a digest of the lines, so that it shows whether a person changed them since.
Removing a section leaves every other byte of the file as it was.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from recollect.core.errors import Conflict
from recollect.text.markdown.fences import lines_outside

BEGIN = "<!-- recollect:begin"
END = "<!-- recollect:end -->"
MARK = "<!-- recollect:"
"""A string in every text that has a section."""
_BEGINS = re.compile(rf"{BEGIN}(?: (\S+))? -->")
_NUMBER = re.compile(r"- \[#([1-9][0-9]{0,14}) ")


class Section(Struct, frozen=True):
    """A section of a file.

    Attributes:
        first: The index of its first marker among the lines of the file, from 0.
        last: The index of its last marker.
        lines: The lines between them.
        digest: The digest in the first marker; None without one.
    """

    first: int
    last: int
    lines: tuple[str, ...]
    digest: str | None

    @property
    def is_ours(self) -> bool:
        """Whether it is unchanged, or was made empty by a person to be filled."""
        if self.digest is None:
            return not any(map(str.strip, self.lines))
        return self.digest == _digest(self.lines)


def find_section(content: bytes) -> Section | None:
    """Return the section of a file; None where it has none.

    Raises:
        Conflict: its markers are not one pair.
    """
    text = _decoded(content)
    section, is_paired = _find_section(text) if MARK in text else (None, True)
    if not is_paired:
        hint = f"keep one `{BEGIN} -->` and one `{END}` after it, each on a line of its own"
        raise Conflict("the markers of the section must be one pair", hint=hint)
    return section


def with_section(content: bytes, lines: Iterable[str] | None) -> bytes:
    """Return a file with lines as its section, at the end where it has none yet.

    Args:
        content: The file.
        lines: None removes the section.

    Raises:
        Conflict: its markers are not one pair, or it ends within a block of code.
    """
    section, rows = find_section(content), _decoded(content).split("\n")
    if section is not None:
        first, after = section.first, section.last + 1
        end = "\r" if rows[first].endswith("\r") else ""
    else:
        first = after = len(rows) - (not rows[-1])
        end = "\r" if any(row.endswith("\r") for row in rows[:-1]) else ""
    block = [] if lines is None else [row + end for row in _block(tuple(lines))]
    text = "\n".join([*rows[:first], *block, *rows[after:]])
    if block and _find_section(text)[0] is None:
        hint = f"close it, or write `{BEGIN} -->` and `{END}` where the section is to be"
        raise Conflict("the file ends within a block of code", hint=hint)
    return text.encode("utf-8", "surrogateescape")


def without_section(text: str) -> str:
    """Return a text in which the lines of a section that is ours are empty; each keeps its number.

    Lines that a person changed are kept.
    """
    section, _ = _find_section(text)
    if section is None or not section.is_ours:
        return text
    rows = text.split("\n")
    blank = [""] * (section.last + 1 - section.first)
    return "\n".join([*rows[: section.first], *blank, *rows[section.last + 1 :]])


def numbers_in(content: bytes) -> frozenset[int]:
    """Return the numbers of the observations in the section of a file."""
    section, _ = _find_section(_decoded(content))
    matches = map(_NUMBER.match, () if section is None else section.lines)
    return frozenset(int(number[1]) for number in matches if number is not None)


def resealed(before: bytes, after: bytes) -> bytes:
    """Return ``after``, its section sealed again if that of ``before`` was ours."""
    section, _ = _find_section(_decoded(before))
    changed, _ = _find_section(_decoded(after))
    if section is None or changed is None or not section.is_ours:
        return after
    return with_section(after, changed.lines)


def _find_section(text: str) -> tuple[Section | None, bool]:
    """Return the section of a text, if its markers are one pair, and whether they are."""
    first: list[int] = []
    last: list[int] = []
    rows = text.split("\n")
    for row_number, (line, is_outside) in enumerate(lines_outside(text)):
        row = line.strip()
        if is_outside and (row == END or _BEGINS.fullmatch(row)):
            (last if row == END else first).append(row_number)
    if not first and not last:
        return None, True
    if len(first) != 1 or len(last) != 1 or first > last:
        return None, False
    marker = _BEGINS.fullmatch(rows[first[0]].strip())
    lines = tuple(row.removesuffix("\r") for row in rows[first[0] + 1 : last[0]])
    return Section(first[0], last[0], lines, marker[1] if marker else None), True


def _block(lines: Sequence[str]) -> list[str]:
    return [f"{BEGIN} {_digest(lines)} -->", *lines, END]


def _digest(lines: Sequence[str]) -> str:
    content = "\n".join(lines).encode("utf-8", "surrogateescape")
    return hashlib.sha256(content).hexdigest()[:16]


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
