"""Foreign JSON values, converted to a form that every engine stores.

Values that JSON or a database cannot hold are replaced, never dropped with the rest: half a
surrogate pair, NUL, NaN, bytes that are not UTF-8, whole numbers beyond 64 bits. Other types are
refused. Text that recollect itself put into a prompt is left out, since it is stored already.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from recollect.core.errors import InvalidInput

JsonValue: TypeAlias = Any
"""None, bool, int, float, str, or a list or dict (with text keys) of them."""

MAX_DEPTH = 64
"""Deepest nesting. JSON by hand or tool stays under 20; thousands of levels are an attack."""

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_MAX_INT = 2**63 - 1


def plain_object(value: object) -> JsonValue:
    """Return an object of an SDK, made with pydantic, as JSON; None for any other."""
    dump = None if isinstance(value, type) else getattr(value, "model_dump", None)
    if dump is None:
        return None
    return dump(mode="json", by_alias=True, exclude_none=True, warnings=False)


class JsonCleaner:
    """Cleans the values of one message and counts the replacements."""

    def __init__(self) -> None:
        self.replaced = 0
        """Characters replaced by U+FFFD so far."""

    def text(self, text: str) -> str:
        """Return ``text`` in a form that can be stored."""
        if "recollect-context" in text:
            from recollect.text.injected import without_injected

            text = without_injected(text)
        if (text.isascii() and "\x00" not in text) or not _UNSTORABLE.search(text):
            return text
        # Two adjacent halves are one character, as JavaScript writes it.
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        cleaned, count = _UNSTORABLE.subn("\ufffd", joined)
        self.replaced += count
        return cleaned

    def value(self, value: object, depth: int = 0) -> JsonValue:
        """Return ``value`` in a form that can be stored.

        Raises:
            InvalidInput: deeper than `MAX_DEPTH`, or of a type that JSON does not have.
        """
        if depth > MAX_DEPTH:
            raise InvalidInput(
                f"a JSON value is nested deeper than {MAX_DEPTH} levels", hint="flatten it"
            )
        kind = type(value)  # subclasses are checked below: looking them up costs far more
        if kind is dict:
            return self._mapping(cast("dict[object, object]", value), depth)
        if kind is str or isinstance(value, str):
            return self.text(cast("str", value))
        if value is None or isinstance(value, bool | int | float):
            return _number(value)
        if isinstance(value, bytes):
            return self.text(value.decode("utf-8", "replace"))
        return self._container(value, depth)

    def _mapping(self, value: Mapping[object, object], depth: int) -> JsonValue:
        text = self.text
        return {
            text(key if isinstance(key, str) else str(key)): (
                text(item)
                if type(item) is str and depth < MAX_DEPTH
                else self.value(item, depth + 1)
            )
            for key, item in value.items()
        }

    def _container(self, value: object, depth: int) -> JsonValue:
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, Sequence):
            return [self.value(item, depth + 1) for item in value]
        if (plain := plain_object(value)) is not None:
            return self.value(plain, depth)
        raise InvalidInput(
            f"a value must be JSON, not of type {type(value).__name__}",
            hint="turn it into text first",
        )


_ALIKE = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER = b"0" * 19


def is_clean_json(body: bytes, value: dict[str, object]) -> bool:
    """Return whether a `JsonCleaner` would not change an object; False is inconclusive.

    Args:
        body: JSON in UTF-8, as a strict decoder read it.
        value: Its decoded value.
    """
    return (
        b"\\u" not in body  # NUL, half a pair, or letters of the next one in disguise
        and b"recollect-context" not in body
        and _LONG_NUMBER not in body.translate(_ALIKE)
        and (body.count(b"{") + body.count(b"[") < MAX_DEPTH or _is_shallow(value))
    )


def _is_shallow(value: dict[str, object]) -> bool:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for each in level
            for inner in (each.values() if type(each) is dict else each)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return True
    return False


def _number(value: int | float | None) -> JsonValue:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is not None and not -_MAX_INT <= value <= _MAX_INT:
        return str(value)
    return value
