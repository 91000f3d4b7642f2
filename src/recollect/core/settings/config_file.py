"""`config.yaml` as text: the first one with its comments, and changes that keep every comment.

A change is made where the YAML parser finds the value, and the result is parsed again:
it must say what was meant and nothing else.
"""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import yaml

from recollect.core.errors import ConfigError
from recollect.core.settings.options import Option, list_options
from recollect.core.settings.sources import loader_for

HEAD = """\
# The settings of this memory. Every line is optional; a commented one shows the default.
# `recollect config` shows what is in force, `recollect config set KEY VALUE` changes it.
"""
WIDTH = 96

Value = bool | int | float | str | Sequence[str] | None


@functools.cache
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
    location = _find(text, key.split("."))
    change = _added if location.missing else _replaced
    changed = change(text, location, _written(value))
    return _checked(changed, _flat(text) | {key: _plain_value(value)})


def without_setting(text: str, key: str, default: Value) -> str:
    """Return the file ``text`` with ``key`` commented out and its default beside it.

    Raises:
        ConfigError: it is written in a way that only a person can change.
    """
    location = _find(text, key.split("."))
    if location.missing or location.key is None:
        return text
    start = _line_start(text, location.key.start_mark.index)
    end = text.find("\n", _end_of(text, location.value)) + 1 or len(text)
    indent = " " * location.key.start_mark.column
    comment = f"{indent}# {_named(key.rpartition('.')[2], default)}\n"
    changed = text[:start] + comment + text[end:]
    return _checked(changed, {name: v for name, v in _flat(text).items() if name != key})


class _Location(msgspec.Struct, frozen=True, kw_only=True):
    """How far a key exists: the deepest node on its way, and the names after it."""

    key: yaml.Node | None
    """The name of that node; None for the whole file."""
    value: yaml.Node | None
    """None for an empty file."""
    missing: tuple[str, ...]


def _find(text: str, names: Sequence[str]) -> _Location:
    try:
        value: yaml.Node | None = loader_for(text).get_single_node()
    except yaml.YAMLError as error:
        raise _only_by_hand() from error
    key: yaml.Node | None = None
    for depth, name in enumerate(names):
        entries = value.value if isinstance(value, yaml.MappingNode) else []
        entry = next(((k, v) for k, v in entries if k.value == name), None)
        if entry is None:
            return _Location(key=key, value=value, missing=tuple(names[depth:]))
        key, value = entry
    return _Location(key=key, value=value, missing=())


def _replaced(text: str, location: _Location, value_text: str) -> str:
    key, value = location.key, location.value
    if key is None or value is None:
        raise _only_by_hand()
    start, end = value.start_mark.index, _end_of(text, value)
    colon = text.index(":", key.end_mark.index) + 1
    if "\n" in text[colon:start]:  # a list on lines of its own; the comment before it stays
        line_end = text.index("\n", colon)
        return f"{text[:colon]} {value_text}{text[colon:line_end]}{text[end:]}"
    return f"{text[:colon]} {value_text}{text[end:]}"


def _added(text: str, location: _Location, value_text: str) -> str:
    if location.key is None:
        gap = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{gap}\n{_nested(location.missing, value_text, 0)}"
    if isinstance(location.value, yaml.MappingNode) and location.value.flow_style:
        inside = location.value.start_mark.index + 1
        more = ", " if location.value.value else ""
        names = "".join(f"{name}: {{" for name in location.missing[:-1])
        entry = f"{names}{location.missing[-1]}: {value_text}{'}' * (len(location.missing) - 1)}"
        return f"{text[:inside]}{entry}{more}{text[inside:]}"
    return _added_line(text, location, location.key, value_text)


def _added_line(text: str, location: _Location, key: yaml.Node, value_text: str) -> str:
    """Put the setting where its commented line is, or else first in its section."""
    children = location.value.value if isinstance(location.value, yaml.MappingNode) else []
    column = children[0][0].start_mark.column if children else key.start_mark.column + 2
    added = _nested(location.missing, value_text, column)
    start = text.find("\n", key.end_mark.index) + 1 or len(text)
    section = text[start : _section_end(text, start, key.start_mark.column)]
    commented = re.compile(rf"^[ ]*#[ ]?{re.escape(location.missing[0])}:.*(?:\n|$)", re.MULTILINE)
    match = commented.search(section) if len(location.missing) == 1 else None
    if match:
        section = section[: match.start()] + added + section[match.end() :]
        return text[:start] + section + text[start + len(section) - len(added) + len(match[0]) :]
    gap = "" if text[:start].endswith("\n") else "\n"
    return f"{text[:start]}{gap}{added}{text[start:]}"


def _section_end(text: str, start: int, column: int) -> int:
    """Return where the lines deeper than ``column`` end; comments belong to them."""
    position = start
    for line in text[start:].splitlines(keepends=True):
        bare = line.strip()
        if bare and not bare.startswith("#") and len(line) - len(line.lstrip()) <= column:
            break
        position += len(line)
    return position


def _nested(names: Sequence[str], value_text: str, column: int) -> str:
    lines = [f"{' ' * (column + 2 * depth)}{name}:" for depth, name in enumerate(names)]
    return "\n".join(lines) + f" {value_text}\n"


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


def _line_start(text: str, position: int) -> int:
    return text.rfind("\n", 0, position) + 1


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


def _checked(changed: str, expected: Mapping[str, Any]) -> str:
    if _flat(changed) != expected:
        raise _only_by_hand()
    return changed


def _flat(text: str) -> dict[str, Any]:
    """Return what a file says: dotted key -> value; what is empty is not said."""
    try:
        return dict(_leaves(loader_for(text).get_single_data(), ""))
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
