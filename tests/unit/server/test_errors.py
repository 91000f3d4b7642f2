"""One table from errors to statuses."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.answers.error import HANDLING
from recollect.core import errors
from recollect.core.errors import DimensionMismatch, RecollectError, StoreBusy, Unauthorized
from recollect.server import errors as server_errors
from recollect.server.errors import Rejection, rejection_of


def _tree(root: type[RecollectError]) -> Iterator[type[RecollectError]]:
    yield root
    for child in root.__subclasses__():
        yield from _tree(child)


def test_every_error_has_a_status() -> None:
    """The table is total over the tree, and holds nothing else."""
    assert set(HANDLING) == {k for k in _tree(RecollectError) if k.__module__ == errors.__name__}
    assert all(400 <= row.status < 600 for row in HANDLING.values())


def test_an_error_keeps_its_words() -> None:
    """Code, message and hint, on every surface the same."""
    found = rejection_of(StoreBusy("another program writes", hint="try again"))
    assert found == Rejection(503, "store_busy", "another program writes", "try again")
    assert rejection_of(Unauthorized("no")).headers == ((b"www-authenticate", b"Bearer"),)


def test_an_error_of_another_package_is_answered_as_its_parent() -> None:
    """A back end of a stranger may have its own."""

    class Stranger(DimensionMismatch):
        """Theirs."""

    assert rejection_of(Stranger("no")).status == HANDLING[DimensionMismatch].status


def test_what_the_guard_refuses_says_what_must_be_and_what_to_do() -> None:
    """The house style of errors."""
    found = [each for each in vars(server_errors).values() if isinstance(each, Rejection)]
    assert len(found) > 15
    for each in found:
        assert each.hint
        assert each.hint[0].islower()
        assert " must " in each.message or each.status in {404, 500, 503}
