"""Recalled: whether a call is one of our own, so that what was remembered is not remembered again.

Capture, import and the path of transcripts ask the same question here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

OUR_TOOLS = frozenset(
    "memory_search memory_get timeline get_observations remember forget session_context checkpoint"
    " rewind".split()
)
"""The tools of our server, as MCP clients call them under a prefix of theirs."""

_PREFIXED = re.compile(r"(?:.*[^a-z0-9])?recollect(?:[^a-z0-9].*)?", re.DOTALL)
_NAMED = re.compile(r"""recollect(?:\.exe)?["']?(?=\s|$|[;&|)])""")
_BEGINS = re.compile(r"[;&|(\n`]")
"""Where a shell begins a command, besides the first character."""
_LEAD = re.compile(
    r"""\s*+(?:\w++=(?:"[^"]*"|'[^']*'|\S)*+\s++|(?:sudo|env|time|nohup|uvx|exec|command)\s++"""
    r"""|(?:uv|pipx|poetry)\s++run\s++|[^\s=]*python[\d.]*+\s++-m\s++)*+["']?(?:\S*/)?"""
)
"""What may come between there and our name. Possessive quantifiers keep it to one pass."""
_LONGEST_LEAD, _MOST_BEGINNINGS = 1_000, 8
_REQUEST = re.compile(
    r"(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0):(\d{1,5})/(?:api/|mcp(?![\w-]))"
)
_PATH_ENDS = re.compile(r"""[\s"'`;&|()<>]+""")


_COMMANDS = frozenset({"", "command", "cmd", "script", "code", "args"})
"""Arguments that a shell runs; a plain text is one."""
_CONTENT = frozenset(
    "content old_string new_string old_str new_str file_text patch pattern description prompt"
    " todos new_source".split()
)
"""Arguments that are written, looked for or said: to name the memory there is not to ask it."""

RECALLED = "recalled"
"""The reason under which something that this memory said itself is left out."""
PORT = 37_778
"""The default port of the worker."""


def names_of(home: Path) -> list[str]:
    """Return the names that a shell or a tool may use for a home."""
    names = [str(home), str(home.resolve())]
    with suppress(ValueError, RuntimeError):
        below = home.resolve().relative_to(Path.home().resolve())
        names += [f"{start}/{below.as_posix()}" for start in ("~", "$HOME", "${HOME}")]
    return names


class OwnCalls:
    """Knows the calls that go to this memory.

    Args:
        home: Its folder, and other names of it: ``~/.recollect``.
        ports: Where its worker listens; None for any port.
    """

    def __init__(self, home: Iterable[str], ports: frozenset[int] | None = None) -> None:
        self._homes = tuple(_normal(name) for name in home)
        self._ports = ports

    def includes(self, tool_name: str | None, arguments: object) -> bool:
        """Return whether a call asks this memory, whatever the client calls the tool.

        Args:
            tool_name: As the client knows it: ``mcp__recollect__memory_search``.
            arguments: What it was given: a text, or JSON.
        """
        if tool_name is not None and is_our_tool(tool_name):
            return True
        return any(self._is_ours(text, key) for text, key in _texts(arguments))

    def _is_ours(self, text: str, key: str) -> bool:
        if key in _CONTENT:
            return False
        if key in _COMMANDS and _runs_us(text):
            return True
        for port in _REQUEST.findall(text):
            if self._ports is None or int(port) in self._ports:
                return True
        parts = (part for part in _PATH_ENDS.split(text) if "/" in part or "\\" in part)
        return any(self._is_at_home(part) for part in parts)

    def _is_at_home(self, path: str) -> bool:
        plain = _normal(path)
        return any(plain == home or plain.startswith(f"{home}/") for home in self._homes)


def is_our_tool(tool_name: str) -> bool:
    """Return whether a tool belongs to our server, under any prefix.

    >>> [is_our_tool(n) for n in ("mcp__recollect__memory_search", "memory_search", "Read")]
    [True, True, False]
    """
    name = tool_name.strip().lower()
    return name in OUR_TOOLS or (
        any(name.endswith((f"_{tool}", f".{tool}", f"/{tool}", f":{tool}")) for tool in OUR_TOOLS)
        and _PREFIXED.fullmatch(name) is not None
    )


def _runs_us(command: str) -> bool:
    """Return whether a shell runs our program; takes time in proportion to the text.

    >>> [_runs_us(c) for c in ("cd /srv && TZ=UTC recollect search tea", "cat recollect")]
    [True, False]
    """
    for name in _NAMED.finditer(command):
        nearest = max(0, name.start() - _LONGEST_LEAD)
        begins = [match.end() for match in _BEGINS.finditer(command, nearest, name.start())]
        starts = ([0] if nearest == 0 else []) + begins[-_MOST_BEGINNINGS:]
        if any(_LEAD.fullmatch(command, start, name.start()) for start in starts):
            return True
    return False


def _texts(value: object, key: str = "") -> Iterable[tuple[str, str]]:
    """Yield every text in a JSON value, and the name of the argument that it is in."""
    stack: list[tuple[Any, str]] = [(value, key)]
    while stack:
        current, key = stack.pop()
        if isinstance(current, str):
            yield current, key
        elif isinstance(current, Mapping):
            stack.extend((each, str(name)) for name, each in current.items())
        elif isinstance(current, list | tuple):
            stack.extend((each, key) for each in current)


def _normal(path: str) -> str:
    """Return a path without redundant steps, with forward slashes."""
    parts: list[str] = []
    for part in PurePath(path.replace("\\", "/")).parts:
        if part == ".." and parts and parts[-1] not in {"/", ".."}:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts).replace("//", "/")
