"""Backups: a whole home in one file, as it was at one moment, while programs go on using it.

It contains the databases, large contents, mirrors, notes and the settings without their keys. Files
of other programs and tokens are left out; the memory folder, and what files were at checkpoints,
are included only on request.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from glob import escape
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec

from recollect.core.clock import MAX_MS, Clock, to_datetime
from recollect.core.errors import InvalidInput, NotFound, StoreCorrupt
from recollect.core.events import HomeBackedUp
from recollect.core.scope import Scope
from recollect.core.settings.sources import FILE_NAME
from recollect.governance.config_text import without_keys
from recollect.governance.removal import without_erasures
from recollect.sessions.mirror.soundness import damage_of
from recollect.store.archive import Member, check_archive, file_member, pack
from recollect.store.engine import Database
from recollect.store.failures import os_errors
from recollect.store.files import DRAFT_SUFFIX, short_name, sweep_drafts, write_file
from recollect.store.journal import record_event
from recollect.store.paths import list_files, open_beneath
from recollect.store.sqlite.home import (
    AGENTS,
    BLOBS,
    CHECKPOINTS,
    CONTENTS_FILE,
    GUEST_NOTES,
    INDEX_FILE,
    RECORDS_FILE,
    TRANSCRIPTS,
    find_home_id,
)
from recollect.store.sqlite.snapshot import Snapshot, snapshots
from recollect.text.secret_redactor import SecretRedactor
from recollect.workspace.memory_folder import is_memory_path, list_memory

FORMAT = "recollect-backup"
VERSION = 1
"""The version of the archive's content; a newer one is refused."""
SUFFIX = ".tar.zst"
WORKSPACE = "workspace"
"""The folder of memory files in an archive."""
SECRET_FILES = ("token", "worker.json")
"""They give a program access: only on request."""

_DEEPEST = 100
"""Nested folders of a memory file: more than people create, and few enough for recursion."""
_FOLDERS = (TRANSCRIPTS, BLOBS, GUEST_NOTES)
_PART = r"[A-Za-z0-9_-][A-Za-z0-9._@-]{0,200}"
_HOME_FILE = re.compile(
    rf"{re.escape(RECORDS_FILE)}|{CHECKPOINTS}/{re.escape(CONTENTS_FILE)}|({AGENTS}/{_PART}/)?{re.escape(INDEX_FILE)}"
    rf"|({'|'.join(_FOLDERS)})(/{_PART}){{1,2}}"
    rf"|{'|'.join(map(re.escape, (FILE_NAME, *SECRET_FILES)))}"
)


class BackupHead(msgspec.Struct, frozen=True, kw_only=True):
    """The first member of an archive, which describes it."""

    format: str
    version: int
    recollect: str
    """The version that wrote it."""
    home_id: str | None
    created_at: Annotated[int, msgspec.Meta(ge=0, le=MAX_MS)]
    """Ms UTC."""
    secrets: bool
    workspace: bool
    checkpoints: bool = False


class BackupReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup holds."""

    path: str
    bytes: int
    """Of the file."""
    files: int
    content_bytes: int
    """Of the files in it."""
    created_at: int
    """Ms UTC: the moment of the snapshot."""
    secrets: bool
    workspace: bool
    checkpoints: bool
    """Whether it has the contents of files at checkpoints."""
    warnings: list[str]


class BackupProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a backup or a restore."""

    stage: str
    """``copying``, ``packing``, ``verifying``, or ``unpacking``."""
    done: int
    total: int
    """Bytes, as is ``done``."""


_Copy = tuple[str, BinaryIO]
"""The name in the archive, and the content."""

OnBackup = Callable[[BackupProgress], None]


def ignore_progress(_: BackupProgress) -> None:
    """Ignore the progress."""


