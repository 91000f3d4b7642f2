"""Tools that change files: which ones, and where their input says what they change.

The one table for all agent programs. A tool that is not in it costs nothing: it only reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

FIELDS: Mapping[str, tuple[str, ...]] = {
    "Write": ("file_path", "path"),
    "Edit": ("file_path", "path"),
    "MultiEdit": ("file_path",),
    "NotebookEdit": ("notebook_path",),
    "write_file": ("file_path", "path"),
    "append_file": ("file_path", "path"),
    "replace": ("file_path",),
    "apply_patch": ("paths",),
    "create_file": ("path", "file_path"),
    "edit_file": ("file_path", "path"),
    "str_replace_editor": ("path",),
    "write": ("filePath",),
    "edit": ("filePath", "path"),
    "Delete": ("file_path", "path"),
}
"""Tools that change the files that a field of their input names: a path, or a list of paths. The
first field that is there counts."""
ANYTHING = frozenset(
    "Bash PowerShell bash powershell shell Shell local_shell exec_command run_shell_command"
    " run_terminal_cmd".split()
)
"""Tools that may change anything below a root."""
SERVERS = ("mcp_", "MCP:")
"""How programs begin the names of the tools of MCP servers; these may change anything, too."""
_BY_CLIENT: Mapping[str, Mapping[str, tuple[str, ...] | None]] = {
    "openclaw": {"exec": None, "write": ("path",), "edit": ("path",)},
}
"""Tools of one program whose names mean something else elsewhere; None: anything."""


class Reach(msgspec.Struct, frozen=True):
    """What a call of a tool may change.

    Attributes:
        paths: As its input names them; None for anything below the root.
    """

    paths: tuple[str, ...] | None = None


class FileTools:
    """The tools that change files, with those of the settings.

    Args:
        more: ``NAME`` or ``NAME:FIELD``, see ``checkpoints.tools``.
    """

    def __init__(self, more: Iterable[str] = ()) -> None:
        pairs = [name.rpartition(":") if ":" in name else (name, "", "") for name in more]
        self._fields: dict[str, tuple[str, ...] | None] = {
            **FIELDS,
            **dict.fromkeys(ANYTHING),
            **{name: (field,) if field else None for name, _, field in pairs},
        }

    def reach(self, client: str, tool: str, arguments: object) -> Reach | None:
        """Return what a call may change; None where it changes nothing.

        A call that does not name a file where its tool must may change anything.

        >>> FileTools().reach("claude-code", "Write", {"file_path": "/srv/a.txt"})
        Reach(paths=('/srv/a.txt',))
        >>> FileTools().reach("claude-code", "Read", {"file_path": "/srv/a.txt"}) is None
        True
        """
        of_client = _BY_CLIENT.get(client, {})
        if tool not in of_client and tool not in self._fields:
            return Reach() if tool.startswith(SERVERS) else None
        fields = of_client[tool] if tool in of_client else self._fields[tool]
        return Reach(None if fields is None else _paths(arguments, fields) or None)

    def fields(self, client: str) -> dict[str, tuple[str, ...]]:
        """Return the tools of a program that name the files that they change, and their fields."""
        both = {**self._fields, **_BY_CLIENT.get(client, {})}
        return {name: fields for name, fields in both.items() if fields is not None}

    def names(self) -> Iterator[str]:
        """Yield the names of all of them, but for those of MCP servers."""
        yield from self._fields


def _paths(arguments: object, fields: Iterable[str]) -> tuple[str, ...]:
    if not isinstance(arguments, Mapping):
        return ()
    values: Iterator[Any] = (arguments[field] for field in fields if arguments.get(field))
    value = next(values, ())
    return tuple(
        each.removeprefix("file://")
        for each in ([value] if isinstance(value, str) else value)
        if isinstance(each, str)
    )
