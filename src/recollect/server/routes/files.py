"""Memory files: read as the caller may hear them."""

from __future__ import annotations

from recollect.caller import Caller
from recollect.server.route import Given, Routes
from recollect.workspace.reading import ReadResult

ROUTES = Routes()


class FileExtent(Given, frozen=True, kw_only=True):
    """Lines of a memory file; fields as in `Memory.read`."""

    path: str
    from_line: int = 1
    lines: int | None = None
    for_session: str | None = None


@ROUTES.add("GET", "/api/files", "read")
def read(caller: Caller, given: FileExtent) -> ReadResult:
    """Read lines of a memory file."""
    heard = caller.for_session(given.for_session)
    return caller.memory.read(given.path, given.from_line, given.lines, for_session=heard)
