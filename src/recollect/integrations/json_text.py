"""Changes of a JSON file of another program, made in its text: all else keeps every byte.

Comments and a comma before a closing bracket are allowed, as editors allow them in their settings.

A `JsonEntry` is a required value. `with_entries` inserts it and returns the `Step` values taken;
`without_steps` undoes these in the current text, whoever edited it in between.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from recollect.core.errors import InvalidInput

_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\n([ \t]+)\S")
_DECODER = json.JSONDecoder()
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_COMMENT = re.compile(rf"{_STRING}|//[^\n\r]*|/\*(?:.*?\*/|.*\Z)", re.DOTALL)
_LAST_COMMA = re.compile(rf"{_STRING}|,(?=[ \t\r\n]*[\]}}])")
_VISIBLE = re.compile(r"[^\n\r]")
_BLANKS = " \t\r\n"


class JsonEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A value that a file of another program must hold.

    Attributes:
        path: Keys from the root; missing containers are created.
        value: A JSON value.
        is_item: The path names an array, and the value is one of its items.
        gives_way: The key is not named after us: a later value of others stays.
    """

    path: tuple[str, ...]
    value: Any
    is_item: bool = False
    gives_way: bool = False


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """One change, with what is needed to undo it.

    Attributes:
        into: Keys from the root to the container that was changed.
        key: The member that was set; None where an item was added to an array.
        value: The new value. An empty container was created for later steps, and is removed only if
            it is empty.
        was: The text of the old value; None where the key was missing.
        blank: The text between the brackets of the container where it was empty.
        gives_way: As in `JsonEntry`.
    """

    into: tuple[str, ...]
    value: Any
    key: str | None = None
    was: str | None = None
    blank: str | None = None
    gives_way: bool = False


class _Part(NamedTuple):
    """A member or an item: offsets in the text."""

    key: str | None
    start: int
    value: int
    end: int


def with_entries(text: str, entries: Iterable[JsonEntry]) -> tuple[str, tuple[Step, ...]]:
    """Return the text with all entries, and the steps that were needed.

    What exists already is not a step: it stays when the steps are undone.

    Raises:
        InvalidInput: the text is not a JSON object, or another value is where a container must be.
    """
    object_of(text)
    steps: list[Step] = []
    for entry in entries:
        for keys in _containers(entry):
            text = _set(text, keys, {}, steps, only_missing=True)
        if entry.is_item:
            text = _set(text, entry.path, [], steps, only_missing=True)
            text = _append(text, entry, steps)
        else:
            text = _set(text, entry.path, entry.value, steps, gives_way=entry.gives_way)
    return text, tuple(steps)


def without_steps(text: str, steps: Sequence[Step]) -> str:
    """Return the text without what the steps inserted, as far as it is still there.

    Raises:
        InvalidInput: the text is not a JSON object.
    """
    object_of(text)
    for step in reversed(steps):
        text = _undo(text, step)
    return text


def json_file(document: object) -> bytes:
    """Return the content of a JSON file of our own."""
    return json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"


def _containers(entry: JsonEntry) -> list[tuple[str, ...]]:
    return [entry.path[:depth] for depth in range(1, len(entry.path))]


def object_of(text: str) -> dict[str, Any]:
    """Return the JSON object in a text.

    Raises:
        InvalidInput: it is not a JSON object.
    """
    try:
        value = json.loads(_plain(text))
    except (ValueError, RecursionError) as error:
        raise InvalidInput("the file must hold JSON") from error
    if not isinstance(value, dict):
        raise InvalidInput("the file must hold a JSON object")
    return value


def _set(
    text: str,
    path: tuple[str, ...],
    value: Any,
    steps: list[Step],
    *,
    only_missing: bool = False,
    gives_way: bool = False,
) -> str:
    """Set a member of an existing container; record the step if anything changed."""
    *into, key = path
    plain = _plain(text)
    at = _container_at(plain, into, "{")
    member = _member(plain, at, key)
    if member is None:
        text, blank = _inserted(text, at, key, value)
        was = None
    elif only_missing or _value(plain, member) == value:
        return text
    else:
        blank, was = None, text[member.value : member.end]
        text = text[: member.value] + _written(text, member.start, value) + text[member.end :]
    steps.append(
        Step(into=tuple(into), key=key, value=value, was=was, blank=blank, gives_way=gives_way)
    )
    return text


def _append(text: str, entry: JsonEntry, steps: list[Step]) -> str:
    plain = _plain(text)
    at = _container_at(plain, entry.path, "[")
    if any(_value(plain, part) == entry.value for part in _parts(plain, at)[0]):
        return text
    text, blank = _inserted(text, at, None, entry.value)
    steps.append(Step(into=entry.path, value=entry.value, blank=blank))
    return text


def _undo(text: str, step: Step) -> str:
    kind, plain = "[" if step.key is None else "{", _plain(text)
    try:
        at = _container_at(plain, step.into, kind)
    except InvalidInput:  # it was removed since, or is another value now
        return text
    parts = _parts(plain, at)[0]
    for index in range(len(parts) - 1, -1, -1):
        part = parts[index]
        if part.key != step.key or not _is_ours(_value(plain, part), step):
            continue
        if step.was is not None:
            return text[: part.value] + step.was + text[part.end :]
        return _cut(text, at, index, step.blank)
    return text


