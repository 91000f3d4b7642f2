"""Tables of ours in a TOML file of another program, put in and taken out as text.

Comments cannot mark them: Codex rewrites its config.toml, drops a comment before a table and puts
its own tables right behind ours. So a table is known by its header, and what a change did is
checked by reading the file again: nothing else may differ.
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
    """That a table was put in.

    Attributes:
        path: Its keys from the root: ``("mcp_servers", "recollect")``.
        glue: What was put between it and what was there.
    """

    path: tuple[str, ...]
    glue: str = ""


def with_table(text: str, table: str) -> tuple[str, TomlTable]:
    """Return the text with a table at its end, and what takes it out again.

    Args:
        text: TOML.
        table: TOML that begins with the header of the table; others may be below it.

    Raises:
        InvalidInput: the text is not TOML, or has a table of that name already.
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
        InvalidInput: the text is not TOML, or says the same in a way that cannot be cut out.
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
    """Return the length of the blank lines and comments at an end: they belong to what follows."""
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
    except (ValueError, RecursionError) as error:  # also a number of too many digits
        raise InvalidInput("the file must hold TOML") from error


def _headers(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield where a table begins, and its keys.

    A line that begins so within a value is none: the text before it cannot be parsed by itself.
    """
    known = 0
    for found in _BRACKET.finditer(text):
        try:
            tomllib.loads(text[known : found.start()])
            path = _path_of(text[found.start() :].partition("\n")[0])
        except tomllib.TOMLDecodeError:
            continue
        known = found.start()
        yield known, path


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
    """Refuse a change that did more than to put in or to take out one table."""
    try:
        is_sound = _pruned(tomllib.loads(text), path) == _pruned(document, path)
    except tomllib.TOMLDecodeError:
        is_sound = False
    if not is_sound:
        raise _not_by_itself(path)


def _not_by_itself(path: tuple[str, ...]) -> InvalidInput:
    return InvalidInput(f"the table [{'.'.join(path)}] must stand by itself")


def _pruned(document: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Return a document without what is at a path, and without what is empty then."""
    key, *rest = path
    inner = document.get(key)
    left = _pruned(inner, tuple(rest)) if rest and isinstance(inner, dict) else None
    return {**document, key: left} if left else {k: v for k, v in document.items() if k != key}
