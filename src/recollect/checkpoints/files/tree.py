"""A tree of files below one root, read and changed without ever leaving it.

Every folder of a path is opened by itself, relative to the one before and without following links,
so that a link that is swapped in meanwhile leads nowhere. A file is replaced by renaming a finished
one over it; a hard link and a special file are never touched.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from recollect.checkpoints.files.state import ABSENT, OUTSIDE, PathState, mode_of, uncaptured
from recollect.core.errors import Denied, NotFound
from recollect.store.failures import os_errors, translate_os
from recollect.store.files import sync

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_TRIES = 3
"""A file that another program writes is read again; then it counts as changing."""
OPEN_FOLDER = 0o700
"""The permissions that a folder needs while its files are changed."""
STAGED = ".recollect-"
"""The beginning of the name of the folder of finished files."""


class PathReading(msgspec.Struct, frozen=True):
    """The state of a path, and the bytes of a file."""

    state: PathState
    content: bytes | None = None


class Staging:
    """Finished files below a root that wait for their names.

    Args:
        folder: The descriptor of their folder.
    """

    def __init__(self, folder: int) -> None:
        self.folder = folder
        self._count = 0

    def write(self, content: bytes, mode: int) -> str:
        """Write a durable file; return its name.

        Raises:
            StoreError: it could not be written.
        """
        name = self._next()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with (
            os_errors(name),
            open(os.open(name, flags, 0o600, dir_fd=self.folder), "wb") as file,
        ):
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), mode)
            sync(file.fileno())
        return name

    def link(self, target: str) -> str:
        """Make a symbolic link; return its name."""
        name = self._next()
        with os_errors(name):
            os.symlink(target, name, dir_fd=self.folder)
        return name

    def _next(self) -> str:
        self._count += 1
        return str(self._count)


class Tree:
    """The files below a root, as long as the block runs.

    Args:
        root: A folder, as `Path.resolve` returns it.

    Attributes:
        descriptor: Of the open root.

    Raises:
        NotFound: it is not a folder.
        StoreError: it cannot be opened.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.descriptor = -1
        self._changed: dict[str, str] = {}

    def __enter__(self) -> Self:
        try:
            self.descriptor = os.open(self.root, FOLDER)
        except (FileNotFoundError, NotADirectoryError) as error:
            hint = "name a folder that exists, without links in its path"
            raise NotFound("the root is not a folder", hint=hint, path=str(self.root)) from error
        except OSError as error:
            raise translate_os(error, self.root) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self.descriptor)

    def look(self, path: str, *, most_bytes: int) -> PathReading:
        """Return what a path is, and the bytes of a file of at most that size.

        Raises:
            Denied: the path leads out of the root, over a link, or into ``.git``.
        """
        try:
            with self._folder_of(path) as (folder, name):
                return look_at(folder, name, most_bytes)
        except (FileNotFoundError, NotADirectoryError):
            return PathReading(ABSENT)
        except OSError:
            return PathReading(uncaptured("unreadable"))

    @contextmanager
    def staging(self, token: str) -> Iterator[Staging]:
        """Give the block a folder of finished files that have no name yet; it is gone after it."""
        name = STAGED + token
        self.discard(token)
        with os_errors(self.root):
            os.mkdir(name, 0o700, dir_fd=self.descriptor)
            descriptor = os.open(name, FOLDER, dir_fd=self.descriptor)
        try:
            yield Staging(descriptor)
        finally:
            os.close(descriptor)
            self.discard(token)

    def discard(self, token: str) -> None:
        """Remove what a killed process left of `staging`."""
        name = STAGED + token
        with os_errors(self.root), suppress(FileNotFoundError, NotADirectoryError):
            descriptor = os.open(name, FOLDER, dir_fd=self.descriptor)
            try:
                for each in os.listdir(descriptor):
                    os.unlink(each, dir_fd=descriptor)
            finally:
                os.close(descriptor)
            os.rmdir(name, dir_fd=self.descriptor)

    def put(self, path: str, staging: Staging, staged: str) -> None:
        """Give a staged file its name; what had it before is gone."""
        with self._changing(path) as (folder, name):
            os.replace(staged, name, src_dir_fd=staging.folder, dst_dir_fd=folder)

    def make_folder(self, path: str) -> None:
        """Make a folder where nothing is; it has the mode `OPEN_FOLDER` until it gets its own."""
        with self._changing(path) as (folder, name):
            os.mkdir(name, OPEN_FOLDER, dir_fd=folder)

    def set_mode(self, path: str, mode: int) -> None:
        """Set the permissions of a file or folder; the other bits of its mode stay.

        Raises:
            Denied: it is a hard link or a special file, and so may be outside of the root as well.
        """
        with self._changing(path) as (folder, name):
            descriptor = os.open(name, _FILE, dir_fd=folder)
            try:
                there = os.fstat(descriptor)
                if not stat.S_ISDIR(there.st_mode) and _refusal(there, there.st_size):
                    raise Denied("a hard link or special file is not touched", path=path)
                os.fchmod(descriptor, stat.S_IMODE(there.st_mode) & ~0o777 | mode)
                sync(descriptor)
            finally:
                os.close(descriptor)

    def remove(self, path: str, *, is_folder: bool) -> None:
        """Remove a file or link, or an empty folder."""
        with self._changing(path) as (folder, name):
            if is_folder:
                os.rmdir(name, dir_fd=folder)
            else:
                os.unlink(name, dir_fd=folder)

    def sync_names(self) -> None:
        """Make durable which names were given and taken: one sync for each folder that is there.

        Raises:
            StoreError: the disk refused.
        """
        for path in self._changed.values():
            with (
                os_errors(path),
                suppress(FileNotFoundError, NotADirectoryError, Denied),
                self._folder_of(path) as (folder, _),
            ):
                sync(folder)
        self._changed.clear()

    def holds(self, path: str) -> set[str]:
        """Return the names in a folder; none where it is not a folder."""
        try:
            with self._folder_of(f"{path}/.") as (folder, _):
                return set(os.listdir(folder))
        except (OSError, Denied):
            return set()

    @contextmanager
    def _changing(self, path: str) -> Iterator[tuple[int, str]]:
        """Open the folder of a path; an error of the block is one of ours."""
        with os_errors(path), self._folder_of(path) as opened:
            yield opened
            self._changed[path.rpartition("/")[0]] = path

    @contextmanager
    def _folder_of(self, path: str) -> Iterator[tuple[int, str]]:
        """Open the folder of a path, and return it with the name in it."""
        *folders, name = checked_parts(path)
        descriptor = os.dup(self.descriptor)
        try:
            for part in folders:
                inner = _open_folder(descriptor, part, path)
                os.close(descriptor)
                descriptor = inner
            yield descriptor, name
        finally:
            os.close(descriptor)


