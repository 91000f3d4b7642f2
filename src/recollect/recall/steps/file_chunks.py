"""Memory files with the chunks that the index made of them."""

from __future__ import annotations

from bisect import bisect_right
from functools import partial

import msgspec

from recollect.index.index import Index
from recollect.index.model.file_chunks import IndexedChunk, chunks_of_file
from recollect.text.markdown.fences import lines_outside
from recollect.text.tokens import estimate_tokens
from recollect.workspace.reading import ReadResult

_MARK = "#"
_DEEPEST = 6


class FileChunk(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a memory file that is searched on its own.

    Attributes:
        id: In the index, until that is built again.
        start_line: Its first line, from 1.
        end_line: Its last line.
        heading: The heading that it is under, or begins with; None without one.
        tokens: About what it costs in a prompt, the headings above it included.
    """

    id: int
    start_line: int
    end_line: int
    heading: str | None
    tokens: int


class ChunkedFile(ReadResult, frozen=True, kw_only=True):
    """A memory file with its chunks; none where it is not indexed yet.

    Attributes:
        chunks: As the index has them: they are of an older text until a change is indexed.
    """

    chunks: tuple[FileChunk, ...]


def chunked(index: Index, tenant: str, file: ReadResult) -> ChunkedFile:
    """Return a file with its chunks.

    Args:
        index: Has them.
        tenant: The owner of the file.
        file: What of it may be read.
    """
    headings = _headings(file.text)
    lines = [line for line, _ in headings]

    def heading(line: int) -> str | None:
        above = bisect_right(lines, line)
        return headings[above - 1][1] if above else None

    indexed: list[IndexedChunk] = index.of_files(tenant, partial(chunks_of_file, path=file.path))
    chunks = tuple(
        FileChunk(
            id=each.id,
            start_line=each.start_line,
            end_line=each.end_line,
            heading=heading(each.start_line),
            tokens=estimate_tokens(each.text),
        )
        for each in indexed
    )
    fields = {name: getattr(file, name) for name in ReadResult.__struct_fields__}
    return ChunkedFile(**fields, chunks=chunks)


def _headings(text: str) -> list[tuple[int, str]]:
    """Return the number and the words of each heading; those of code blocks are none."""
    headings = []
    for number, (line, is_outside) in enumerate(lines_outside(text), start=1):
        level = len(line) - len(line.lstrip(_MARK))
        if is_outside and 1 <= level <= _DEEPEST and line[level : level + 1].isspace():
            headings.append((number, line[level:].strip()))
    return headings
