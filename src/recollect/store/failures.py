"""Translates the driver's errors to ours; no other module does.

Every exception class of the driver has a row here; a test walks the driver and proves it. Messages
name the database and SQLite's own words, which hold names of tables and columns, never values.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
from msgspec import Struct

from recollect.core.errors import (
    Conflict,
    InvalidInput,
    RecollectError,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)


class Meaning(Struct, frozen=True):
    """The name of one class of failure, and what the reader can do."""

    error: type[RecollectError]
    says: str
    hint: str


_BUSY = Meaning(
    StoreBusy,
    "another process keeps the database busy",
    "try again; if it stays so, look for a stopped recollect process",
)
_FULL = Meaning(StoreFull, "no space is left on the device", "free some space and try again")
_READ_ONLY = Meaning(
    StoreReadOnly, "the file cannot be written", "check the owner and the permissions of the home"
)
_CORRUPT = Meaning(
    StoreCorrupt,
    "the database is damaged",
    "delete index.db, which comes back; for records.db restore a backup with"
    " `recollect restore FILE`, or rebuild it with `recollect recover`",
)
_CLOSED = Meaning(StoreClosed, "the database is closed", "open it again")
_IO = Meaning(StoreError, "the disk reported an error", "check the disk, then try again")
_CANT_OPEN = Meaning(
    StoreError, "the file cannot be opened", "check that it exists and can be read"
)
_TOO_LONG = Meaning(
    StoreError, "the name is too long", "choose a name of 255 bytes at most, on a shorter path"
)
_MOUNT = Meaning(
    StoreError,
    "the folder is a mount point or in use, and cannot change its place",
    "name a folder below it",
)
_MEMORY = Meaning(StoreError, "SQLite is out of memory", "close other programs and try again")
_TOO_BIG = Meaning(InvalidInput, "a value is larger than the database can hold", "split it")
_REFUSED = Meaning(StoreError, "a rule of the schema refused the row", "report this as a bug")
_DUPLICATE = Meaning(Conflict, "the row exists already", "use another id")
_BUG = Meaning(StoreError, "the statement could not be run", "report this as a bug")

MEANINGS: dict[type[Exception], Meaning] = {
    apsw.BusyError: _BUSY,
    apsw.LockedError: _BUSY,
    apsw.ProtocolError: _BUSY,
    apsw.FullError: _FULL,
    apsw.ReadOnlyError: _READ_ONLY,
    apsw.PermissionsError: _READ_ONLY,
    apsw.CorruptError: _CORRUPT,
    apsw.NotADBError: _CORRUPT,
    apsw.FormatError: _CORRUPT,
    apsw.IOError: _IO,
    apsw.NoLFSError: _IO,
    apsw.CantOpenError: _CANT_OPEN,
    apsw.NoMemError: _MEMORY,
    apsw.TooBigError: _TOO_BIG,
    apsw.ConstraintError: _REFUSED,
    apsw.InterruptError: _CLOSED,
    apsw.AbortError: _CLOSED,
    apsw.ConnectionClosedError: _CLOSED,
    apsw.CursorClosedError: _CLOSED,
    apsw.AuthError: _BUG,
    apsw.BindingsError: _BUG,
    apsw.ConnectionNotClosedError: _BUG,
    apsw.EmptyError: _BUG,
    apsw.ExecTraceAbort: _BUG,
    apsw.ExecutionCompleteError: _BUG,
    apsw.ExtensionLoadingError: _BUG,
    apsw.ForkingViolationError: _BUG,
    apsw.IncompleteExecutionError: _BUG,
    apsw.InternalError: _BUG,
    apsw.InvalidContextError: _BUG,
    apsw.MismatchError: _BUG,
    apsw.MisuseError: _BUG,
    apsw.NoFTS5Error: _BUG,
    apsw.NotFoundError: _BUG,
    apsw.RangeError: _BUG,
    apsw.SQLError: _BUG,
    apsw.SchemaChangeError: _BUG,
    apsw.ThreadingViolationError: _BUG,
    apsw.VFSFileClosedError: _IO,
    apsw.VFSNotImplementedError: _IO,
    apsw.Error: _BUG,
}

_BY_CODE = {
    apsw.SQLITE_CONSTRAINT_UNIQUE: _DUPLICATE,
    apsw.SQLITE_CONSTRAINT_PRIMARYKEY: _DUPLICATE,
    apsw.SQLITE_CONSTRAINT_ROWID: _DUPLICATE,
    apsw.SQLITE_IOERR_SHMSIZE: _FULL,
    apsw.SQLITE_IOERR_NOMEM: _MEMORY,
}
"""Cases where the extended code is more specific than the class."""

BUSY = (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)
"""Nothing is wrong with the file; another process has locked it."""

STATEMENT_ONLY = (
    apsw.ConstraintError,
    apsw.SQLError,
    apsw.BindingsError,
    apsw.TooBigError,
    apsw.MismatchError,
    apsw.RangeError,
    apsw.ReadOnlyError,
    apsw.CursorClosedError,
    apsw.IncompleteExecutionError,
)
"""The statement was refused; the transaction around it is sound. All other errors end it."""

NOT_UTF_8 = "a text is not UTF-8"
"""Only valid texts are stored; SQLite itself does not check the texts that it returns."""

_ERRNO = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EROFS: _READ_ONLY,
    errno.EACCES: _READ_ONLY,
    errno.EPERM: _READ_ONLY,
    errno.ENOENT: _CANT_OPEN,
    errno.ENOTDIR: _CANT_OPEN,
    errno.ENAMETOOLONG: _TOO_LONG,
    errno.EFBIG: _FULL,
    errno.EBUSY: _MOUNT,
    errno.EMFILE: _CANT_OPEN,
    errno.ENFILE: _CANT_OPEN,
}


def translate(error: apsw.Error, path: str | Path, **facts: object) -> RecollectError:
    """Return our error for one of the driver's; raise it ``from`` the original.

    Args:
        error: The driver's error.
        path: The database; becomes the fact ``path``.
        facts: More facts.
    """
    meaning = _meaning(error)
    return meaning.error(
        f"{Path(path).name}: {meaning.says} ({_own_words(error)})",
        hint=meaning.hint,
        path=str(path),
        sqlite_code=getattr(error, "extendedresult", None),
        **facts,
    )


def translate_os(error: OSError, path: str | Path) -> StoreError:
    """Return our error for a failed call on the file or folder ``path``."""
    meaning = _ERRNO.get(error.errno or 0, _IO)
    reason = error.strerror or type(error).__name__
    words = f"{Path(path).name}: {meaning.says} ({reason})"
    kind = meaning.error if issubclass(meaning.error, StoreError) else StoreError
    return kind(words, hint=meaning.hint, path=str(path))


@contextmanager
def driver_errors(path: str | Path) -> Iterator[None]:
    """Translate what fails in the block on the database ``path``, as `translate` does."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error, path) from error
    except UnicodeDecodeError as error:
        raise translate(apsw.CorruptError(NOT_UTF_8), path) from error


@contextmanager
def os_errors(path: str | Path) -> Iterator[None]:
    """Translate what fails in the block on the file or folder ``path``, as `translate_os` does."""
    try:
        yield
    except OSError as error:
        raise translate_os(error, path) from error


def _meaning(error: apsw.Error) -> Meaning:
    code = int(getattr(error, "extendedresult", 0))
    return _BY_CODE.get(code) or MEANINGS.get(type(error), _BUG)


def _own_words(error: apsw.Error) -> str:
    if isinstance(error, apsw.SQLError):
        return "SQLError"  # its message can quote the query; the cause keeps it
    return str(error) or type(error).__name__
