"""The error tree: codes, hints and facts."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest

from recollect.core import errors
from recollect.core.errors import ConfigError, InvalidInput, RecollectError, StoreBusy, StoreError


def _tree(kind: type[RecollectError] = RecollectError) -> Iterator[type[RecollectError]]:
    """Yield the classes of the module; a room may refine one of them for itself."""
    if kind.__module__ == errors.__name__:
        yield kind
        for child in kind.__subclasses__():
            yield from _tree(child)


def test_every_error_has_its_own_code() -> None:
    """Codes are the stable names of errors on every surface."""
    codes = [kind.code for kind in _tree()]
    assert len(codes) == len(set(codes))


def test_every_error_is_in_the_drawing_at_the_top() -> None:
    """The docstring of the module is the map that readers use."""
    drawing = errors.__doc__ or ""
    assert [kind.__name__ for kind in _tree() if kind.__name__ not in drawing] == []


def test_an_error_carries_message_hint_and_facts() -> None:
    """What a surface shows, and what a program asks."""
    error = StoreBusy("another process writes", hint="try again", waited_ms=100)
    assert error.as_dict() == {
        "code": "store_busy",
        "message": "another process writes",
        "hint": "try again",
    }
    assert error.facts == {"waited_ms": 100}
    assert str(error) == "another process writes"


@pytest.mark.parametrize(("kind", "parent"), [(ConfigError, InvalidInput), (StoreBusy, StoreError)])
def test_a_caller_can_catch_a_family(
    kind: type[RecollectError], parent: type[RecollectError]
) -> None:
    """Branches of the tree are classes."""
    with pytest.raises(parent):
        raise kind("it happened")


def test_an_error_is_copied_whatever_its_class_is_made_of() -> None:
    """The writer raises what one unit met in every thread that waits for its group."""

    class Made(errors.Conflict):
        def __init__(self) -> None:
            super().__init__("it changed meanwhile", hint="try again", number=7)

    met = Made()
    met.__cause__ = OSError("disk")
    again = copy.copy(met)
    assert again is not met
    assert type(again) is Made
    assert (again.args, again.message, again.hint, again.facts) == (
        met.args,
        "it changed meanwhile",
        "try again",
        {"number": 7},
    )
    assert again.__cause__ is met.__cause__
