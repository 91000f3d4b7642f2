"""Memory files: listed and read as the caller may hear them, with what the index made of them."""

from __future__ import annotations

from recollect.answers.file import FilePaths
from recollect.caller import Caller
from recollect.recall.steps.file_chunks import ChunkedFile
from recollect.server.route import Fields, Routes
from recollect.workspace.reading import ReadResult

ROUTES = Routes()


class FileExtent(Fields, frozen=True, kw_only=True):
    """Lines of a memory file; fields as in `Memory.read`."""

    path: str
    from_line: int = 1
    lines: int | None = None
    for_session: str | None = None


class Hearer(Fields, frozen=True, kw_only=True):
    """On whose behalf."""

    for_session: str | None = None


class OneFile(Hearer, frozen=True, kw_only=True):
    """A memory file."""

    path: str


@ROUTES.add("GET", "/api/files", "read")
def read(caller: Caller, fields: FileExtent) -> ReadResult:
    """Read lines of a memory file."""
    audience = caller.for_session(fields.for_session)
    return caller.memory.read(fields.path, fields.from_line, fields.lines, for_session=audience)


@ROUTES.add("GET", "/api/files/paths", "read")
def paths(caller: Caller, fields: Hearer) -> FilePaths:
    """List the paths of the memory files."""
    audience = caller.for_session(fields.for_session)
    return FilePaths(paths=tuple(caller.memory.files(for_session=audience)))


@ROUTES.add("GET", "/api/files/chunks", "read")
def chunks(caller: Caller, fields: OneFile) -> ChunkedFile:
    """Get a memory file with the chunks that the index made of it."""
    audience = caller.for_session(fields.for_session)
    return caller.memory.file_chunks(fields.path, for_session=audience)
