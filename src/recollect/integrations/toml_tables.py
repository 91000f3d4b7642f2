"""Tables of ours in a TOML file of another program, inserted and removed as text.

Comments cannot mark them: Codex rewrites its config.toml, drops a comment before a table and puts
its own tables directly after ours. So a table is identified by its header, and a change is checked
by parsing the result: nothing else may differ.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec

from recollect.core.errors import InvalidInput

_BRACKET = re.compile(r"^[ \t]*\[", re.MULTILINE)


class TomlTable(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """The record of an inserted table.

    Attributes:
        path: Its keys from the root: ``("mcp_servers", "recollect")``.
        glue: The text inserted between it and the existing text.
    """

    path: tuple[str, ...]
    glue: str = ""


def with_table(text: str, table: str) -> tuple[str, TomlTable]:
    """Return the text with a table at its end, and the record that removes it.

    Args:
        text: TOML.
        table: TOML that begins with the header of the table; subtables may follow.

    Raises:
        InvalidInput: the text is not TOML, or already has a table of that name.
    """
    document = _read(text)
    path = _path_of(table.partition("\n")[0])
    if _at(document, path) is not None:
        raise InvalidInput(f"the file must have no table [{'.'.join(path)}] of its own")
    end = "\r\n" if "\r\n" in text else "\n"
    glue = "" if not text else end if text.endswith("\n") else end * 2
    after = text + glue + (table.strip("\n") + "\n").replace("\n", end)
    _check(after, path, document)
    return after, TomlTable(path=path, glue=glue)


def without_table(text: str, table: TomlTable) -> str:
    """Return the text without the table and those below it, wherever they are now.

    Raises:
        InvalidInput: the text is not TOML, or has the table in a form that cannot be cut out.
    """
    document = _read(text)
    if _at(document, table.path) is None:
        return text
    after = text
    headers = [*_headers(text), (len(text), ())]
    for (start, path), (end, _) in reversed(list(pairwise(headers))):
        if path[: len(table.path)] == table.path:
            end -= _trailing(text[start:end])
            after = _joined(after[:start], after[end:], table.glue)
    _check(after, table.path, document)
    if _at(_read(after), table.path) is not None:
        raise _not_by_itself(table.path)
    return after


def _trailing(part: str) -> int:
    """Return the length of trailing blank lines and comments: they belong to what follows."""
    lines = part.splitlines(keepends=True)
    count = 0
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        count += len(lines.pop())
    return count


def _joined(before: str, rest: str, glue: str) -> str:
    bare = before.removesuffix(glue)
    return bare + rest if not rest.strip() or bare.endswith("\n") or not bare else before + rest


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for a number with too many digits
        raise InvalidInput("the file must hold TOML") from error


def _headers(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the start of each table, and its keys.

    A similar line within a value is not one: the text before it cannot be parsed alone.
    """
    start = 0
    for match in _BRACKET.finditer(text):
        try:
            tomllib.loads(text[start : match.start()])
            path = _path_of(text[match.start() :].partition("\n")[0])
        except tomllib.TOMLDecodeError:
            continue
        start = match.start()
        yield start, path


def _path_of(header: str) -> tuple[str, ...]:
    path = []
    inner: Any = tomllib.loads(header.rstrip("\r"))
    while inner:
        key, inner = next(iter(inner.items())) if isinstance(inner, dict) else ("", inner[0])
        path += [key] if key else []
    return tuple(path)


def _at(document: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def _check(text: str, path: tuple[str, ...], document: dict[str, Any]) -> None:
    """Refuse a change that did more than insert or remove one table."""
    try:
        is_sound = _pruned(tomllib.loads(text), path) == _pruned(document, path)
    except tomllib.TOMLDecodeError:
        is_sound = False
    if not is_sound:
        raise _not_by_itself(path)


def _not_by_itself(path: tuple[str, ...]) -> InvalidInput:
    return InvalidInput(f"the table [{'.'.join(path)}] must stand by itself")


def _pruned(document: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Return a document without the value at a path, and without containers that become empty."""
    key, *rest = path
    inner = document.get(key)
    remainder = _pruned(inner, tuple(rest)) if rest and isinstance(inner, dict) else None
    return (
        {**document, key: remainder}
        if remainder
        else {k: v for k, v in document.items() if k != key}
    )
