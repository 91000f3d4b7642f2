"""Removes lines of notes that only erased sessions said: from the indexes first, then the files.

An index knows a file of notes by its workspace, which need not be the one that is open now. So the
whole file is removed from it, and is indexed again with the next sync of its workspace.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path

from recollect.index.model.document import DocumentBatch, DocumentSource, Removal, SourceState
from recollect.index.model.origin import SOURCE, origin_of, path_of
from recollect.sessions.context.flushed_notes import disown_folders, erase_lines
from recollect.store.engine import Database
from recollect.store.failures import os_errors
from recollect.store.sqlite.home import GUEST_NOTES


class NotesToErase:
    """Tells an index to drop files of notes, whichever workspace they belong to.

    Args:
        tenant: Their owner.
        paths: Of the files, absolute.
    """

    name = "notes-to-erase"
    source = SOURCE

    def __init__(self, tenant: str, paths: Collection[str]) -> None:
        self.tenant: str | None = tenant
        self._tenant = tenant
        self._paths = frozenset(paths)

    def is_behind(self, _: int) -> bool:
        """Return True: this source is read once."""
        return True

    def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
        """Yield the indexed files to drop."""
        refs = [ref for ref in state.stamps if _file_of(ref) in self._paths]
        yield DocumentBatch(
            removals=tuple(Removal(source=SOURCE, ref=ref, tenant=self._tenant) for ref in refs)
        )


def erase_notes(
    records: Database,
    home: Path,
    tenants: Collection[str],
    session_ids: Collection[str],
    drop: Callable[[DocumentSource], object],
    *,
    folders: Collection[str] | None = None,
) -> list[str]:
    """Remove from the notes what only these sessions said, and the notes from the indexes.

    Args:
        records: ``records.db``.
        home: Its folder.
        tenants: The owners of the sessions.
        session_ids: Of the sessions.
        drop: Lets every index read a source.
        folders: Only the notes in these folders; None for all.

    Returns:
        A sentence for each file that could not be changed.

    Raises:
        StoreError: a database refused.
    """
    planned = erase_lines(records, home, session_ids, folders=folders, dry_run=True)
    # Indexes name guests' notes without the path of the home.
    paths = {str(Path(f"{GUEST_NOTES}:") / notes.path) for notes in planned if notes.removed}
    for tenant in sorted(tenants) if paths else ():
        drop(NotesToErase(tenant, paths))
    erased = erase_lines(records, home, session_ids, folders=folders)
    return [f"{notes.path} could not be changed: {notes.error}" for notes in erased if notes.error]


def erase_folders(
    records: Database,
    home: Path,
    tenant: str,
    folders: Collection[str],
    drop: Callable[[DocumentSource], object],
) -> None:
    """Remove the notes of a guest whole, lines that were edited and empty files too.

    Args:
        records: ``records.db``.
        home: Its folder.
        tenant: The owner of the sessions.
        folders: Relative to the home.
        drop: Lets every index read a source.

    Raises:
        StoreError: a database or a file refused.
    """
    found = [home / folder for folder in folders if not (home / folder).is_symlink()]
    files = [path for folder in found if folder.is_dir() for path in folder.iterdir()]
    names = {str(Path(f"{GUEST_NOTES}:") / path.relative_to(home)) for path in files}
    drop(NotesToErase(tenant, names))
    for path in files:
        with os_errors(path):
            path.unlink(missing_ok=True)
    for folder in found:
        with os_errors(folder), suppress(FileNotFoundError):
            folder.rmdir()
    records.write(lambda tx: disown_folders(tx, folders))


def _file_of(ref: str) -> str:
    """Return the absolute path of an indexed file."""
    folder = (origin_of(ref) or "").rpartition("@")[2]
    return str(Path(folder) / path_of(ref))
