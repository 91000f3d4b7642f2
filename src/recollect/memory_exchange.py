"""Import and export: transcripts, exports, and the data of other programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.audience.visibility import Asker
from recollect.core.checks import checked
from recollect.core.clock import check_time
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.core.settings import user_path
from recollect.store.failures import os_errors

if TYPE_CHECKING:  # imported on first use
    from collections.abc import Callable
    from datetime import datetime
    from typing import BinaryIO

    from recollect.exchange.export import (
        ExportParts,
        ExportProgress,
        HomeExport,
    )
    from recollect.exchange.gate import Destination
    from recollect.exchange.intake import ExchangeReport, OnImport
    from recollect.exchange.lines import FileLine
    from recollect.exchange.report import ImportReport, OnFiles
    from recollect.exchange.session_export import SessionExport
    from recollect.recall.followed import FollowedFile
    from recollect.rooms import Rooms


@checked
class ExchangeFacade:
    """The part of the facade that imports and exports.

    Args:
        rooms: Those of the memory.
    """

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    def import_transcripts(
        self,
        path: Path | str,
        format_name: str = "auto",
        progress: OnFiles | None = None,
        *,
        include_deleted: bool = False,
    ) -> ImportReport:
        """Import a transcript, or all below a folder; return counts of new messages, and errors.

        Args:
            path: A file, or a folder whose ``.jsonl`` files and stores of OpenClaw are taken.
            format_name: ``claude-code``, ``openclaw``, ``jsonl``; ``auto`` detects it from each
                file.
            progress: Called after each batch and each file.
            include_deleted: Also import sessions that were deleted in OpenClaw.

        Raises:
            NotFound: the file or folder does not exist.
            InvalidInput: the format is unknown.
            StoreError: the database or the disk refused.
        """
        run = self._rooms.importer.run
        return run(path, format_name, progress, include_deleted=include_deleted)

    def transcript_grew(
        self, path: str, format_name: str, *, is_awaited: bool = False
    ) -> FollowedFile | None:
        """Report that a program wrote to a transcript, as its hooks say.

        Args:
            path: Absolute.
            format_name: The program, ``claude-code``.
            is_awaited: Read what is new before returning, for a second at most; else at once.

        Returns:
            The transcript; None where it is not below a followed folder, see
            ``workspace.transcripts``.
        """
        report = self._rooms.opened.maintenance.transcript_grew
        return report(path, format_name, is_awaited=is_awaited)

    def export_session(self, session_id: str, format_name: str) -> SessionExport:
        """Return a session in a format that our import reads: ``.lines()``, ``.save(…)``.

        Args:
            session_id: Which session; of a fork also the messages that it shares.
            format_name: ``claude-code``, ``openclaw`` or ``jsonl``.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: the format is unknown.
        """
        from recollect.exchange.formats.registry import writer_of
        from recollect.exchange.session_export import SessionExport

        return SessionExport(self._rooms.sessions, session_id, writer_of(format_name))

    def export(
        self,
        scope: Scope | None = None,
        *,
        since: int | datetime | None = None,
        for_session: str | None = None,
        files: bool = False,
        on_progress: Callable[[ExportProgress], None] | None = None,
    ) -> HomeExport:
        """Return an export of everything that this memory has; see `import_export`.

        Sessions with their messages, compactions, observations and episodes, and facts with their
        history, deleted and forgotten ones included; projects and their paths. No settings, tokens
        or derived data.

        Args:
            scope: Only what belongs to it; it cannot see more than the scope of this memory.
            since: Only records from this time on, ms UTC or datetime.
            for_session: Only what this session may hear; without it the operator asks.
            files: Also the memory files of the workspace, without secrets.
            on_progress: Called after each session.

        Returns:
            ``.lines()`` yields the document, ``.save(path)`` writes it.

        Raises:
            NotFound: the scope lacks the session, or belongs to another owner.
            InvalidInput: memory files are wanted, and this memory has no workspace.
        """
        from recollect.exchange.export import ExportOrder, HomeExport

        seen = self._rooms.scope if scope is None else self._rooms.narrowed(scope)
        if seen is None:
            raise NotFound("the scope is of another owner", hint="ask within your own scope")
        if seen.session is not None:
            self._rooms.sessions.get(seen.session)
        at = None if since is None else check_time(since)
        order = ExportOrder(scope=seen, since=at, asker=Asker(for_session), files=files)
        return HomeExport(_export_parts(self._rooms), order, on_progress)

    def import_export(
        self,
        source: Path | str | BinaryIO,
        *,
        dry_run: bool = False,
        other_tenant: bool = False,
        files: bool = False,
        on_progress: OnImport | None = None,
    ) -> ExchangeReport:
        """Import what `export` wrote; the same document again adds nothing.

        All of it is read first: a truncated or changed document is refused, and nothing is stored.
        Records keep their ids, and their short numbers where they are free. Secrets, and what is
        not captured here, are left out; what was erased here is not imported again.

        Args:
            source: A path, or an open file that can be read from its beginning again.
            dry_run: Only report what would be stored.
            other_tenant: Accept a document of another tenant; its records get new ids.
            files: Also write memory files that the workspace does not have.
            on_progress: Called after each transaction.

        Raises:
            NotFound: the file does not exist.
            InvalidInput: it is another kind of file, or not as it was written.
            Denied: it belongs to another tenant, and ``other_tenant`` is not set.
            StoreError: the database or the disk refused; what was stored stays.
        """
        from recollect.exchange.intake import IntakeOrder, read_export

        path = str(source) if isinstance(source, str | Path) else ""
        order = IntakeOrder(
            dry_run=dry_run,
            other_tenant=other_tenant,
            files=files,
            on_progress=on_progress or (lambda _: None),
            path=path,
        )
        if not isinstance(source, str | Path):
            return read_export(self._destination(), source, order)
        with _opened(Path(source)) as file:
            return read_export(self._destination(), file, order)

    def import_claude_mem(
        self, path: Path | str, *, dry_run: bool = False, on_progress: OnImport | None = None
    ) -> ExchangeReport:
        """Import the data of claude-mem: its database, or a JSON file that it exported.

        Its sessions, prompts, observations and summaries, with the trust ``imported``, are heard
        by the owner only. The same again adds nothing; the database is only read.

        Args:
            path: ``claude-mem.db``, or the JSON file.
            dry_run: Only report what would be stored.
            on_progress: Called after each transaction.

        Raises:
            NotFound: the file does not exist.
            InvalidInput: it is neither.
            ForeignStoreError: the database cannot be read, or its version is not supported.
            StoreError: the database or the disk refused; what was stored stays.
        """
        from recollect.exchange.formats.claude_mem import read_claude_mem
        from recollect.exchange.intake import IntakeOrder, take_records

        source = user_path(path)
        tell = on_progress or (lambda _: None)
        order = IntakeOrder(dry_run=dry_run, on_progress=tell, path=str(source))
        with read_claude_mem(source, self._rooms.scope.tenant) as (checked, records):
            return take_records(self._destination(), checked, records, order)

    def _destination(self) -> Destination:
        return self._rooms.destination(self._rooms.opened.maintenance)


def _opened(path: Path) -> BinaryIO:
    source = user_path(path)
    with os_errors(source):
        if source.is_dir():
            raise InvalidInput("an export is a file", hint="name the file", path=str(source))
        try:
            return source.open("rb")
        except FileNotFoundError as error:
            hint = "name what `recollect export --all FILE` wrote"
            raise NotFound("the export does not exist", hint=hint, path=str(source)) from error


def _export_parts(rooms: Rooms) -> ExportParts:
    from recollect.exchange.export import ExportParts

    return ExportParts(
        home=rooms.home.folder,
        database=rooms.records,
        blobs=rooms.blobs,
        clock=rooms.home.clock,
        ids=rooms.home.ids,
        audience=rooms.audience,
        files=None if rooms.workspace is None else lambda: _files(rooms),
    )


def _files(rooms: Rooms) -> Iterator[FileLine]:
    from recollect.exchange.lines import FileLine

    source, workspace = rooms.files, rooms.workspace
    if source is None or workspace is None:
        return
    for file in source.folder.listing().files:
        if file.root == workspace:
            yield FileLine(path=file.ref, text=source.folder.text(file)[0])
