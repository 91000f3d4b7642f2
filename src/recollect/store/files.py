"""Files that survive a kill and a power cut: whole files, JSONL lines, private folders.

A whole file is replaced in one step; a line is one write under a lock, and a torn last line is set
aside before the next one is added. The bytes have no meaning here. Never use any of this on a
database file.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from recollect.core.clock import Clock
from recollect.core.errors import Conflict, Denied, StoreFull
from recollect.store.failures import os_errors, translate_os

TORN_SUFFIX = ".torn"
"""The suffix of the side file of a torn tail."""
DRAFT_SUFFIX = ".part"
_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)
"""On macOS a plain fsync stops at the disk's own cache."""
_LOOK_BACK = 64 * 1024
_CHUNK_BYTES = 1024 * 1024
_OTHERS_MAY_WRITE = 0o022
_OTHERS_MAY_LOOK = 0o077


def private_folder(path: Path) -> Path:
    """Make ``path`` a folder that only its owner can use (0700), and return it.

    An existing folder is closed to others only while it is empty: one shared on purpose stays
    shared, but never writable.

    Raises:
        Denied: it belongs to another user, or others can write into it.
        StoreError: it cannot be made.
    """
    with os_errors(path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        there = path.stat()
        if there.st_uid != os.geteuid():
            raise Denied(
                f"{path.name} belongs to another user",
                hint="choose another home, or change its owner",
                path=str(path),
            )
        if there.st_mode & _OTHERS_MAY_LOOK and not any(path.iterdir()):
            path.chmod(0o700)
        elif there.st_mode & _OTHERS_MAY_WRITE:
            raise Denied(
                f"others can write into {path.name}",
                hint=f"chmod go-w {path}",
                path=str(path),
            )
    return path


def sync(descriptor: int) -> None:
    """Make the writes to a descriptor durable.

    Raises:
        OSError: the disk refused.
    """
    if _FULL_SYNC is None:
        os.fsync(descriptor)
    else:
        fcntl.fcntl(descriptor, _FULL_SYNC)


def sync_folder(path: Path) -> None:
    """Make the names in ``path`` durable.

    Raises:
        OSError: it could not be opened or synced.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)


def write_file(
    path: Path,
    content: bytes | Iterable[bytes],
    *,
    mode: int = 0o600,
    replace: bool = True,
    check: Callable[[Path], None] = lambda _: None,
) -> int:
    """Write a whole file: after any crash a reader finds the old content or the new.

    Args:
        path: The file.
        content: All of it, or its parts.
        mode: Its permissions.
        replace: Replace an existing file.
        check: Called with the file while it has another name; if it raises, nothing is kept.

    Returns:
        Its size in bytes.

    Raises:
        Conflict: it exists, and is not to be replaced.
        StoreError: it could not be written; the old file is untouched.
    """
    draft = path.with_name(draft_name(path.name))
    parts = (content,) if isinstance(content, bytes) else content
    with os_errors(path), suppress(FileNotFoundError):
        path.lstat()  # a name that no file can have is refused before anything is written
        if not replace:
            raise _is_there(path)
    try:
        size = _write_draft(draft, parts, mode)
        check(draft)
        if replace:
            os.replace(draft, path)
        else:
            os.link(draft, path)
        sync_folder(path.parent)
    except FileExistsError as error:
        raise _is_there(path) from error
    except OSError as error:
        raise translate_os(error, path) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return size


def draft_name(name: str) -> str:
    """Return the name of a draft of a file: hidden, and no longer than allowed."""
    return f".{short_name(name)}.{secrets.token_hex(8)}{DRAFT_SUFFIX}"


def is_draft_of(draft: str, name: str) -> bool:
    """Return whether a file is a draft of a file with a name, as `draft_name` names it."""
    pattern = rf"\.{re.escape(short_name(name))}\.[0-9a-f]{{16}}{re.escape(DRAFT_SUFFIX)}"
    return re.fullmatch(pattern, draft) is not None


def short_name(name: str) -> str:
    """Return a name cut to 200 bytes, as drafts use it.

    >>> len(short_name("é" * 120).encode())
    200
    """
    return os.fsencode(name)[:200].decode(errors="ignore")


def sweep_drafts(
    folder: Path, clock: Clock, *, older_than_ms: int = 3_600_000, name: str = "*"
) -> int:
    """Remove the drafts that killed writers left in ``folder`` of one name; return their number."""
    swept = 0
    for draft in folder.glob(f".{name}{DRAFT_SUFFIX}"):
        with suppress(OSError):
            if draft.lstat().st_mtime_ns // 1_000_000 < clock.now_ms() - older_than_ms:
                draft.unlink()
                swept += 1
    return swept


def exchange(one: Path, other: Path, library: Any = None) -> None:
    """Give two folders each other's name in one step, where the system can.

    Where it cannot, ``one`` has no name for a moment.

    Args:
        one: A folder.
        other: Another one, of the same file system.
        library: The C library; that of the system if not given.

    Raises:
        OSError: one of them cannot be renamed; both have their names.
    """
    library = library or ctypes.CDLL(None, use_errno=True)
    if _swap(library, os.fsencode(one), os.fsencode(other)):
        return
    between = other.with_name(f".{other.name}.{secrets.token_hex(8)}")
    os.rename(other, between)
    try:
        os.rename(one, other)
    except OSError:
        os.rename(between, other)
        raise
    os.rename(between, one)


def _swap(library: Any, one: bytes, other: bytes) -> bool:
    """Call the system: Linux has ``renameat2``, macOS ``renamex_np``."""
    swap = ctypes.c_uint(2)  # RENAME_EXCHANGE, and RENAME_SWAP
    if hasattr(library, "renameat2"):
        here = ctypes.c_int(-100)  # AT_FDCWD
        return bool(library.renameat2(here, one, here, other, swap) == 0)
    return hasattr(library, "renamex_np") and bool(library.renamex_np(one, other, swap) == 0)


def append_lines(path: Path, lines: list[bytes], *, durable: bool = True) -> int:
    """Append lines to a JSONL file with one write; all of them are there, or none.

    Args:
        path: The file; made (0600) when it is missing.
        lines: Without newlines in them or at their ends.
        durable: Return only when they are on the disk.

    Returns:
        The bytes of a torn tail that were moved to ``<name>.torn`` first; usually 0.

    Raises:
        ValueError: a line contains a newline.
        StoreError: they could not be written.
    """
    if any(b"\n" in line for line in lines):
        raise ValueError("a line holds a newline")
    with _locked(path, os.O_CREAT) as descriptor:
        torn = _set_tail_aside(descriptor, path)
        if lines:
            _append(descriptor, b"".join(line + b"\n" for line in lines), path)
        if durable:
            sync(descriptor)
    return torn


def set_torn_tail_aside(path: Path) -> int:
    """Move an unfinished last line to ``<name>.torn``; return its length in bytes, usually 0.

    Raises:
        StoreError: the file is missing or cannot be changed.
    """
    with _locked(path, 0) as descriptor:
        torn = _set_tail_aside(descriptor, path)
        if torn:
            sync(descriptor)
    return torn


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the complete lines of a file, without their newlines; a torn tail is left out.

    Raises:
        StoreError: it cannot be read.
    """
    with os_errors(path), path.open("rb") as stream:
        for line in stream:
            if line.endswith(b"\n"):
                yield line[:-1]


def holds_any(path: Path, texts: Iterable[str]) -> bool:
    """Return whether a file contains one of some texts, in UTF-8.

    Raises:
        OSError: it is not a file, or cannot be read.
    """
    if not path.is_file():  # opening a pipe would block
        raise FileNotFoundError(path)
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return False
        with mmap(file.fileno(), 0, access=ACCESS_READ) as whole:
            return any(whole.find(each.encode()) >= 0 for each in texts)


def _is_there(path: Path) -> Conflict:
    return Conflict(
        "there is a file with this name",
        hint="choose another name, or say that it may be replaced (--force)",
        path=str(path),
    )


def _write_draft(draft: Path, parts: Iterable[bytes], mode: int) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with open(os.open(draft, flags, mode), "wb", buffering=_CHUNK_BYTES) as file:
        size = sum(map(file.write, parts))
        file.flush()
        sync(file.fileno())
    return size


@contextmanager
def _locked(path: Path, extra_flags: int) -> Iterator[int]:
    """Open a file of lines, locked; errors of the block are translated."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | extra_flags
    with os_errors(path):
        descriptor = os.open(path, flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)


def _append(descriptor: int, content: bytes, path: Path) -> None:
    size = os.fstat(descriptor).st_size
    if os.write(descriptor, content) != len(content):
        os.ftruncate(descriptor, size)
        raise StoreFull(
            f"{path.name}: no space is left on the device",
            hint="free some space and try again",
            path=str(path),
        )
    if size == 0:
        sync_folder(path.parent)


def _set_tail_aside(descriptor: int, path: Path) -> int:
    size = os.fstat(descriptor).st_size
    start = _end_of_lines(descriptor, size)
    if start == size:
        return 0
    tail = os.pread(descriptor, size - start, start)
    _keep_torn(path.with_name(path.name + TORN_SUFFIX), tail)
    os.ftruncate(descriptor, start)
    return len(tail)


def _end_of_lines(descriptor: int, size: int) -> int:
    """Return the offset after the last newline."""
    end = size
    while end > 0:
        start = max(0, end - _LOOK_BACK)
        newline = os.pread(descriptor, end - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def _keep_torn(side: Path, tail: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(side, flags, 0o600)
    try:
        os.write(descriptor, tail + b"\n")
        sync(descriptor)
    finally:
        os.close(descriptor)
