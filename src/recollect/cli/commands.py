"""The table of commands: where each one is, imported when it is asked for.

`recollect search` imports one module of commands, `recollect --help` all of them and nothing of the
memory below.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any

from typer import Exit
from typer.main import get_group

from recollect.cli.help import Group

PLACES = {
    "init": "setup.init",
    "demo": "setup.demo",
    "import": "transcripts.importing",
    "export": "transcripts.export",
    "search": "search",
    "timeline": "timeline",
    "get": "get",
    "context": "context",
    "memory": "memory.sections",
    "observe": "observe",
    "forget": "observe",
    "sessions": "sessions.list",
    "transcript": "transcripts.show",
    "events": "events",
    "projects": "projects",
    "sync": "index.sync",
    "reindex": "index.sync",
    "pause": "capture",
    "resume": "capture",
    "privacy": "capture",
    "prune": "removal.prune",
    "recover": "recover",
    "scrub": "removal.scrub",
    "erase": "removal.erase",
    "backup": "backup",
    "restore": "backup",
    "serve": "setup.serve",
    "mcp": "setup.mcp",
    "hook": "setup.hook",
    "status": "status",
    "doctor": "doctor.doctor",
    "config": "config.config",
    "token": "setup.tokens",
    "models": "models",
    "uninstall": "setup.uninstall",
}
"""Name of a command -> the module in `recollect.cli` that holds it, in the order of the help."""


class CommandTable(MutableMapping[str, Any]):
    """Commands by name; a module is imported at the first look at one of its commands."""

    def __init__(self) -> None:
        self._found: dict[str, Any] = dict.fromkeys(PLACES)

    def __getitem__(self, name: str) -> Any:
        """Return the command."""
        if self._found[name] is None:
            module = import_module(f"recollect.cli.{PLACES[name]}")
            self._found |= get_group(module.app).commands
        return self._found[name]

    def __setitem__(self, name: str, command: Any) -> None:
        """Put a command in, as typer may."""
        self._found[name] = command

    def __delitem__(self, name: str) -> None:
        """Take a command out."""
        del self._found[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names; imports nothing."""
        return iter(self._found)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._found)


class Commands(Group):
    """The root: takes its commands from the table instead of from typer."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**(attributes | {"commands": CommandTable()}))

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a reader who closed its output has what they wanted."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise Exit(0) from error
