"""Memory files, as MCP answers their lines; HTTP and ``--json`` answer a `ReadResult`."""

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


class FilePaths(msgspec.Struct, frozen=True, kw_only=True):
    """Paths of memory files, sorted."""

    paths: tuple[str, ...]


def file_output(result: ReadResult) -> FileOutput:
    """Return lines of a memory file."""
    links = link_outputs(result.links)
    return FileOutput(
        note=NOTE,
        status=result.status,
        path=result.path,
        source="memory",
        trust=trust_of_file(result.path),
        text=result.text,
        from_line=result.from_line,
        lines=result.lines,
        total_lines=result.total_lines,
        truncated=result.truncated,
        tokens=cost_of(result.text) + (cost_of(links) if links else 0),
        next_from=UNSET if result.next_from is None else result.next_from,
        links=links,
    )