class BackupOrder(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a backup.

    Attributes:
        home: The folder of the memory.
        secrets: Also tokens, and the keys in the settings.
        workspace: Also the memory files of this folder; none if not given.
        checkpoints: Also the contents of files at checkpoints: raw, secrets included.
        redactor: Finds keys in the settings, and secrets in the path of the backup; None: only
            settings that are declared secret.
        on_progress: Called from time to time.
    """

    home: Path
    secrets: bool = False
    workspace: Path | None = None
    checkpoints: bool = False
    redactor: SecretRedactor | None = None
    on_progress: OnBackup = ignore_progress


def is_home_file(name: str) -> bool:
    """Return whether an archive may contain a file of this name, which cannot be outside the home.

    >>> is_home_file("records.db"), is_home_file("blobs/../../x"), is_home_file("/etc/passwd")
    (True, False, False)
    """
    if name.startswith(f"{WORKSPACE}/"):
        inner = name.removeprefix(f"{WORKSPACE}/")
        parts = inner.split("/")
        is_inside = not {"", ".", ".."} & set(parts) and "\0" not in inner
        return is_inside and len(parts) <= _DEEPEST and is_memory_path(inner)
    return _HOME_FILE.fullmatch(name) is not None


def back_up(
    order: BackupOrder, records: Database, clock: Clock, target: Path, *, replace: bool = False
) -> BackupReport:
    """Write a verified copy of a home (0600), while programs go on using it.

    All databases are copied as they were at one moment. The file appears once it is whole and
    verified; killed before that, there is none.

    Args:
        order: The options.
        records: The open ``records.db`` of the home.
        clock: Dates it.
        target: The new file, or a folder for one with the date in its name.
        replace: Replace an existing file.

    Raises:
        Conflict: the file exists, and ``replace`` is not set.
        InvalidInput: it would lie in the home.
        StoreBusy: a program is erasing.
        StoreCorrupt: ``records.db`` is damaged.
        StoreError: something cannot be read or written; no file is left.
    """
    path = _target(order.home, target, clock)
    sweep_drafts(order.home, clock)
    for name in (escape(short_name(path.name)), f"recollect-*{SUFFIX}"):
        sweep_drafts(path.parent, clock, name=f"{name}.*")
    packing = _Packing(order, clock.now_ms())

    def check(draft: Path) -> None:
        packing.verify(draft)
        # Before it has its name: if killed then, an erasure looks for one backup too many, not one
        # too few.
        shown_path = str(path) if order.redactor is None else order.redactor.path(str(path))
        event = HomeBackedUp(
            scope=Scope(), at=packing.created_at, path=shown_path, bytes=draft.stat().st_size
        )
        records.write(lambda tx: record_event(tx, event))

    with without_erasures(order.home, clock), ExitStack() as open_files:
        with snapshots(packing.databases()) as views:
            copies = packing.copies(views, open_files)
        members = packing.members(copies)
        head = packing.head(records.read(find_home_id))
        size = write_file(path, pack(head, members), replace=replace, check=check)
    return packing.report(path, size)


class _Packing:
    """One backup in progress."""

    def __init__(self, order: BackupOrder, created_at: int) -> None:
        self.created_at = created_at
        self._order = order
        self._home = order.home
        self._warnings: list[str] = []
        self._files = self._bytes = 0

    def head(self, home_id: str | None) -> bytes:
        head = BackupHead(
            format=FORMAT,
            version=VERSION,
            recollect=version("recollect"),
            home_id=home_id,
            created_at=self.created_at,
            secrets=self._order.secrets,
            workspace=self._order.workspace is not None,
            checkpoints=self._order.checkpoints,
        )
        return msgspec.json.encode(head)

    def databases(self) -> list[Path]:
        """Return the records, the sound indexes, and what files were at checkpoints if asked for.

        A damaged index is rebuilt anyway; without contents a rewind leaves paths alone.
        """
        indexes = [self._home / INDEX_FILE, *sorted((self._home / AGENTS).glob(f"*/{INDEX_FILE}"))]
        contents = [self._home / CHECKPOINTS / CONTENTS_FILE] if self._order.checkpoints else []
        return [
            self._home / RECORDS_FILE,
            *(path for path in indexes if self._is_sound(path, "is rebuilt after a restore")),
            *(path for path in contents if self._is_sound(path, "its files are uncaptured then")),
        ]

    def _is_sound(self, database: Path, consequence: str) -> bool:
        if not database.is_file():
            return False
        try:
            with snapshots([database]) as (snapshot,):
                problems = snapshot.check()
        except StoreCorrupt as error:
            problems = [error.message]
        if problems:
            self._warn(database, f"damaged; it was left out, and {consequence}")
        return not problems

    def copies(self, views: Sequence[Snapshot], open_files: ExitStack) -> list[_Copy]:
        """Return copies of databases under their names."""
        if damage_of(views[0]) is not None:
            raise StoreCorrupt(
                f"{RECORDS_FILE} is damaged",
                hint="run `recollect doctor`; a backup of it would be as damaged",
                path=str(views[0].path),
            )
        return [
            (self._name(each.path), open_files.enter_context(self._copied(each))) for each in views
        ]

    def members(self, copies: list[_Copy]) -> Iterator[Member]:
        """Return the members of the archive; each file is read when its turn comes."""
        names = [*self._named_files(), *self._memory_files()]
        total = sum(os.fstat(stream.fileno()).st_size for _, stream in copies) + sum(
            size for _, _, size in names
        )
        return self._counted(self._opened(copies, names), total)

    def _copied(self, snapshot: Snapshot) -> BinaryIO:
        page = 4_096

        def tell(current: int, total: int) -> None:
            self._tell("copying", current * page, total * page)

        return snapshot.copy(self._home, tell)

    def _named_files(self) -> Iterator[tuple[Path, str, int]]:
        """Yield folder, name and size of the files that are copied unchanged."""
        names = SECRET_FILES if self._order.secrets else ()
        tops = {name.partition("/")[0] for name in (*_FOLDERS, *names)}
        listing = list_files(
            self._home,
            accept=lambda path: path in names or path.partition("/")[0] in _FOLDERS,
            enter=lambda path: path.partition("/")[0] in tops,
        )
        for skipped in listing.skipped:
            self._warn(self._home / skipped.path, f"left out, {skipped.reason}")
        for file in listing.files:
            if is_home_file(file.path):
                yield self._home, file.path, file.size
            elif not file.path.endswith(DRAFT_SUFFIX):
                self._warn(self._home / file.path, "left out, recollect did not write it")

    def _memory_files(self) -> Iterator[tuple[Path, str, int]]:
        if self._order.workspace is None:
            return
        listing = list_memory(self._order.workspace, ())
        self._warnings += listing.warnings
        for file in listing.files:
            if is_home_file(name := f"{WORKSPACE}/{file.path}"):
                yield file.root, name, file.size
            else:
                self._warnings.append(f"{file.path}: left out, its folders are too deep")

    def _opened(self, copies: list[_Copy], names: list[tuple[Path, str, int]]) -> Iterator[Member]:
        config = self._settings()
        if config:
            yield Member(name=FILE_NAME, size=len(config), content=[config])
        for name, stream in copies:
            yield file_member(name, stream)
        for root, name, _ in names:
            try:
                inner = name.removeprefix(f"{WORKSPACE}/")
                with (
                    open_beneath(root, inner) as descriptor,
                    open(descriptor, "rb", closefd=False) as stream,
                ):
                    yield file_member(name, stream)
            except NotFound:
                continue  # it was removed meanwhile, with all references to it

    def _counted(self, members: Iterable[Member], total: int) -> Iterator[Member]:
        for member in members:
            self._files += 1
            yield msgspec.structs.replace(member, content=self._reported(member.content, total))

    def _reported(self, parts: Iterable[bytes], total: int) -> Iterator[bytes]:
        for part in parts:
            self._bytes += len(part)
            self._tell("packing", self._bytes, max(total, self._bytes))
            yield part

    def _settings(self) -> bytes:
        """Return config.yaml, without keys unless secrets are requested."""
        path = self._home / FILE_NAME
        if not path.is_file():
            return b""
        with os_errors(path):
            content = path.read_bytes()
        if self._order.secrets:
            return content
        public = without_keys(content.decode("utf-8-sig"), self._order.redactor)
        if public.encode() != content:
            self._warn(path, "keys in it were left out")
        return public.encode()

    def verify(self, path: Path) -> None:
        """Read the archive again, to its end."""
        check_archive(path, lambda current, total: self._tell("verifying", current, total))

    def report(self, path: Path, size: int) -> BackupReport:
        """Return the report of the backup."""
        return BackupReport(
            path=str(path),
            bytes=size,
            files=self._files,
            content_bytes=self._bytes,
            created_at=self.created_at,
            secrets=self._order.secrets,
            workspace=self._order.workspace is not None,
            checkpoints=self._order.checkpoints,
            warnings=self._warnings,
        )

    def _name(self, path: Path) -> str:
        return path.relative_to(self._home).as_posix()

    def _warn(self, path: Path, why: str) -> None:
        self._warnings.append(f"{self._name(path)}: {why}")

    def _tell(self, stage: str, current: int, total: int) -> None:
        self._order.on_progress(BackupProgress(stage=stage, done=current, total=total))


def _target(home: Path, target: Path, clock: Clock) -> Path:
    path = target.expanduser().absolute()
    with os_errors(path):
        is_folder = path.is_dir()
    if is_folder:
        stamp = to_datetime(clock.now_ms()).strftime("%Y%m%d-%H%M%S")
        path /= f"recollect-{stamp}{SUFFIX}"
    if path.parent.resolve().is_relative_to(home.resolve()):
        raise InvalidInput("the backup must lie outside of the home", hint="name a file elsewhere")
    return path
