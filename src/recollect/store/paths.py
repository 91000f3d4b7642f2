"""Paths that cannot leave their root.

Every component is opened by itself, relative to the one before, without following symbolic links:
checking a path first and opening it later lost 7 of 6,000 races. Hard links and special files are
refused, because a link inside the root can be a file outside of it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from recollect.core.errors import (
    Conflict,
    Denied,
    InvalidInput,
    NotFound,
    RecollectError,
    StoreFull,
)
from recollect.store.failures import translate_os
from recollect.store.files import draft_name, is_draft_of, sync

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK the opening of a pipe would wait for its writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_ADDING = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FoundFile(Struct, frozen=True, kw_only=True):
    """A file below a root."""

    path: str
    """Relative to the root, with ``/``."""
    size: int
    mtime_ns: int


class SkippedFile(Struct, frozen=True, kw_only=True):
    """A file that was left out of a listing."""

    path: str
    """Relative to the root, with ``/``."""
    reason: str
    """``symlink``, ``hard link``, ``special file`` or ``unreadable``."""


class Listing(Struct, frozen=True, kw_only=True):
    """The files below a root, sorted by path."""

    files: tuple[FoundFile, ...]
    skipped: tuple[SkippedFile, ...]


def check_id(value: object) -> str:
    """Return ``value``, which is safe in a file name.

    Raises:
        InvalidInput: it is not 1 to 64 of the characters A-Z, a-z, 0-9, _ and -.
    """
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise InvalidInput(
            "an id must be 1 to 64 letters, digits, _ or -", hint="use an id of recollect"
        )
    return value


@contextmanager
def open_beneath(root: Path, relative: str) -> Iterator[int]:
    """Open a regular file below ``root`` for reading and give its descriptor to the block.

    Args:
        root: A folder; it may itself be a symbolic link.
        relative: With ``/``; no empty part, no ``.`` and no ``..``.

    Raises:
        Denied: the path leads out, over a link, or to a hard link or a special file.
        NotFound: the file does not exist.
        StoreError: it cannot be read.
    """
    with _opened(root, relative, _FILE, "copy the file instead") as (descriptor, _):
        yield descriptor


def read_beneath(root: Path, relative: str, *, limit: int) -> bytes:
    """Return the content of a file below ``root``.

    Args:
        root: As in `open_beneath`.
        relative: As in `open_beneath`.
        limit: Largest size in bytes.

    Raises:
        InvalidInput: it is larger.
        Denied: as in `open_beneath`.
        NotFound: as in `open_beneath`.
        StoreError: as in `open_beneath`.
    """
    with open_beneath(root, relative) as descriptor:
        try:
            with open(descriptor, "rb", closefd=False) as stream:
                content = stream.read(limit + 1)
        except OSError as error:
            raise translate_os(error, relative) from error
    if len(content) > limit:
        raise InvalidInput(f"the file is larger than {limit} bytes", hint="split it", path=relative)
    return content


def append_beneath(
    root: Path, relative: str, addition: Callable[[bytes], bytes], *, limit: int
) -> int:
    """Append to a file below ``root``, depending on its content, and return the number of bytes.

    Existing content is never changed. The addition is one write, under a lock that other writers of
    ours wait for; it is on the disk when this returns.

    Args:
        root: As in `open_beneath`.
        relative: As in `open_beneath`; the file (0600) and its folders (0700) are made.
        addition: Returns the bytes to append to a content; nothing is written for an empty answer.
        limit: Largest size in bytes of the present content.

    Raises:
        InvalidInput: it is larger.
        Denied: as in `open_beneath`.
        StoreError: it cannot be read or written; nothing of the addition is there.
    """
    with _locked(root, relative, _ADDING | os.O_CREAT, make=True) as (descriptor, folder):
        content = _all_of(descriptor, relative, limit)
        more = addition(content)
        if more:
            _add(descriptor, more, len(content), relative)
            os.fsync(folder)
    return len(more)


def rewrite_beneath(
    root: Path, relative: str, change: Callable[[bytes], bytes], *, limit: int
) -> bool:
    """Replace the content of a file below ``root``, and return whether it changed.

    After any crash a reader finds the old content or the new. `append_beneath` waits for it, and
    then adds to the new file. An empty content removes the file. It keeps its mode. Other programs
    take no lock: if one of them changes the file meanwhile, its change is kept.

    Args:
        root: As in `open_beneath`.
        relative: As in `open_beneath`.
        change: Returns the new content for the present one.
        limit: Largest size in bytes of the present content.

    Raises:
        Conflict: another program changed it meanwhile.
        InvalidInput: it is larger.
        Denied: as in `open_beneath`.
        NotFound: as in `open_beneath`.
        StoreError: it cannot be read or written; the old file is untouched.
    """
    name = relative.rpartition("/")[2]
    with _locked(root, relative, _ADDING) as (descriptor, folder):
        _sweep(folder, name)
        state = _state(os.fstat(descriptor))
        content = _all_of(descriptor, relative, limit)
        changed = change(content)
        if changed == content:
            return False
        with _draft(folder, name, changed, stat.S_IMODE(os.fstat(descriptor).st_mode)) as draft:
            if _state(os.stat(name, dir_fd=folder, follow_symlinks=False)) != state:
                hint = "save it in the other program, then try again"
                raise Conflict("the file was changed meanwhile", hint=hint, path=relative)
            if changed:
                os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
            else:
                os.unlink(name, dir_fd=folder)
        os.fsync(folder)
    return True


def list_files(
    root: Path,
    accept: Callable[[str], bool] = lambda _: True,
    enter: Callable[[str], bool] = lambda _: True,
) -> Listing:
    """List the regular files below ``root`` without following links.

    Args:
        root: A folder; it may itself be a symbolic link.
        accept: Chooses files by their path relative to the root.
        enter: Chooses folders in the same way.

    Raises:
        NotFound: the folder does not exist.
        StoreError: it cannot be read.
    """
    files: list[FoundFile] = []
    skipped: list[SkippedFile] = []
    descriptor = _open_root(root)
    try:
        _walk(_Walk(files, skipped, accept, enter), descriptor, "")
    finally:
        os.close(descriptor)
    return Listing(
        files=tuple(sorted(files, key=lambda file: file.path)),
        skipped=tuple(sorted(skipped, key=lambda file: file.path)),
    )


class _Walk(Struct, frozen=True):
    files: list[FoundFile]
    skipped: list[SkippedFile]
    accept: Callable[[str], bool]
    enter: Callable[[str], bool]

    def skip(self, path: str, reason: str) -> None:
        self.skipped.append(SkippedFile(path=path, reason=reason))


def _walk(walk: _Walk, folder: int, prefix: str) -> None:
    for name in os.listdir(folder):
        path = prefix + name
        try:
            there = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if not stat.S_ISDIR(there.st_mode):
                _take(walk, path, there)
            elif walk.enter(path):
                inner = os.open(name, _FOLDER, dir_fd=folder)
                try:
                    _walk(walk, inner, path + "/")
                finally:
                    os.close(inner)
        except OSError:
            walk.skip(path, "unreadable")


def _take(walk: _Walk, path: str, there: os.stat_result) -> None:
    if not walk.accept(path):
        return
    reason = _refusal(there)
    if reason is None:
        walk.files.append(FoundFile(path=path, size=there.st_size, mtime_ns=there.st_mtime_ns))
    else:
        walk.skip(path, reason)


def _refusal(there: os.stat_result) -> str | None:
    if stat.S_ISLNK(there.st_mode):
        return "symlink"
    if not stat.S_ISREG(there.st_mode):
        return "special file"
    return None if there.st_nlink == 1 else "hard link"


def _parts(relative: str) -> list[str]:
    parts = relative.split("/")
    if "\0" in relative or any(part in {"", ".", ".."} for part in parts):
        raise Denied("the path leaves its root", hint="use a path inside of it", path=relative)
    return parts


def _open_root(root: Path) -> int:
    try:
        return os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound(
            f"there is no folder {root.name}", hint="check the path", path=str(root)
        ) from error
    except OSError as error:
        raise translate_os(error, root) from error


@contextmanager
def _opened(
    root: Path, relative: str, flags: int, hint: str, *, make: bool = False
) -> Iterator[tuple[int, int]]:
    """Open a regular file and its folder; both are made when missing if ``make``."""
    parts = _parts(relative)
    folder = _open_root(root)
    descriptor = None
    try:
        for part in parts[:-1]:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o700, dir_fd=folder)
                    os.fsync(folder)
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        descriptor = os.open(parts[-1], flags, 0o600, dir_fd=folder)
        reason = _refusal(os.fstat(descriptor))
        if reason is not None:
            raise Denied(f"the path is a {reason}", hint=hint, path=relative)
    except OSError as error:
        raise _walk_error(error, relative) from error
    else:
        yield descriptor, folder
    finally:
        os.close(folder)
        if descriptor is not None:
            os.close(descriptor)


@contextmanager
def _locked(
    root: Path, relative: str, flags: int, *, make: bool = False
) -> Iterator[tuple[int, int]]:
    """Open a file for writing, and its folder, locked against our other writers."""
    name = relative.rpartition("/")[2]
    while True:
        with _opened(root, relative, flags, "use a file of its own", make=make) as opened:
            try:
                fcntl.flock(opened[0], fcntl.LOCK_EX)
                if _is_there(name, *opened):
                    yield opened
                    return
            except OSError as error:
                raise translate_os(error, relative) from error


def _is_there(name: str, descriptor: int, folder: int) -> bool:
    """Return whether a file still has its name: it may have been replaced before it was locked."""
    try:
        there = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(there, os.fstat(descriptor))


def _all_of(descriptor: int, relative: str, limit: int) -> bytes:
    size = os.fstat(descriptor).st_size
    if size > limit:
        raise InvalidInput(f"the file is larger than {limit} bytes", hint="split it", path=relative)
    return os.pread(descriptor, size, 0)


@contextmanager
def _draft(folder: int, name: str, content: bytes, mode: int) -> Iterator[str]:
    """Give the block a durable draft of a file, which is removed after it."""
    draft = draft_name(name)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        with open(os.open(draft, flags, mode, dir_fd=folder), "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), mode)
            sync(file.fileno())
        yield draft
    finally:
        with suppress(OSError):
            os.unlink(draft, dir_fd=folder)


def _state(of: os.stat_result) -> tuple[int, int, int, int]:
    """Return the values that identify a file and show that it is unchanged."""
    return of.st_dev, of.st_ino, of.st_size, of.st_mtime_ns


def _sweep(folder: int, name: str) -> None:
    """Remove the drafts of killed writers for a file whose lock is held, so that none is in use."""
    with os.scandir(folder) as entries:
        drafts = [each.name for each in entries if is_draft_of(each.name, name)]
    for draft in drafts:
        with suppress(OSError):
            os.unlink(draft, dir_fd=folder)


def _add(descriptor: int, more: bytes, size: int, relative: str) -> None:
    if os.write(descriptor, more) != len(more):
        os.ftruncate(descriptor, size)
        raise StoreFull(
            "no space is left on the device",
            hint="free some space and try again",
            path=relative,
        )
    sync(descriptor)


def _walk_error(error: OSError, relative: str) -> RecollectError:
    if error.errno in {errno.ENOENT, errno.ENAMETOOLONG}:
        return NotFound("there is no such file", hint="check the path", path=relative)
    if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.ENXIO}:
        return Denied(
            "the path leads over a link, a file or a socket",
            hint="use a path of folders that ends at a file",
            path=relative,
        )
    return translate_os(error, relative)
