"""Restoring: a backup becomes a home, whole or not at all, and the existing home is kept.

An archive may come from anywhere. It is unpacked into a folder beside the home that no program
knows, and checked there; only then the two are swapped, in one step. A killed process leaves the
home as it was, and a folder that the next restore removes.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import LiteralString

import msgspec

from recollect.core.clock import Clock, IdSource
from recollect.core.decoding import decode_json
from recollect.core.errors import (
    Denied,
    SchemaTooNew,
    StoreCorrupt,
    StoreError,
)
from recollect.core.events import HomeRestored
from recollect.core.scope import Scope
from recollect.core.settings import StoreSettings
from recollect.governance.backup import (
    FORMAT,
    VERSION,
    WORKSPACE,
    BackupHead,
    BackupProgress,
    OnBackup,
    ignore_progress,
    is_home_file,
)
from recollect.governance.erasure import KnownErasures, erase_again
from recollect.governance.foreign_settings import is_known_home, set_foreign_settings_aside
from recollect.governance.removal import without_erasures
from recollect.governance.tokens import revoke_all
from recollect.sessions.mirror.mirror import TranscriptMirror
from recollect.sessions.mirror.soundness import damage_of
from recollect.sessions.record.tombstone import (
    numbers_of,
    tombstones,
)
from recollect.store.archive import Archive, Member, not_a_backup, open_archive
from recollect.store.columns import text
from recollect.store.digests import check_digest
from recollect.store.engine import Transaction
from recollect.store.failures import os_errors, translate_os
from recollect.store.files import exchange, private_folder, sync, sync_folder
from recollect.store.sqlite.database import (
    SqliteDatabase,
    open_contents,
    open_index,
    open_records,
)
from recollect.store.sqlite.home import (
    AGENTS,
    CHECKPOINTS,
    CONTENTS_FILE,
    INDEX_FILE,
    RECORDS_FILE,
    TRANSCRIPTS,
    set_home_id,
)
from recollect.store.sqlite.integrity import find_damage
from recollect.store.sqlite.snapshot import alone, snapshots
from recollect.store.streams import renew_journal
from recollect.workspace.restored_memory import BEFORE, free_name, write_memory

HOME = "home"
"""In the folder that an archive is unpacked into."""
_DRAFT = ".restoring-"
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OTHER = "use another backup"
_STORE = StoreSettings()
_NAMED = 3
"""Foreign tables and other objects that an error names."""
_TABLES: LiteralString = "SELECT name FROM sqlite_schema WHERE type = 'table'"
_UNANSWERED: LiteralString = """
    UPDATE inbound SET state = 'failed', code = 'restored', at = ?
    WHERE state IN ('received', 'asked') RETURNING 1
"""
_UNSENT: LiteralString = """
    UPDATE deliveries SET state = 'unknown', code = 'restored', at = ?
    WHERE state IN ('received', 'sending')
"""
_SURE_BYTES = 1 << 30
_RATIO = 1_000
"""The largest ratio of content to archive size above the first GiB. Text compresses to a third to a
tenth; free pages of a database compress to almost nothing."""


class RestoreReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a restore."""

    home: str
    aside: str | None
    """The path of the replaced home; None where there was none."""
    files: int
    bytes: int
    created_at: int
    """When the backup was made, ms UTC."""
    secrets: bool
    """Whether the backup has tokens and keys."""
    erased_again: int
    """Sessions of the backup that had been erased since; they are hidden, and the next opening of
    the home removes what is left of them."""
    settings_aside: list[str]
    """Settings and files of another home's backup that are not in force; they are in ``aside/`` of
    the home."""
    memory_files: list[str]
    """Files of the workspace that were written."""
    kept_files: list[str]
    """Files of the workspace that differed, under their new names."""
    warnings: list[str]