def _is_ours(value: Any, step: Step) -> bool:
    """Return whether to undo a value: it is as we wrote it, or below a name of ours."""
    if step.value in ({}, []) or step.key is None or step.gives_way or step.was is not None:
        return bool(value == step.value)
    return True


def _container_at(text: str, keys: Sequence[str], kind: str) -> int:
    """Return the offset of the opening bracket below some keys."""
    offset = _skip(text, 0)
    for key in keys:
        member = _member(text, offset, key) if text[offset] == "{" else None
        if member is None:
            raise _not_a_container(keys, kind)
        offset = member.value
    if text[offset] != kind:
        raise _not_a_container(keys, kind)
    return offset


def _not_a_container(keys: Sequence[str], kind: str) -> InvalidInput:
    expected = "an object" if kind == "{" else "a list"
    return InvalidInput(f"{'.'.join(keys) or 'the file'} must be {expected}")


def _member(text: str, at: int, key: str) -> _Part | None:
    """Return the effective member: of two with one key, the last."""
    return next((part for part in reversed(_parts(text, at)[0]) if part.key == key), None)


def _value(text: str, part: _Part) -> Any:
    return _DECODER.raw_decode(text, part.value)[0]


def _parts(text: str, at: int) -> tuple[list[_Part], int]:
    """Return the parts of the container that opens at an offset, and the offset where it closes."""
    parts: list[_Part] = []
    offset = _skip(text, at + 1)
    while text[offset] not in "]}":
        start, key = offset, None
        if text[at] == "{":
            key, offset = _DECODER.raw_decode(text, offset)
            offset = _skip(text, _skip(text, offset) + 1)
        end = _DECODER.raw_decode(text, offset)[1]
        parts.append(_Part(key, start, offset, end))
        offset = _skip(text, end)
        if text[offset] == ",":
            offset = _skip(text, offset + 1)
    return parts, offset


def _plain(text: str) -> str:
    """Return JSON of the same offsets: comments and a last comma are blanks."""
    return _LAST_COMMA.sub(_blanked, _without_comments(text))


def _without_comments(text: str) -> str:
    return _COMMENT.sub(_blanked, text)


def _blanked(token: re.Match[str]) -> str:
    return token[0] if token[0].startswith('"') else _VISIBLE.sub(" ", token[0])


def _skip(text: str, offset: int) -> int:
    match = _SPACE.match(text, offset)
    return offset if match is None else match.end()


def _inserted(text: str, at: int, key: str | None, value: Any) -> tuple[str, str | None]:
    """Return the text with a part added to a container, and what an empty one held."""
    parts, close = _parts(_plain(text), at)
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if parts:
        return _after_last(text, parts[-1], close, name, value), None
    outer = _line_indent(text, at)
    inner = f"{outer}{_unit(text)}" if outer else ""
    part = inner + name + _dumped(text, value, inner) + outer
    comments = text[at + 1 : close].rstrip(_BLANKS)
    return text[: at + 1] + comments + part + text[close:], text[at + 1 : close]


def _after_last(text: str, last: _Part, close: int, name: str, value: Any) -> str:
    """Return the text with a part after the last one, and after a comment on the same line."""
    lead = _lead(text, last.start)
    line_end = re.compile(r"\r?\n").search(text, last.end, close)
    if line_end is None or not text[last.end : line_end.start()].strip(" \t,"):
        part = name + _dumped(text, value, lead)
        return f"{text[: last.end]},{lead}{part}{text[last.end :]}"
    lead = lead if "\n" in lead else _line_end(text) + _unit(text)
    part, end = name + _dumped(text, value, lead), line_end.start()
    if "," in _without_comments(text)[last.end : close]:
        return f"{text[:end]}{lead}{part},{text[end:]}"
    return f"{text[: last.end]},{text[last.end : end]}{lead}{part}{text[end:]}"


def _lead(text: str, start: int) -> str:
    """Return the white space before a part, without blank lines."""
    before = text[:start]
    lead = before[len(before.rstrip(" \t\r\n")) :]
    return _line_end(text) + lead.rpartition("\n")[2] if "\n" in lead else lead


def _line_indent(text: str, at: int) -> str:
    """Return a line end and the indent of the line of an offset; "" in a file of one line."""
    if "\n" not in text.strip() and text.strip() != "{}":
        return ""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    return _line_end(text) + line[: len(line) - len(line.lstrip(" \t"))]


def _written(text: str, start: int, value: Any) -> str:
    return _dumped(text, value, _lead(text, start))


def _dumped(text: str, value: Any, lead: str) -> str:
    """Return a value as JSON: on lines of its own where its neighbours are."""
    if "\n" not in lead:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=_unit(text)).replace("\n", lead)


def _unit(text: str) -> str:
    match = _INDENT.search(text)
    return match[1] if match else "  "


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _cut(text: str, at: int, index: int, blank: str | None) -> str:
    """Return the text without one part; the white space and comments of the others stay."""
    parts, close = _parts(_plain(text), at)
    part = parts[index]
    if len(parts) == 1:
        return text[: at + 1] + (blank or "") + text[close:]
    start = len(text[: part.start].rstrip(_BLANKS))
    bare = _without_comments(text)
    comma = bare.find(",", part.end, close)
    if comma >= 0:
        return text[:start] + text[part.end : comma] + text[comma + 1 :]
    comma = bare.index(",", parts[-2].end)
    return text[:comma] + text[comma + 1 : start] + text[part.end :]
