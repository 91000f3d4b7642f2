"""Everything that a token hears as lines, and lines into the home."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from recollect.caller import Caller
from recollect.core.scope import Scope
from recollect.exchange.intake import ExchangeReport
from recollect.server.route import Fields, Routes
from recollect.server.values import moment_of

MEDIA = "application/x-ndjson"
MAX_DOCUMENT = 4_000_000_000
"""Bytes of a document over HTTP: it lies in the home while it is checked."""
_PIECE = 65_536
"""Bytes sent at once at least: a line alone is a hop of its own."""

ROUTES = Routes()


class ExportFields(Fields, frozen=True):
    """What is exported.

    Attributes:
        session: Only this session: its id or key.
        project: Only in this project: a path.
        since: Only of this time or later, ISO 8601 or ms UTC.
        for_session: Only what this session may hear; a token that is not the operator's hears its
            own in any case.
        files: Also the memory files.
    """

    session: str | None = None
    project: str | None = None
    since: int | str | None = None
    for_session: str | None = None
    files: bool = False


class ImportFields(Fields, frozen=True):
    """How a document is taken in; fields as those of `Memory.import_export`.

    Attributes:
        dry_run: Only count what would be taken.
        other_tenant: Also lines of another tenant, as those of the token's.
        files: Also the memory files.
    """

    dry_run: bool = False
    other_tenant: bool = False
    files: bool = False


@ROUTES.add("GET", "/api/export", "read", media=MEDIA, filename="recollect-export.jsonl")
def export(caller: Caller, fields: ExportFields) -> Iterator[bytes]:
    """Export what the token hears; everything with the right admin.

    Raises:
        Denied: the operator's part asks for the right ``admin``, memory files for ``files``.
        NotFound: the session does not exist, or not for this token.
        InvalidInput: the time cannot be one.
    """
    for_session = caller.for_session(fields.for_session)
    if for_session is None:
        caller.require("admin")
    if fields.files:
        caller.require("files")
    session = None if fields.session is None else caller.session(fields.session).id
    mine = caller.memory.scope
    leaving = caller.memory.export(
        Scope(tenant=mine.tenant, session=session, project=fields.project),
        since=None if fields.since is None else moment_of(fields.since),
        for_session=for_session,
        files=fields.files,
    )
    return _pieces(leaving.lines())


@ROUTES.add(
    "POST", "/api/import", "admin", takes=(MEDIA, "application/jsonl"), max_body=MAX_DOCUMENT
)
def import_document(caller: Caller, fields: ImportFields, file: BinaryIO) -> ExchangeReport:
    """Import an export, and return what was new; the same one again adds nothing.

    Raises:
        InvalidInput: it is none, is cut off, or was changed.
        Denied: it is of another tenant, and that was not said.
    """
    return caller.memory.import_export(
        file, dry_run=fields.dry_run, other_tenant=fields.other_tenant, files=fields.files
    )


def _pieces(lines: Iterator[bytes]) -> Iterator[bytes]:
    waiting = bytearray()
    for line in lines:
        waiting += line
        waiting += b"\n"
        if len(waiting) >= _PIECE:
            yield bytes(waiting)
            waiting.clear()
    yield bytes(waiting)
