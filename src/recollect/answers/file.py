"""Lines of a memory file, as MCP answers them; HTTP and ``--json`` answer a `ReadResult`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from recollect.answers.hit import (
    NOTE,
    Links,
    Note,
    Tokens,
    Trust,
    cost_of,
    link_outputs,
    trust_of_file,
)
from recollect.workspace.reading import ReadResult


class FileOutput(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename={"from_line": "from", "total_lines": "totalLines", "next_from": "nextFrom"},
):
    """Lines of a memory file."""

    note: Note
    status: Literal["ok", "not_found"]
    path: str
    source: str
    trust: Trust
    text: str
    from_line: int
    lines: int
    total_lines: int
    truncated: bool
    tokens: Tokens
    next_from: int | UnsetType = UNSET
    links: Links | UnsetType = UNSET


class FileList(msgspec.Struct, frozen=True, kw_only=True):
    """Files that have a section."""

    files: Sequence[str]


def file_output(read: ReadResult) -> FileOutput:
    """Return lines of a memory file."""
    links = link_outputs(read.links)
    return FileOutput(
        note=NOTE,
        status=read.status,
        path=read.path,
        source="memory",
        trust=trust_of_file(read.path),
        text=read.text,
        from_line=read.from_line,
        lines=read.lines,
        total_lines=read.total_lines,
        truncated=read.truncated,
        tokens=cost_of(read.text) + (cost_of(links) if links else 0),
        next_from=UNSET if read.next_from is None else read.next_from,
        links=links,
    )
