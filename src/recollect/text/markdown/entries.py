"""Cuts a curated Markdown file per entry, so that each is found and cited on its own.

A line that begins with ``- `` or an ATX heading begins an entry; what follows belongs to it. The
headings above an entry are part of its text: "port 8080" alone says nothing about which service.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from recollect.text.char_cost import CHARS_PER_TOKEN
from recollect.text.chunking import Chunk, chunk_hash, chunk_markdown
from recollect.text.markdown.fences import lines_outside

HEADING_CHARS = 120
"""Characters of a heading that are repeated above its entries."""

_HEADING = re.compile(r"(#{1,6})(?:[ \t]|\r?$)")
_BULLET = "- "


class _Heading(Struct, frozen=True):
    line: int
    level: int
    text: str


class _Entry(Struct, frozen=True):
    """The lines of an entry from ``start`` on, below ``above``; ``heading`` is its own."""

    start: int
    above: tuple[_Heading, ...]
    heading: _Heading | None
    lines: list[str]

    @property
    def is_bare(self) -> bool:
        """Whether it is a heading without any text of its own."""
        return self.heading is not None and not any(line.strip() for line in self.lines[1:])


def chunk_entries(text: str, tokens: int = 400, overlap: int = 80) -> list[Chunk]:
    r"""Return the entries of ``text`` in order as chunks, each below the headings it is under.

    Entries never overlap; one that is longer than ``tokens`` is cut as `chunk_markdown` cuts. A
    heading with entries below it is not a chunk of its own. The lines are those of the entry alone.

    >>> [(c.start_line, c.text) for c in chunk_entries("# Tea\n- green\n- black")]
    [(2, '# Tea\n- green'), (3, '# Tea\n- black')]
    """
    entries = list(_entries(text))
    chunks: list[Chunk] = []
    for index, entry in enumerate(entries):
        below = entries[index + 1].above if index + 1 < len(entries) else ()
        if not (entry.is_bare and entry.heading in below):
            chunks += _chunks(entry, tokens, overlap)
    return chunks


def _entries(text: str) -> Iterator[_Entry]:
    entry = _Entry(1, (), None, [])
    for number, (line, is_outside) in enumerate(lines_outside(text), start=1):
        match = _HEADING.match(line) if is_outside else None
        if match is None and not (is_outside and line.startswith(_BULLET)):
            entry.lines.append(line)
            continue
        yield entry
        above = entry.above if entry.heading is None else (*entry.above, entry.heading)
        heading = None
        if match is not None:
            heading = _Heading(number, len(match[1]), line[:HEADING_CHARS].rstrip())
            above = tuple(each for each in above if each.level < heading.level)
        entry = _Entry(number, above, heading, [line])
    yield entry


def _chunks(entry: _Entry, tokens: int, overlap: int) -> Iterator[Chunk]:
    body = "\n".join(entry.lines).rstrip()
    if not body:
        return
    above = "".join(f"{heading.text}\n" for heading in entry.above)
    room = max(tokens - len(above) // CHARS_PER_TOKEN, tokens // 2)
    for part in chunk_markdown(body, room, min(overlap, room // 2)):
        content = above + part.text
        yield Chunk(
            start_line=entry.start + part.start_line - 1,
            end_line=entry.start + part.end_line - 1,
            text=content,
            hash=chunk_hash(content),
        )
