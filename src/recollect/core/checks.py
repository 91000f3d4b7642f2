"""Checks of arguments: types as annotated, numbers and ids as they can be stored."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from pathlib import Path
from types import FunctionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    ParamSpec,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
)

from msgspec import Meta

from recollect.core.errors import InvalidInput

MOST_QUESTION = 4_000
"""Characters of a question: 15 MB of them kept a thread busy for 36 s. Hooks cut it instead."""
MOST_HITS = 1_000
MOST_LINES = 200
"""Lines of a timeline on each side."""
MOST_IDS = 500
"""Records requested at once."""
MOST_ROWS = 1_000
"""Rows of a page of a list."""

Question: TypeAlias = Annotated[str, Meta(max_length=MOST_QUESTION)]
HitCount: TypeAlias = Annotated[int, Meta(ge=1, le=MOST_HITS)]
LineCount: TypeAlias = Annotated[int, Meta(ge=0, le=MOST_LINES)]
RowCount: TypeAlias = Annotated[int, Meta(ge=0, le=MOST_ROWS)]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
Test: TypeAlias = Callable[[Any], bool]

MAX_LABEL_CHARS = 512
"""Longest speaker name, title or event id."""
LARGEST = 2**63 - 1
"""The largest integer of a database."""

_EVENT_ID = re.compile(rf"[^\x00-\x1f\x7f\ud800-\udfff]{{1,{MAX_LABEL_CHARS}}}")


def check_event_id(event_id: object) -> str:
    """Return ``event_id``.

    Raises:
        InvalidInput: it is empty, longer than `MAX_LABEL_CHARS`, or holds a control character.
    """
    if isinstance(event_id, str) and _EVENT_ID.fullmatch(event_id):
        return event_id
    raise InvalidInput(
        "an event id must be a printable text",
        hint=f"use 1 to {MAX_LABEL_CHARS} printable characters, such as a UUID",
    )


def check_text(value: object, what: str) -> str:
    """Return ``value``.

    Raises:
        InvalidInput: it is not a text.
    """
    if isinstance(value, str):
        return value
    raise InvalidInput(f"the {what} must be a text", hint="turn it into text first")


def check_texts(values: object, what: str) -> list[str]:
    """Return texts as a list, without lone surrogates; a single text becomes a list of one.

    Raises:
        InvalidInput: it is neither a text nor a sequence of texts.
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        values = [values]
    items = list(values)
    texts = [each for each in items if isinstance(each, str)]
    if len(texts) == len(items):
        return [each.encode("utf-8", "replace").decode() for each in texts]
    raise InvalidInput(f"{what} must be texts", hint="pass a text, or several in a list")


def check_share(value: object, what: str) -> float:
    """Return a number from 0 to 1.

    Raises:
        InvalidInput: it is not one.
    """
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise InvalidInput(f"{what} must be a number from 0 to 1", hint="leave it out, or correct it")


def check_count(value: int | None, what: str, least: int = 0) -> None:
    """Refuse a number that is not a valid count; None is allowed.

    Raises:
        InvalidInput: it is not a whole number from ``least`` to `LARGEST`.
    """
    number: object = value
    if number is None:
        return
    if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= LARGEST:
        raise InvalidInput(
            f"{what} must be a whole number from {least}", hint="leave it out, or correct it"
        )


def check_most(number: int, most: int, what: str) -> None:
    """Refuse a number above the maximum.

    Raises:
        InvalidInput: it is above ``most``.
    """
    if number > most:
        raise InvalidInput(f"{what} must be {most:,} at most", hint="ask for less at once")


def checked(kind: type[T]) -> type[T]:
    """Make the public calls of a class refuse arguments that do not match their annotations.

    A new call is checked automatically, unless it is `self_checked`. An annotation with a name that
    only type checkers know is left to the call; but ``On…`` must be callable.

    >>> @checked
    ... class Kettle:
    ...     def boil(self, litres: float, note: str | None = None) -> None: ...
    >>> Kettle().boil("2")
    Traceback (most recent call last):
        ...
    recollect.core.errors.InvalidInput: litres must be a number
    """
    for name, value in list(vars(kind).items()):
        is_call = isinstance(value, FunctionType) and not hasattr(value, "is_self_checked")
        if is_call and (name[0] != "_" or name == "__call__"):
            setattr(kind, name, checked_call(value))
    return kind


def self_checked(call: F) -> F:
    """Leave the checks to a call: one of the few that must stay short, see `checked`."""
    call.__dict__["is_self_checked"] = True
    return call


