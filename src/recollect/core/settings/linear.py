"""Regular expressions of people that run on every text: which of them may take for ever.

Python's engine tries every way to match. Where a repetition repeats something that has several ways
itself, as in ``(a+)+``, a text of forty characters has more ways than there is time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

_MANY = 16
"""A repetition of more than that has too many ways, if what it repeats has several."""
_parser: Any = import_module("re._parser")  # reads what `re` reads


def is_linear(pattern: str) -> bool:
    """Return whether no repetition repeats what can match the same text in several ways.

    What is atomic, ``(?>…)`` and ``a++``, has one way. One that begins with an endless repetition
    still takes the square of the longest run that it repeats.

    Raises:
        re.error: it is not a regular expression.
    """
    return not any(_has_ways(body) for body in _repeated(_parser.parse(pattern)))


def _repeated(parsed: Any) -> Iterator[Any]:
    """Yield what is repeated often, at any depth."""
    for name, argument in parsed:
        if str(name) in {"MAX_REPEAT", "MIN_REPEAT"} and argument[1] > _MANY:
            yield argument[2]
        for part in _parts(argument):
            yield from _repeated(part)


def _has_ways(parsed: Any) -> bool:
    """Return whether something can match one text in several ways: by length, or by branch."""
    for name, argument in parsed:
        kind = str(name)
        if kind in {"MAX_REPEAT", "MIN_REPEAT"} and argument[0] != argument[1]:
            if not _is_delimited(parsed, argument):
                return True
        elif kind == "BRANCH" and not _differ_at_once(argument[1]):
            return True
        if kind not in {"ATOMIC_GROUP", "POSSESSIVE_REPEAT"} and any(
            map(_has_ways, _parts(argument))
        ):
            return True
    return False


def _is_delimited(parsed: Any, argument: Any) -> bool:
    """Return whether a repetition of one character ends where another one has to follow."""
    body, items = argument[2], list(parsed)
    if len(body) != 1:
        return False
    fixed = [each for each in items if str(each[0]) in {"LITERAL", "IN"}]
    repeated = _characters(body[0])
    return bool(repeated) and any(
        characters and not characters & repeated
        for characters in (_characters(each) for each in fixed)
    )


def _differ_at_once(branches: Any) -> bool:
    """Return whether branches begin with different characters."""
    firsts = [_characters(branch[0]) if len(branch) else frozenset() for branch in branches]
    total = sum(map(len, firsts))
    return all(firsts) and len(frozenset().union(*firsts)) == total


def _characters(item: Any) -> frozenset[int]:
    """Return the ASCII characters that an item matches; none where that is not simple."""
    if str(item[0]) not in {"LITERAL", "IN", "NOT_LITERAL", "ANY"}:
        return frozenset()
    part = _parser.SubPattern(_parser.State(), [item])
    return frozenset(code for code in range(128) if _matches(part, chr(code)))


def _matches(part: Any, character: str) -> bool:
    compiler: Any = re._compiler  # type: ignore[attr-defined]  # noqa: SLF001
    return compiler.compile(part).match(character) is not None


def _parts(argument: Any) -> Iterator[Any]:
    """Yield the patterns inside of an argument."""
    if isinstance(argument, _parser.SubPattern):
        yield argument
    elif isinstance(argument, tuple | list):
        for each in argument:
            yield from _parts(each)
