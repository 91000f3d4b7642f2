"""`config.yaml` as text: the first one with its comments, and changes that keep every comment.

A change is made where the YAML parser finds the value, and the result is parsed again:
it must say what was meant and nothing else.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import yaml

from recollect.core.errors import ConfigError
from recollect.core.settings.options import Option, list_options

HEAD = """\
# The settings of this memory. Every line is optional; a commented one shows the default.
# `recollect config` shows what is in force, `recollect config set KEY VALUE` changes it.
"""
WIDTH = 96

Value = bool | int | float | str | Sequence[str] | None


def first_config() -> str:
    """Return a file in which every setting is explained and commented out."""
    lines = [HEAD]
    before: list[str] = []
    for option in list_options():
        *sections, _ = option.key.split(".")
        lines.append("\n")
        lines += [
            f"{'  ' * depth}{name}:\n"
            for depth, name in enumerate(sections)
            if before[: depth + 1] != sections[: depth + 1]
        ]
        before = sections
        lines += _explained(option, "  " * len(sections))
    return "".join(lines)


def with_setting(text: str, key: str, value: Value) -> str:
    """Return the file ``text`` with ``key`` set; comments and order stay.

    Raises:
        ConfigError: it is written in a way that only a person can change.
    """
    place = _find(text, key.split("."))
    change = _added if place.missing else _replaced
    changed = change(text, place, _written(value))
    return _checked(changed, _flat(text) | {key: _plain_value(value)})


def without_setting(text: str, key: str, default: Value) -> str:
    """Return the file ``text`` with ``key`` commented out and its default beside it.

    Raises:
        ConfigError: it is written in a way that only a person can change.
    """
    place = _find(text, key.split("."))
    if place.missing or place.key is None:
        return text
    start = _line_start(text, place.key.start_mark.index)
    end = text.find("\n", _end_of(text, place.value)) + 1 or len(text)
    indent = " " * place.key.start_mark.column
    comment = f"{indent}# {_named(key.rpartition('.')[2], default)}\n"
    changed = text[:start] + comment + text[end:]
    return _checked(changed, {name: v for name, v in _flat(text).items() if name != key})


class _Place(msgspec.Struct, frozen=True, kw_only=True):
    """How far a key exists: the deepest node on its way, and the names after it."""

    key: yaml.Node | None
    """The name of that node; None for the whole file."""
    value: yaml.Node | None
    """None for an empty file."""
    missing: tuple[str, ...]


def _find(text: str, names: Sequence[str]) -> _Place:
    try:
        value: yaml.Node | None = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise _only_by_hand() from error
    key: yaml.Node | None = None
    for depth, name in enumerate(names):
        entries = value.value if isinstance(value, yaml.MappingNode) else []
        entry = next(((k, v) for k, v in entries if k.value == name), None)
        if entry is None:
            return _Place(key=key, value=value, missing=tuple(names[depth:]))
        key, value = entry
    return _Place(key=key, value=value, missing=())


def _replaced(text: str, place: _Place, written: str) -> str:
    key, value = place.key, place.value
    if key is None or value is None:
        raise _only_by_hand()
    start, end = value.start_mark.index, _end_of(text, value)
    colon = text.index(":", key.end_mark.index) + 1
    if "\n" in text[colon:start]:  # a list on lines of its own; the comment before it stays
        line_end = text.index("\n", colon)
        return f"{text[:colon]} {written}{text[colon:line_end]}{text[end:]}"
    return f"{text[:colon]} {written}{text[end:]}"


def _added(text: str, place: _Place, written: str) -> str:
    if place.key is None:
        gap = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{gap}\n{_nested(place.missing, written, 0)}"
    if isinstance(place.value, yaml.MappingNode) and place.value.flow_style:
        inside = place.value.start_mark.index + 1
        more = ", " if place.value.value else ""
        names = "".join(f"{name}: {{" for name in place.missing[:-1])
        entry = f"{names}{place.missing[-1]}: {written}{'}' * (len(place.missing) - 1)}"
        return f"{text[:inside]}{entry}{more}{text[inside:]}"
    return _added_line(text, place, place.key, written)


def _added_line(text: str, place: _Place, key: yaml.Node, written: str) -> str:
    """Put the setting where its commented line is, or else first in its section."""
    children = place.value.value if isinstance(place.value, yaml.MappingNode) else []
    column = children[0][0].start_mark.column if children else key.start_mark.column + 2
    added = _nested(place.missing, written, column)
    start = text.find("\n", key.end_mark.index) + 1 or len(text)
    section = text[start : _section_end(text, start, key.start_mark.column)]
    commented = re.compile(rf"^[ ]*#[ ]?{re.escape(place.missing[0])}:.*(?:\n|$)", re.MULTILINE)
    found = commented.search(section) if len(place.missing) == 1 else None
    if found:
        section = section[: found.start()] + added + section[found.end() :]
        return text[:start] + section + text[start + len(section) - len(added) + len(found[0]) :]
    gap = "" if text[:start].endswith("\n") else "\n"
    return f"{text[:start]}{gap}{added}{text[start:]}"


def _section_end(text: str, start: int, column: int) -> int:
    """Return where the lines deeper than ``column`` end; comments belong to them."""
    place = start
    for line in text[start:].splitlines(keepends=True):
        bare = line.strip()
        if bare and not bare.startswith("#") and len(line) - len(line.lstrip()) <= column:
            break
        place += len(line)
    return place


def _nested(names: Sequence[str], written: str, column: int) -> str:
    lines = [f"{' ' * (column + 2 * depth)}{name}:" for depth, name in enumerate(names)]
    return "\n".join(lines) + f" {written}\n"


def _end_of(text: str, node: yaml.Node | None) -> int:
    """Return where a value ends, without the blank lines and comments that YAML counts to it."""
    if node is None:
        return len(text)
    is_block = isinstance(node, yaml.CollectionNode) and not node.flow_style
    if is_block and node.value:
        last = node.value[-1]
        return _end_of(text, last[1] if isinstance(last, tuple) else last)
    start, end = node.start_mark.index, node.end_mark.index
    return start + len(text[start:end].rstrip())


def _line_start(text: str, place: int) -> int:
    return text.rfind("\n", 0, place) + 1


def _written(value: Value) -> str:
    texts = [value] if isinstance(value, str) else value if isinstance(value, Sequence) else []
    # Between double quotes line ends and their like are escaped, elsewhere they would be layout.
    style = None if all(text.isprintable() for text in texts) else '"'
    dumped: str = yaml.safe_dump(
        _plain_value(value),
        default_flow_style=True,
        default_style=style,
        allow_unicode=True,
        width=float("inf"),
    )
    return dumped.removesuffix("\n").removesuffix("\n...")


def _plain_value(value: Value) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _checked(changed: str, meant: Mapping[str, Any]) -> str:
    if _flat(changed) != meant:
        raise _only_by_hand()
    return changed


def _flat(text: str) -> dict[str, Any]:
    """Return what a file says: dotted key -> value; what is empty is not said."""
    try:
        return dict(_leaves(yaml.safe_load(text), ""))
    except yaml.YAMLError as error:
        raise _only_by_hand() from error


def _leaves(tree: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in (tree or {}).items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{name}.")
        elif value is not None:
            yield f"{prefix}{name}", value


def _only_by_hand() -> ConfigError:
    return ConfigError(
        "config.yaml cannot be changed from here",
        hint="change it in an editor; `recollect config path` tells where it is",
    )


def _explained(option: Option, indent: str) -> Iterator[str]:
    unit = f" ({option.unit})" if option.unit else ""
    why = f"{option.why} " if option.why else ""
    text = f"{why}Must be {option.expects}{unit}."
    lead = f"{indent}# "
    yield textwrap.fill(text, WIDTH, initial_indent=lead, subsequent_indent=lead) + "\n"
    yield f"{lead}{_named(option.key.rpartition('.')[2], option.default)}\n"


def _named(name: str, default: Value) -> str:
    return f"{name}:" if default is None else f"{name}: {_written(default)}"