def checked_call(call: Callable[P, R]) -> Callable[P, R]:
    """Return a call that raises `InvalidInput` for an argument of a wrong type, see `checked`."""
    plain: Any = getattr(call, "__wrapped__", call)
    names = plain.__code__.co_varnames[: plain.__code__.co_argcount]
    rules: dict[str, _Rule] = {}

    @wraps(call)
    def checking(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            rule = rules.get(name)
            if rule is None:
                rule = rules[name] = _rule(plain, name)
            if not rule.holds(value):
                raise rule.refusal(name, value)
        return call(*args, **kwargs)

    return checking


class _Rule(NamedTuple):
    """The allowed types of an argument: one of several."""

    tests: tuple[Test, ...]
    words: tuple[str, ...]

    def holds(self, value: object) -> bool:
        for test in self.tests:
            if test(value):
                return True
        return not self.tests

    def refusal(self, name: str, value: object) -> InvalidInput:
        *most, last = self.words
        expected = f"{', '.join(most)} or {last}" if most else last
        actual = (
            "was empty"
            if isinstance(value, str) and not value
            else f"was of the type {type(value).__name__}"
        )
        return InvalidInput(f"{name} must be {expected}", hint=f"pass {expected}; it {actual}")


def _rule(call: Any, name: str) -> _Rule:
    """Return the rule of a parameter; one without tests where its type is not known."""
    annotation = str(call.__annotations__.get(name, "Any"))
    meanings = [_meaning(part.strip(), call.__globals__) for part in _JOIN.split(annotation)]
    if "" in dict(meanings):
        return _Rule((), ())
    if _PATH in meanings:
        meanings = [
            each for each in meanings if each != _TEXT
        ]  # more must be true of that of a path
    return _Rule(tuple(test for _, test in meanings), tuple(word for word, _ in meanings))


def _meaning(part: str, names: Mapping[str, Any]) -> tuple[str, Test]:
    """Return the words and the test of a part of an annotation; no words: anything is allowed."""
    name = part.partition("[")[0]
    if name in _MEANINGS:
        return _MEANINGS[name]
    if re.match(r"On[A-Z]", name):
        return _MEANINGS["Callable"]
    kind = names.get(name)
    if name == "Sequence":
        return _several(_meaning(part[len(name) + 1 : -1], names))
    if get_origin(kind) is Literal:
        return " or ".join(map(repr, get_args(kind))), partial(_is_one_of, get_args(kind))
    if not isinstance(kind, type) or kind is Any:
        return "", bool
    if getattr(kind, "_is_protocol", False):
        calls = [each for each in vars(kind) if each[0] != "_"]
        return f"a {name}", lambda value: all(_has(value, each) for each in calls)
    return f"a {name}", lambda value: isinstance(value, kind)


def _has(value: object, name: str) -> bool:
    """Return whether an attribute exists, without getting it: that may be a request."""
    kind = type(value)
    return (
        hasattr(kind, name)
        or name in getattr(value, "__dict__", ())
        or hasattr(kind, "__getattr__")
    )


def _is_one_of(values: tuple[object, ...], value: object) -> bool:
    return isinstance(value, str) and value in values


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST


def _is_number(value: object) -> bool:
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    return is_one and value == value


def _is_path(value: object) -> bool:
    if not isinstance(value, str | Path) or not str(value) or "\0" in str(value):
        return False
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        return False
    return True


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, bytes | Mapping | type)


def _several(each: tuple[str, Test]) -> tuple[str, Test]:
    """Return the meaning of a list; items still to come from a generator are left to the call."""
    word, test = each

    def are(values: Any) -> bool:
        if isinstance(values, str):
            return test(values)
        is_there = word and isinstance(values, list | tuple | set | frozenset)
        return all(map(test, values)) if is_there else _is_list(values)

    kinds = "a list of texts" if word == "a text" else f"a list, each {word}"
    return kinds if word else "a list", are


_JOIN = re.compile(r"\|(?![^\[]*\])")
"""The separator of the parts of an annotation, outside of brackets."""
_TEXT: tuple[str, Test] = "a text", lambda value: isinstance(value, str)
_PATH: tuple[str, Test] = "a path", _is_path
_MEANINGS: dict[str, tuple[str, Test]] = {
    "None": ("None", lambda value: value is None),
    "str": _TEXT,
    "Path": _PATH,
    "bool": ("True or False", lambda value: isinstance(value, bool)),
    "int": ("a whole number", _is_whole),
    "float": ("a number", _is_number),
    "bytes": ("bytes", lambda value: isinstance(value, bytes)),
    "Iterable": ("a list", _is_list),
    "Mapping": ("a dict", lambda value: isinstance(value, Mapping)),
    "BinaryIO": ("an open file", lambda value: hasattr(value, "seek") and hasattr(value, "read")),
    "Callable": ("a function", callable),
}
