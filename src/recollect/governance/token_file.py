"""The owner's token: the file ``token`` of the home, which only they can read.

The file is authoritative: writing another text into it rotates the token, and a running program
sees it with the next request.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from recollect.core.errors import Conflict, Denied, NotFound
from recollect.store.failures import os_errors
from recollect.store.files import private_folder, write_file

TOKEN_FILE = "token"  # noqa: S105  # the name of the file
PREFIX = "rcl_"
"""The prefix of every token; the redactor knows the shape."""
_BYTES = 32
_LONGEST = 256
_ROTATE = "make another one with `recollect token rotate`"


def new_text() -> str:
    """Return the text of a new token: 256 random bits."""
    return PREFIX + secrets.token_urlsafe(_BYTES)


def digest_of(text: str) -> bytes:
    """Return the digest of a token; a slow hash would add nothing to 256 random bits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class TokenFile:
    """The file of one home.

    Args:
        home: The home.
    """

    def __init__(self, home: Path) -> None:
        self.path = home / TOKEN_FILE
        self._digest_of_mark: tuple[object, bytes | None] = (None, None)

    def ensure(self) -> Path:
        """Create the file if it is missing, and return its path.

        Raises:
            StoreError: it cannot be written.
        """
        if not self.path.exists():
            private_folder(self.path.parent)
            with suppress(Conflict):  # another program was first
                write_file(self.path, f"{new_text()}\n".encode(), replace=False)
        return self.path

    def rotate(self) -> Path:
        """Write a new token into the file, and return its path; the old token becomes invalid.

        Raises:
            StoreError: it cannot be written; the old one stays.
        """
        private_folder(self.path.parent)
        write_file(self.path, f"{new_text()}\n".encode())
        return self.path

    def text(self) -> str:
        """Return the token.

        Raises:
            NotFound: the file is missing.
            Denied: it is not a file, not the owner's alone, or holds no token.
            StoreError: it cannot be read.
        """
        with os_errors(self.path):
            try:
                _check_private(self.path.lstat())  # before opening it: it may be a pipe
                descriptor = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            except FileNotFoundError:
                raise NotFound("the home has no token yet", hint=_ROTATE) from None
            with open(descriptor, "rb") as file:
                _check_private(os.fstat(file.fileno()))
                text = file.read(_LONGEST).decode("ascii", "replace").strip()
        if not text.startswith(PREFIX) or len(text) < len(PREFIX) + _BYTES:
            raise Denied("the file of the token must hold a token", hint=_ROTATE)
        return text

    def digest(self) -> bytes | None:
        """Return the digest of the token, read again where the file changed; None without a file.

        Raises:
            Denied: it is not a file, not the owner's alone, or holds no token.
            StoreError: it cannot be read.
        """
        try:
            there = self.path.lstat()
        except OSError:
            return None
        mark = (there.st_mtime_ns, there.st_ctime_ns, there.st_ino, there.st_size, there.st_mode)
        if self._digest_of_mark[0] != mark:
            self._digest_of_mark = (mark, digest_of(self.text()))
        return self._digest_of_mark[1]


def _check_private(there: os.stat_result) -> None:
    is_ours = stat.S_ISREG(there.st_mode) and there.st_uid == os.geteuid()
    if not is_ours or there.st_mode & 0o077:
        raise Denied("the file of the token must be readable by its owner alone", hint=_ROTATE)
