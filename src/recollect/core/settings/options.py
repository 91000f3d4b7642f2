"""The list of options, read off the tree: for `recollect config`, the settings page and errors."""

from __future__ import annotations

import functools
import types
from typing import Literal, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct

from recollect.core.decoding import convert_value
from recollect.core.settings.tree import Settings

SettingValue = bool | int | float | str | tuple[str, ...] | None

_NAMES = {bool: "true or false", int: "an integer", float: "a number", str: "a text"}


class Option(Struct, frozen=True, kw_only=True):
    """One leaf of the tree, as people see it."""

    key: str
    """Dotted, such as ``search.limit``."""
    expects: str
    """What it accepts, to be read after "must be": "an integer from 1 to 1000"."""
    unit: str
    """Of a number; empty where there is none."""
    default: SettingValue
    why: str
    """What it does and why the default is what it is."""
    secret: bool = False
    """Never shown once it is set."""

    @property
    def variable(self) -> str:
        """The environment variable that sets it: ``RECOLLECT_SEARCH__LIMIT``."""
        return "RECOLLECT_" + self.key.upper().replace(".", "__")


@functools.cache
def list_options() -> tuple[Option, ...]:
    """Return every option in the order of the tree."""
    return tuple(
        Option(
            key=key,
            expects=_type_words(get_args(kind)[0]) + _range_words(_meta(kind)),
            unit=(_meta(kind).extra or {}).get("unit", ""),
            default=default,
            why=get_args(kind)[-1],
            secret=(_meta(kind).extra or {}).get("secret", False),
        )
        for key, (kind, default) in leaves().items()
    )


@functools.cache
def leaves() -> dict[str, tuple[object, SettingValue]]:
    """Return dotted key -> (annotated type, default), in the order of the tree."""
    return dict(_walk(Settings(), ""))


@functools.cache
def sections() -> frozenset[str]:
    """Return the dotted keys that have options below them."""
    parts = [key.split(".") for key in leaves()]
    return frozenset(".".join(each[:depth]) for each in parts for depth in range(1, len(each)))


def _walk(section: Struct, prefix: str) -> list[tuple[str, tuple[object, SettingValue]]]:
    options: list[tuple[str, tuple[object, SettingValue]]] = []
    for name, kind in get_type_hints(type(section), include_extras=True).items():
        value = getattr(section, name)
        if isinstance(value, Struct):
            options += _walk(value, f"{prefix}{name}.")
        else:
            options.append((prefix + name, (kind, value)))
    return options


def _meta(kind: object) -> Meta:
    """Return the limits of a leaf, which may stand between its type and its description."""
    return next((each for each in get_args(kind) if isinstance(each, Meta)), Meta())


def _type_words(bare: object) -> str:
    origin, inner = get_origin(bare), get_args(bare)
    if origin is Literal:
        return "one of " + ", ".join(inner)
    if origin is tuple:
        choices = _type_words(inner[0]).removeprefix("one of ")
        return "a list of texts" if inner[0] is str else f"a list of any of {choices}"
    if origin is types.UnionType:
        return " or ".join("unset" if part is type(None) else _type_words(part) for part in inner)
    return _NAMES[bare]  # type: ignore[index]  # the tree holds no other types; a test walks it


def _range_words(meta: Meta) -> str:
    if meta.ge is not None:
        return f" from {meta.ge} to {meta.le}"
    if meta.min_length is not None:
        return f" of {meta.min_length} to {meta.max_length} characters"
    return ""


def convert(key: str, value: object, *, from_text: bool) -> SettingValue:
    """Return ``value`` as the type of option ``key``.

    Args:
        key: A dotted key that exists.
        value: From YAML, the environment or a caller.
        from_text: Read texts as numbers and booleans, as environment variables need it.

    Raises:
        ValueError: wrong type or outside the range.
    """
    kind = leaves()[key][0]
    converted: SettingValue = convert_value(value, kind, strict=not from_text)
    return converted
