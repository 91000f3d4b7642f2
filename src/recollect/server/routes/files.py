"""Memory files: read as the caller may hear them."""

from __future__ import annotations

from recollect.caller import Caller
from recollect.server.route import Fields, Routes
from recollect.workspace.reading import ReadResult

ROUTES = Routes()


class FileExtent(Fields, frozen=True, kw_only=True):
    """Lines of a memory file; fields as in `Memory.read`."""

    path: str
    from_line: int = 1
    lines: int | None = None
    for_session: str | None = None


@ROUTES.add("GET", "/api/files", "read")
def read(caller: Caller, fields: FileExtent) -> ReadResult:
    """Read lines of a memory file."""
    audience = caller.for_session(fields.for_session)
    return caller.memory.read(fields.path, fields.from_line, fields.lines, for_session=audience)