def restore_home(
    path: Path,
    home: Path,
    clock: Clock,
    *,
    workspace: Path | None = None,
    with_settings: bool = False,
    on_progress: OnBackup = ignore_progress,
) -> RestoreReport:
    """Make a home from a backup; an existing one is kept as ``<home>.before-<time>``.

    What was erased in the existing home is erased from the restored one, too.

    Args:
        path: A file that `back_up` wrote.
        home: The folder; it need not exist.
        clock: Dates it.
        workspace: The folder for its memory files; nowhere if not given.
        with_settings: Use all settings and tokens of another home's backup.
        on_progress: Called now and then.

    Raises:
        InvalidInput: the file is not a backup.
        SchemaTooNew: a newer recollect wrote it.
        StoreCorrupt: it is damaged.
        Denied: it contains what does not belong in a home.
        StoreBusy: a program has the home open, or is erasing in it.
        StoreError: the disk refused. In all cases the home is as it was.
    """
    target, source = home.expanduser().resolve(), path.expanduser()
    _refuse_in_use(target)
    with _draft(target) as draft, _unerased(target, clock):
        unpacked = _Unpacked(draft)
        with _read(source, target.parent, on_progress) as archive:
            head = _head(archive)
            unpacked.take(archive)
        backup_at, now = head.created_at, clock.now_ms()
        event = HomeRestored(scope=Scope(), at=now, path=str(source), backup_at=backup_at)
        erasures, warnings = _known_erasures(target)
        is_known = with_settings or is_known_home(head.home_id, target, BEFORE)
        put_aside = [] if is_known else set_foreign_settings_aside(draft / HOME, clock)
        # With a new id, no other backup of that home counts as one of this home.
        new_id = None if is_known else IdSource(clock).new()
        erased = _settle(draft / HOME, erasures, event, clock, warnings, new_id=new_id)
        aside = _put_in_place(draft / HOME, target, clock)
        memory_files, kept_files = write_memory(draft / WORKSPACE, workspace, clock)
        warnings += _secret_warnings(head, aside)
    return RestoreReport(
        home=str(target),
        aside=None if aside is None else str(aside),
        files=unpacked.files,
        bytes=unpacked.bytes,
        created_at=head.created_at,
        secrets=head.secrets,
        erased_again=erased,
        settings_aside=put_aside,
        memory_files=memory_files,
        kept_files=kept_files,
        warnings=warnings,
    )


def _secret_warnings(head: BackupHead, aside: Path | None) -> list[str]:
    if aside is None or head.secrets:
        return []
    return [f"tokens and keys were not in the backup; they are still in {aside}"]


def _refuse_in_use(target: Path) -> None:
    """Refuse a home that cannot be moved, before anything is unpacked."""
    if os.path.ismount(target):
        raise translate_os(OSError(errno.EBUSY, os.strerror(errno.EBUSY)), target)
    with alone(target / RECORDS_FILE):
        pass


