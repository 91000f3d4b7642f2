"""Flushed notes: which session said a line of the notes, so that both are hidden together.

Lines of the sections that recollect keeps in files of the user are known in the same way.

Several sessions may have said the same line. It is hidden while all of them are deleted, or a
rewind took out the turns in which it was flushed, and erased with the last of them. A line that a
person wrote has no session, and one that a person edited is theirs.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import LiteralString

import msgspec

from recollect.audience.visibility import Speakers, VisibilityGroup
from recollect.core.errors import NotFound, RecollectError
from recollect.sessions.record.session import Session
from recollect.sessions.record.tombstone import bury_names, note_name
from recollect.store.columns import blob, columns_of, decode, insert_into, is_time_out, text
from recollect.store.engine import Database, Transaction
from recollect.store.paths import rewrite_beneath
from recollect.store.sqlite.home import GUEST_NOTES
from recollect.text.withheld import line_hash

FOLDER = "memory"
"""Where the notes of a workspace are."""
LARGEST_BYTES = 32 * 1024 * 1024
"""A larger file is not read as notes."""

_AFRESH: LiteralString = f"""
    ON CONFLICT (path, line_hash, session_id) DO UPDATE SET at = excluded.at
    WHERE {is_time_out("flushed_notes.session_id", "flushed_notes.at")}
"""
"""A line that a rewind hides is said again by what is left of the session."""
_SAY: LiteralString = f"""
    INSERT INTO flushed_notes (path, line_hash, session_id, tenant, at) VALUES (?, ?, ?, ?, ?)
    {_AFRESH}
"""  # noqa: S608  # literals
_SAY_AGAIN: LiteralString = f"""
    INSERT INTO flushed_notes (path, line_hash, session_id, tenant, at)
    SELECT DISTINCT path, line_hash, ?, ?, CAST(? AS INTEGER) FROM flushed_notes
    WHERE path = ? AND line_hash = ?
    {_AFRESH}
"""  # noqa: S608  # literals
_RESTATE: LiteralString = """
    INSERT INTO flushed_notes (path, line_hash, session_id, tenant, is_hidden, at)
    SELECT path, ?, session_id, tenant, is_hidden, at FROM flushed_notes
    WHERE path = ? AND line_hash = ?
    ON CONFLICT (path, line_hash, session_id) DO NOTHING
"""
_HIDE: LiteralString = "UPDATE flushed_notes SET is_hidden = ? WHERE session_id = ?"
_HIDDEN: LiteralString = f"""
    SELECT f.path, f.line_hash FROM (
        SELECT path, line_hash FROM flushed_notes WHERE is_hidden = 1
        UNION
        SELECT n.path, n.line_hash FROM withdrawn_ranges w
        JOIN flushed_notes n ON n.session_id = w.session_id AND n.at BETWEEN w.stored_at AND w.at
        WHERE w.returned_at IS NULL
    ) f WHERE NOT EXISTS (
        SELECT 1 FROM flushed_notes o
        WHERE o.path = f.path AND o.line_hash = f.line_hash AND o.is_hidden = 0
            AND NOT {is_time_out("o.session_id", "o.at")})
"""  # noqa: S608  # literals
_SAID: LiteralString = """
    SELECT f.path, f.line_hash, o.session_id FROM flushed_notes f
    JOIN flushed_notes o ON o.path = f.path AND o.line_hash = f.line_hash
    WHERE f.session_id = ? ORDER BY f.path
"""
_WRITTEN: LiteralString = "SELECT DISTINCT line_hash FROM flushed_notes WHERE path = ?"
_FORGET: LiteralString = "DELETE FROM flushed_notes WHERE session_id = ? AND path = ?"
_WHOSE: LiteralString = "SELECT tenant FROM flushed_notes WHERE path = ? AND line_hash = ? LIMIT 1"
_UNSAY: LiteralString = "DELETE FROM flushed_notes WHERE path = ? AND line_hash = ?"
_FILES: LiteralString = """
    WITH RECURSIVE file (path) AS (
        SELECT min(path) FROM flushed_notes WHERE path >= '/' AND path < '0'
        UNION ALL
        SELECT (SELECT min(path) FROM flushed_notes WHERE path > file.path AND path < '0')
        FROM file WHERE file.path IS NOT NULL)
    SELECT path FROM file WHERE EXISTS (
        SELECT 1 FROM flushed_notes n WHERE n.path = file.path AND n.tenant = ?)
