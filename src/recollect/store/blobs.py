"""Blobs: bytes under the SHA-256 of their content, ``blobs/ab/cdef…``.

The same content is stored once. A blob is written beside its path, synced and renamed, so it exists
whole or not at all; content that is read is checked against its name.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from pathlib import Path

from recollect.core.clock import Clock
from recollect.core.errors import InvalidInput, NotFound, StoreCorrupt
from recollect.store.failures import os_errors
from recollect.store.files import private_folder, sweep_drafts, sync_folder, write_file

_HINT = "restore a backup with `recollect restore FILE`"
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Blobs:
    """A folder of blobs.

    Args:
        root: The folder; made when the first blob comes.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, content: bytes) -> str:
        """Store ``content`` and return its digest, 64 hex digits; idempotent.

        Raises:
            StoreError: it could not be written.
        """
        digest = hashlib.sha256(content).hexdigest()
        path = self._path(digest)
        private_folder(self._root)
        private_folder(path.parent)
        folders: tuple[Path, ...] = (self._root,)
        if self._read(digest) != content:  # missing, or damaged and now repaired
            write_file(path, content)
        else:  # its writer may have been killed before this
            folders = (path.parent, self._root)
        for folder in folders:
            with os_errors(folder):
                sync_folder(folder)
        return digest

    def get(self, digest: str) -> bytes:
        """Return the content with this digest.

        Raises:
            InvalidInput: it is not a digest.
            NotFound: the blob does not exist.
            StoreCorrupt: the bytes are not those that were stored.
            StoreError: it cannot be read.
        """
        content = self._read(digest)
        if content is None:
            raise NotFound("the blob does not exist", hint=_HINT, digest=digest)
        if hashlib.sha256(content).hexdigest() != digest:
            raise StoreCorrupt(f"blob {digest[:12]} is damaged", hint=_HINT, digest=digest)
        return content

    def has(self, digest: str) -> bool:
        """Return whether there is a blob with this digest, without reading it.

        Raises:
            InvalidInput: it is not a digest.
        """
        return self._path(digest).is_file()

    def size(self, digest: str) -> int:
        """Return the size of a blob in bytes; 0 when it does not exist.

        Raises:
            InvalidInput: it is not a digest.
        """
        path = self._path(digest)
        with os_errors(path), suppress(FileNotFoundError):
            return path.stat().st_size
        return 0

    def remove(self, digest: str) -> bool:
        """Remove a blob for good; return whether it was there.

        Raises:
            InvalidInput: it is not a digest.
            StoreError: it cannot be removed.
        """
        path = self._path(digest)
        with os_errors(path), suppress(FileNotFoundError):
            path.unlink()
            sync_folder(path.parent)
            return True
        return False

    def digests(self) -> list[str]:
        """Return the digests of all blobs."""
        paths = self._root.glob("[0-9a-f][0-9a-f]/*")
        names = (path.parent.name + path.name for path in paths)
        return sorted(name for name in names if _DIGEST.fullmatch(name))

    def sweep(self, clock: Clock) -> int:
        """Remove the drafts of killed writers; return the number of files."""
        return sum(sweep_drafts(folder, clock) for folder in self._root.glob("[0-9a-f][0-9a-f]"))

    def _path(self, digest: str) -> Path:
        if not _DIGEST.fullmatch(digest):
            raise InvalidInput("a digest is 64 hex digits", hint="use a digest of recollect")
        return self._root / digest[:2] / digest[2:]

    def _read(self, digest: str) -> bytes | None:
        path = self._path(digest)
        with os_errors(path), suppress(FileNotFoundError):
            return path.read_bytes()
        return None
