"""The driver's errors become ours in one place."""

from __future__ import annotations

import errno

import apsw
import pytest

from recollect.core.errors import (
    Conflict,
    RecollectError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from recollect.store.failures import MEANINGS, translate, translate_os

DRIVER_ERRORS: set[type[apsw.Error]] = {
    value
    for value in vars(apsw).values()
    if isinstance(value, type) and issubclass(value, apsw.Error)
}


def test_every_error_of_the_driver_has_a_meaning() -> None:
    """A new class in a new driver must be thought about, not swallowed."""
    assert set(MEANINGS) == DRIVER_ERRORS


@pytest.mark.parametrize("kind", sorted(DRIVER_ERRORS, key=str))
def test_each_becomes_an_error_with_a_hint(kind: type[apsw.Error]) -> None:
    """House rule: every error says what to do next."""
    failure = translate(kind("words"), "/home/x/records.db", outcome="none")
    assert isinstance(failure, RecollectError)
    assert failure.hint
    assert failure.message.startswith("records.db: ")
    assert failure.facts["outcome"] == "none"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (apsw.SQLITE_BUSY, StoreBusy),
        (apsw.SQLITE_FULL, StoreFull),
        (apsw.SQLITE_READONLY, StoreReadOnly),
        (apsw.SQLITE_CORRUPT, StoreCorrupt),
        (apsw.SQLITE_IOERR_FSYNC, StoreError),
        (apsw.SQLITE_IOERR_SHMSIZE, StoreFull),
        (apsw.SQLITE_CONSTRAINT_UNIQUE, Conflict),
        (apsw.SQLITE_CONSTRAINT_NOTNULL, StoreError),
    ],
)
def test_the_code_decides_about_the_class(code: int, expected: type[RecollectError]) -> None:
    """Also where the driver has one class for several codes."""
    error = apsw.exception_for(code)
    assert isinstance(error, apsw.Error)
    failure = translate(error, "records.db")
    assert type(failure) is expected
    assert failure.facts["sqlite_code"] == code


def test_what_was_searched_for_is_not_repeated() -> None:
    """Messages never hold the user's text; those of statements can quote it."""
    failure = translate(apsw.SQLError('near "my secret": syntax error'), "index.db")
    assert "secret" not in failure.message


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (errno.ENOSPC, StoreFull),
        (errno.EDQUOT, StoreFull),
        (errno.EROFS, StoreReadOnly),
        (errno.EACCES, StoreReadOnly),
        (errno.EIO, StoreError),
        (errno.ENOENT, StoreError),
        (None, StoreError),
    ],
)
def test_errors_of_files_become_ours_too(number: int | None, expected: type[StoreError]) -> None:
    """By their number; one without a number is a disk error."""
    error = OSError(number, "no") if number is not None else OSError()
    failure = translate_os(error, "/home/x/blob")
    assert type(failure) is expected
    assert failure.hint