@contextmanager
def _draft(target: Path) -> Iterator[Path]:
    """Yield a new folder beside a home, and remove it afterwards.

    A locked folder is in use; others are left from killed restores.
    """
    start = f"{target.name}{_DRAFT}"
    with os_errors(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        for leftover in [each for each in target.parent.iterdir() if each.name.startswith(start)]:
            with suppress(OSError), _locked(leftover):
                shutil.rmtree(leftover)
        draft = target.with_name(start + secrets.token_hex(8))
        draft.mkdir(mode=0o700)
    try:
        with _locked(draft):
            yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def _unerased(target: Path, clock: Clock) -> Iterator[None]:
    """Block erasures in the existing home: a restore would bring back what they erase."""
    if (target / RECORDS_FILE).is_file():
        with without_erasures(target, clock):
            yield
    else:
        yield


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder.

    Raises:
        OSError: another process has locked it.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _read(source: Path, onto: Path, on_progress: OnBackup) -> Iterator[Archive]:
    def tell(current: int, total: int) -> None:
        on_progress(BackupProgress(stage="unpacking", done=current, total=total))

    def limit(size: int) -> int:
        return min(_SURE_BYTES + _RATIO * size, shutil.disk_usage(onto).free)

    with open_archive(source, limit=limit, on_bytes=tell) as archive:
        yield archive


def _head(archive: Archive) -> BackupHead:
    """Return the head of an archive.

    Raises:
        InvalidInput: it was made by another program.
        SchemaTooNew: it was made by a newer recollect.
    """
    try:
        form = decode_json(archive.head, _Form)
        if form.version > VERSION and form.format == FORMAT:
            raise SchemaTooNew(
                f"the backup has format {form.version}, this recollect knows {VERSION}",
                hint="upgrade recollect",
            )
        if form.format == FORMAT:
            return decode_json(archive.head, BackupHead)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise not_a_backup() from error
    raise not_a_backup()


class _Form(msgspec.Struct):
    format: str
    version: int


class _Unpacked:
    """The unpacked content of an archive: a home, and beside it a workspace."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.files = self.bytes = 0

    def take(self, archive: Archive) -> None:
        """Write every file; all are on the disk on return.

        Raises:
            Denied: one does not belong in a home.
            StoreCorrupt: one is not what its name says, or occurs twice.
            StoreError: the disk refused.
        """
        with os_errors(self._folder):
            for member in archive.members():
                self._write(member)
            if not (self._folder / HOME / RECORDS_FILE).is_file():
                raise StoreCorrupt("the backup holds no records", hint=_OTHER)
            for folder, _, _ in os.walk(self._folder):
                sync_folder(Path(folder))

    def _write(self, member: Member) -> None:
        if not is_home_file(member.name):
            raise Denied(
                "the archive holds a file that has no place in a home",
                hint="use a backup of recollect",
            )
        is_memory = member.name.startswith(f"{WORKSPACE}/")
        path = self._folder / (member.name if is_memory else f"{HOME}/{member.name}")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        digest = hashlib.sha256()
        with open(os.open(path, _NEW_FILE, 0o600), "wb") as file:
            for part in member.content:
                digest.update(part)
                file.write(part)
            file.flush()
            sync(file.fileno())
        if member.name.startswith("blobs/") and "".join(path.parts[-2:]) != digest.hexdigest():
            raise StoreCorrupt("a blob is not what its name says", hint=_OTHER)
        self.files, self.bytes = self.files + 1, self.bytes + member.size


def _settle(
    home: Path,
    prior: KnownErasures,
    event: HomeRestored,
    clock: Clock,
    warnings: list[str],
    *,
    new_id: str | None,
) -> int:
    """Check an unpacked home, migrate it to this version, and make its parts consistent.

    Databases get a new home id if one is given.

    Returns:
        The number of sessions erased again.

    Raises:
        SchemaTooNew: a newer recollect wrote the records.
        StoreError: they are not valid.
    """
    records = _open_unpacked(home, clock)
    try:
        _refuse_foreign(records.foreign_objects())
        if damage_of(records) is not None:
            raise StoreCorrupt(f"the {RECORDS_FILE} of the backup is damaged", hint=_OTHER)
        _accept(records, new_id)
        warnings += _settled_indexes(home, clock, new_id)
        if new_id is not None and (revoked := revoke_all(records, clock.now_ms())):
            warnings.append(f"tokens of the backup are revoked: {', '.join(revoked)}")
        if (home / TRANSCRIPTS).is_dir():
            mirror = TranscriptMirror(home, records)
            mirror.heal_all()
            mirror.flush()
        if waiting := records.write(lambda tx: _stop_waiting(tx, clock.now_ms())):
            warnings.append(f"messages without an answer, to be sent again: {waiting}")
        erased = erase_again(records, prior, clock, IdSource(clock)) if prior.tombstones else 0
        records.write(lambda tx: renew_journal(tx, event))
    finally:
        records.close()
    for copy in home.glob(f"{RECORDS_FILE}{BEFORE}*"):  # the backup is the copy
        copy.unlink()
    return erased


def _stop_waiting(tx: Transaction, now: int) -> int:
    """Let nothing be answered or sent that may have been since the backup; return how much."""
    tx.execute(_UNSENT, (now,))
    return len(tx.all(_UNANSWERED, (now,)))


def _open_unpacked(home: Path, clock: Clock) -> SqliteDatabase:
    try:
        return open_records(home, _STORE, clock)
    except StoreCorrupt as error:
        raise StoreCorrupt(f"the backup cannot be used: {error.message}", hint=_OTHER) from error


def _refuse_foreign(objects: list[str]) -> None:
    """Refuse records with objects that recollect never creates."""
    if objects:
        names = ", ".join(objects[:_NAMED])
        raise StoreCorrupt(
            f"the {RECORDS_FILE} of the backup has what is not ours: {names}", hint=_OTHER
        )


def _settled_indexes(home: Path, clock: Clock, new_id: str | None) -> list[str]:
    """Make the other databases consistent with the records; return warnings."""
    warnings = [
        f"{index.relative_to(home)} cannot be used and is rebuilt"
        for index in (home / INDEX_FILE, *sorted((home / AGENTS).glob(f"*/{INDEX_FILE}")))
        if index.is_file() and not _keep_index(index, clock, new_id)
    ]
    contents = home / CHECKPOINTS / CONTENTS_FILE
    if contents.is_file() and not _keep(contents, lambda: open_contents(home, _STORE, clock)):
        warnings.append("checkpoints/contents.db cannot be used: its files are uncaptured")
    return warnings


def _accept(database: SqliteDatabase, new_id: str | None) -> None:
    if new_id is not None:
        database.write(lambda tx: set_home_id(tx, new_id))


def _keep_index(path: Path, clock: Clock, new_id: str | None) -> bool:
    """Return whether an index can be used; if not, it is removed, as it is derived."""
    return _keep(path, lambda: open_index(path.parent, _STORE, clock), new_id)


def _keep(path: Path, opened: Callable[[], SqliteDatabase], new_id: str | None = None) -> bool:
    try:
        database = opened()
        try:
            if find_damage(database):
                raise StoreCorrupt(f"the {path.name} of the backup is damaged", hint=_OTHER)
            _accept(database, new_id)
        finally:
            database.close()
    except StoreError:
        for file in path.parent.glob(f"{path.name}*"):
            file.unlink()
        return False
    return True


def _known_erasures(home: Path) -> tuple[KnownErasures, list[str]]:
    """Return the erasures of a home, which is only read, and warnings about them."""
    records = home / RECORDS_FILE
    if not records.is_file():
        return KnownErasures(), []
    try:
        with snapshots([records]) as (before,):
            return before.read(_erasures_in), []
    except StoreError:
        return KnownErasures(), [
            f"what was erased earlier is not known: the previous {RECORDS_FILE} is damaged"
        ]


def _erasures_in(tx: Transaction) -> KnownErasures:
    """Return the erasures in the records, whichever version wrote them."""
    tables = {text(row[0]) for row in tx.all(_TABLES)}
    if "digests" in tables:
        check_digest(tx, "tombstones")
    return KnownErasures(
        tombstones(tx) if "tombstones" in tables else (),
        numbers_of(tx) if "erased_lines" in tables else (),
    )


def _put_in_place(restored: Path, target: Path, clock: Clock) -> Path | None:
    """Move a home to its path, and rename an existing one."""
    with alone(target / RECORDS_FILE), os_errors(target):
        private_folder(restored)
        if not target.exists() or not any(target.iterdir()):
            os.replace(restored, target)
            sync_folder(target.parent)
            return None
        aside = free_name(target, clock)
        # Under its final name first: if killed here, the home is as it was, and nothing of it is
        # lost.
        os.rename(restored, aside)
        try:
            exchange(target, aside)
        except OSError:
            os.rename(aside, restored)  # so nothing new has that name
            raise
        sync_folder(target.parent)
        return aside