def looked(tree: Tree, path: str, most_bytes: int) -> PathReading:
    """Return what a path is, as `Tree.look` does; ``OUTSIDE`` where it leads over a link."""
    try:
        return tree.look(path, most_bytes=most_bytes)
    except Denied:
        return PathReading(OUTSIDE)


def checked_parts(path: str) -> list[str]:
    """Return the parts of a relative path.

    Raises:
        Denied: it is absolute, leads out of its root, or into ``.git``.
    """
    parts = path.removesuffix("/.").split("/")
    if "\0" in path or not {"", ".", ".."}.isdisjoint(parts):
        raise Denied("the path leaves its root", hint="use a path inside of it", path=path)
    if ".git" in (part.lower() for part in parts):
        raise Denied("the inside of .git is not touched", hint="use git for it", path=path)
    return parts if not path.endswith("/.") else [*parts, "."]


def parents_of(path: str) -> list[str]:
    """Return the folders that a path is in, the outermost first.

    >>> parents_of("a/b/c.txt")
    ['a', 'a/b']
    """
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _open_folder(folder: int, name: str, path: str) -> int:
    try:
        return os.open(name, FOLDER, dir_fd=folder)
    except OSError as error:
        if error.errno in {errno.ENOTDIR, errno.ELOOP} and stat.S_ISLNK(
            os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        ):
            hint = "use the path that the link leads to, if it is below the root"
            raise Denied("the path leads over a link", hint=hint, path=path) from error
        raise


def look_at(
    folder: int, name: str, most_bytes: int, there: os.stat_result | None = None
) -> PathReading:
    """Return what a name in an open folder is, and the bytes of a file.

    Args:
        folder: The descriptor.
        name: Directly in it.
        most_bytes: The size of a file up to which it is read.
        there: How it looks, if that is known.

    Raises:
        OSError: it is not there, or cannot be read.
    """
    for _ in range(_TRIES):
        there = there or os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(there.st_mode):
            return PathReading(_link(os.readlink(name, dir_fd=folder)))
        if stat.S_ISDIR(there.st_mode):
            return PathReading(PathState(kind="folder", mode=mode_of(there.st_mode)))
        refusal = _refusal(there, most_bytes)
        if refusal is not None:
            return PathReading(uncaptured(refusal))
        content = _read(folder, name, there)
        if content is not None:
            digest = hashlib.sha256(content).hexdigest()
            mode = mode_of(there.st_mode)
            state = PathState(kind="file", digest=digest, size=len(content), mode=mode)
            return PathReading(state, content)
        there = None
    return PathReading(uncaptured("changing"))


def _link(target: str) -> PathState:
    try:
        target.encode()
    except UnicodeEncodeError:
        return uncaptured("name")
    return PathState(kind="symlink", target=target)


def _refusal(there: os.stat_result, most_bytes: int) -> str | None:
    if not stat.S_ISREG(there.st_mode):
        return "special file"
    if there.st_nlink != 1:
        return "hard link"
    return "too large" if there.st_size > most_bytes else None


def _read(folder: int, name: str, there: os.stat_result) -> bytes | None:
    """Return all bytes of a file; None where it is not the file that was looked at, or changed."""
    descriptor = os.open(name, _FILE, dir_fd=folder)
    try:
        content = os.read(descriptor, there.st_size + 1)
        while len(content) < there.st_size and (more := os.read(descriptor, there.st_size)):
            content += more
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    is_same = os.path.samestat(there, after) and _version(there) == _version(after)
    return content if is_same and len(content) == there.st_size else None


def _version(of: os.stat_result) -> tuple[int, int, int]:
    return of.st_size, of.st_mtime_ns, of.st_ctime_ns