"""
_DAY = re.compile(r"/\d{4}-\d{2}-\d{2}\.md$")
_OWNER: LiteralString = "folder, tenant, " + columns_of(Speakers, user="user_id")
_OWN: LiteralString = insert_into("note_folders", _OWNER) + " ON CONFLICT (folder) DO NOTHING"
_OWNERS: LiteralString = f"SELECT {_OWNER} FROM note_folders WHERE tenant = ?"  # noqa: S608  # literals
_DISOWN: LiteralString = "DELETE FROM note_folders WHERE folder = ?"


class NotesPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where the notes of a session are.

    Attributes:
        root: The workspace, or the home.
        folder: Below it.
        name: Precedes the path of a file in `flushed_notes`: a workspace has its own there,
            and what lies in the home has none, so that the home can be moved.
    """

    root: Path
    folder: str
    name: str = ""

    def path(self, day: str) -> str:
        """Return the file of a day, relative to the root."""
        return f"{self.folder}/{day}.md"


class SaidLines(msgspec.Struct, frozen=True, kw_only=True):
    """The lines of a file that a session said: those written now, and those that were there."""

    path: str
    new: Collection[bytes] = ()
    known: Collection[bytes] = ()


class ErasedNotes(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of an erasure on one file of notes.

    Attributes:
        path: The file; relative to the home, or absolute in a workspace.
        removed: Lines that are gone.
        shared: Lines that stay because another session said them too.
        edited: Lines that are not there as they were written: edited, or removed by hand.
        edited_lines: Where the edited ones are among: the numbers, from 1 in the file as it is
            afterwards, of the bullets that no flush wrote as they stand. Empty without edited ones.
        error: The code of why the file could not be changed; then nothing of it was, and the next
            erasure of the session tries again.
    """

    path: str
    removed: int = 0
    shared: int = 0
    edited: int = 0
    edited_lines: tuple[int, ...] = ()
    error: str | None = None


def workspace_notes(workspace: Path) -> NotesPlace:
    """Return the location of the owner's notes."""
    return NotesPlace(root=workspace, folder=FOLDER, name=f"{workspace.resolve()}/")


def guest_notes_place(home: Path, tenant: str, group: VisibilityGroup) -> NotesPlace:
    """Return the location of a guest's notes: below the home, which no other program indexes."""
    digest = hashlib.sha256(f"{tenant}\0{group.name}".encode("utf-8", "surrogatepass"))
    return NotesPlace(root=home, folder=f"{GUEST_NOTES}/{digest.hexdigest()[:32]}")


def say_lines(tx: Transaction, session: Session, files: Iterable[SaidLines], at: int) -> None:
    """Record that a session said lines; of existing lines only those that a flush wrote."""
    for file in files:
        who = (session.id, session.tenant, at)
        tx.executemany(_SAY, [(file.path, line_hash(line), *who) for line in file.new])
        tx.executemany(_SAY_AGAIN, [(*who, file.path, line_hash(line)) for line in file.known])


def say_section(
    tx: Transaction, path: Path, lines: Iterable[tuple[str, str]], tenant: str, at: int
) -> None:
    """Record the session of each line in the section of a file.

    Args:
        tx: A write transaction.
        path: The file, absolute.
        lines: Each with the id of a session.
        tenant: The owner of the sessions.
        at: Now, ms UTC.
    """
    rows = [(str(path), line_hash(line.encode()), id_, tenant, at) for line, id_ in lines]
    tx.executemany(_SAY, rows)


def unsay_section(tx: Transaction, path: Path, lines: Iterable[str]) -> None:
    """Forget lines that are no longer in the section of a file."""
    encoded = (line.encode("utf-8", "surrogateescape") for line in lines)
    tx.executemany(_UNSAY, [(str(path), line_hash(line)) for line in encoded])


def files_with_section(tx: Transaction, tenant: str) -> list[Path]:
    """Return the files into which a section was written; notes of days have none."""
    paths = [text(row[0]) for row in tx.all(_FILES, (tenant,))]
    return [Path(path) for path in paths if not is_of_day(path)]


def is_of_day(path: str) -> bool:
    """Return whether a file is the notes of a day, by its absolute path."""
    return _DAY.search(path) is not None


def own_folder(tx: Transaction, target: NotesPlace, session: Session) -> None:
    """Record the owner of a guest's notes; their group follows from it, links included."""
    s = session
    owner = (s.tenant, s.agent, s.user, s.channel, s.account, s.chat_type, s.peer)
    tx.execute(_OWN, (target.folder, *owner))


def folder_owners(tx: Transaction, tenant: str) -> dict[str, Speakers]:
    """Return the owners of the folders of guests' notes, by folder."""
    fields = Speakers.__struct_fields__
    return {text(row[0]): decode(Speakers, fields, row[2:]) for row in tx.all(_OWNERS, (tenant,))}


def disown_folders(tx: Transaction, folders: Iterable[str]) -> None:
    """Forget folders of guests' notes that are gone, with all that was said in them."""
    for folder in folders:
        tx.execute(_DISOWN, (folder,))
        tx.execute(
            "DELETE FROM flushed_notes WHERE substr(path, 1, ?) = ?",
            (len(folder) + 1, f"{folder}/"),
        )


def restate_lines(tx: Transaction, path: str, restated: Mapping[bytes, bytes]) -> None:
    """Record that the sessions of a line of a file said another one, too; both are kept."""
    rows = [(new, path, old) for old, new in restated.items()]
    tx.executemany(_RESTATE, rows)


def hide_lines(tx: Transaction, session_id: str, *, is_hidden: bool) -> None:
    """Take a session's lines out of sight, or bring them back."""
    tx.execute(_HIDE, (int(is_hidden), session_id))


def hidden_lines(tx: Transaction) -> dict[str, frozenset[bytes]]:
    """Return the hashes of all lines that are hidden now, by path."""
    by_path: dict[str, set[bytes]] = {}
    for path, digest in tx.all(_HIDDEN):
        by_path.setdefault(text(path), set()).add(blob(digest))
    return {path: frozenset(digests) for path, digests in by_path.items()}


def erase_lines(
    database: Database,
    home: Path,
    session_ids: Collection[str],
    *,
    folders: Collection[str] | None = None,
    dry_run: bool = False,
) -> tuple[ErasedNotes, ...]:
    """Remove the lines that only these sessions said from the notes, and the record of them.

    An import of memory files leaves these lines out from then on.

    A line goes where it still has every byte, else it stays and is counted as edited. Files are
    replaced atomically, one after the other; killed between two, the same call goes on. Notes that
    have nothing but their heading left are removed.

    Args:
        database: ``records.db``.
        home: Its folder.
        session_ids: They go together: a line that two of them said goes, too.
        folders: Only the notes in these folders; None for all.
        dry_run: Only report what would be done.

    Raises:
        StoreError: the database refused. A file that cannot be changed is in the answer.
    """
    erased: list[ErasedNotes] = []
    for path, digests in database.read(lambda tx: _digests(tx, session_ids)).items():
        if folders is not None and path.rpartition("/")[0] not in folders:
            continue
        flush_digests = database.read(partial(_written, path=path))
        outcome = _erase_file(home, path, digests, flush_digests, dry_run=dry_run)
        erased.append(outcome)
        if outcome.error is None and not dry_run:
            folder = _remove_folder(home, path)
            unshared = [digest for digest, is_shared in digests.items() if not is_shared]
            forgotten = partial(_forget, session_ids=session_ids, path=path, digests=unshared)
            database.write(partial(forgotten, folder=folder))
    return tuple(erased)


def _digests(tx: Transaction, session_ids: Collection[str]) -> dict[str, dict[bytes, bool]]:
    """Return, by path, the lines that the sessions said, and whether others said them, too."""
    by_path: dict[str, dict[bytes, bool]] = {}
    for session_id in session_ids:
        for path, digest, other in tx.all(_SAID, (session_id,)):
            digests = by_path.setdefault(text(path), {})
            digests[blob(digest)] = (
                digests.get(blob(digest), False) or text(other) not in session_ids
            )
    return by_path


def _written(tx: Transaction, path: str) -> set[bytes]:
    return {blob(digest) for (digest,) in tx.rows(_WRITTEN, (path,))}


def _erase_file(
    home: Path,
    path: str,
    digests: Mapping[bytes, bool],
    flush_digests: Collection[bytes],
    *,
    dry_run: bool,
) -> ErasedNotes:
    from recollect.text.markdown.section import resealed

    shared, removed, edited = sum(digests.values()), 0, 0
    numbers: tuple[int, ...] = ()

    def change(content: bytes) -> bytes:
        nonlocal removed, edited, numbers
        lines = content.split(b"\n")
        present = {line_hash(line) for line in lines} & digests.keys()
        going = {digest for digest in present if not digests[digest]}
        edited = len(digests) - shared - len(going)
        remaining = [line for line in lines if line_hash(line) not in going]
        removed = len(lines) - len(remaining)
        # A bullet that no flush wrote was edited, or is somebody's own: only hashes are kept.
        numbers = tuple(
            number
            for number, line in enumerate(remaining, start=1)
            if line.startswith(b"- ") and line_hash(line) not in flush_digests
        )
        result = b"\n".join(remaining)
        if dry_run or not going:
            return content
        return b"" if result.strip() == _heading(path) else resealed(content, result)

    root, relative = place_of(home, path)
    try:
        rewrite_beneath(root, relative, change, limit=LARGEST_BYTES)
    except NotFound as error:
        if is_of_day(path) and not root.is_dir():  # a disk that is not there now may hold it
            return ErasedNotes(path=path, error=error.code)
    except RecollectError as error:
        return ErasedNotes(path=path, error=error.code)
    return ErasedNotes(
        path=path,
        removed=removed,
        shared=shared,
        edited=edited,
        edited_lines=numbers if edited else (),
    )


def place_of(home: Path, path: str) -> tuple[Path, str]:
    """Return the folder and the name in it of a file of notes, as `flushed_notes` calls it."""
    if not path.startswith("/"):
        return home, path
    root, folder, name = path.rpartition(f"/{FOLDER}/" if is_of_day(path) else "/")
    return Path(root or "/"), f"{folder[1:]}{name}"


def _heading(path: str) -> bytes:
    """Return the heading that a flush writes above the notes of a day."""
    return f"# {Path(path).stem}".encode()


def _remove_folder(home: Path, path: str) -> str | None:
    """Remove the folder of a guest without notes, and return its name."""
    if path.startswith("/"):
        return None
    root, relative = place_of(home, path)
    folder = relative.rpartition("/")[0]
    with suppress(OSError):
        os.rmdir(root / folder)
    return None if (root / folder).exists() else folder


def _forget(
    tx: Transaction,
    session_ids: Collection[str],
    path: str,
    digests: Iterable[bytes],
    *,
    folder: str | None,
) -> None:
    for digest in digests:
        for (tenant,) in tx.all(_WHOSE, (path, digest)):
            bury_names(tx, text(tenant), [note_name(digest)])
    tx.executemany(_FORGET, [(session_id, path) for session_id in session_ids])
    if folder is not None:
        tx.execute(_DISOWN, (folder,))
