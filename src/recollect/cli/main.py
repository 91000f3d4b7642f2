"""The entry point: reads the command line, runs a command, turns what failed into an exit code.

A module of commands is imported when one of them is asked for: `recollect search` imports one,
`recollect --help` all of them and nothing of the memory below.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Iterator, MutableMapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from typer.main import get_command, get_group

from recollect import __version__
from recollect.answers.error import USAGE
from recollect.cli.failures import (
    DONE,
    INTERRUPTED,
    tell_error,
    tell_interrupt,
    tell_no_output,
    tell_unexpected,
    tell_usage,
)
from recollect.cli.help import App, Group
from recollect.cli.invocation import JSON_HELP, AsAgent, Home, Invocation, Workspace
from recollect.cli.output.screen import leave
from recollect.core.errors import RecollectError

PLACES = {
    "init": "setup.init",
    "demo": "setup.demo",
    "open": "setup.viewer",
    "import": "transcripts.importing",
    "export": "transcripts.export",
    "chat": "chat.chat",
    "search": "search",
    "timeline": "timeline",
    "get": "get",
    "context": "context",
    "memory": "memory.sections",
    "remember": "knowledge.facts",
    "facts": "knowledge.facts",
    "episodes": "knowledge.episodes",
    "observe": "observe",
    "forget": "observe",
    "sessions": "sessions.list",
    "transcript": "transcripts.show",
    "events": "events",
    "projects": "projects",
    "identities": "knowledge.identities",
    "sync": "index.sync",
    "reindex": "index.sync",
    "pause": "capture",
    "resume": "capture",
    "privacy": "capture",
    "checkpoint": "checkpoints.checkpoint",
    "rewind": "checkpoints.rewind",
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
    "channels": "channels",
    "models": "models",
    "uninstall": "setup.uninstall",
}
"""Name of a command -> the module in `recollect.cli` that holds it, in the order of the help."""


class CommandTable(MutableMapping[str, Any]):
    """Commands by name; a module is imported at the first look at one of its commands."""

    def __init__(self) -> None:
        self._commands: dict[str, Any] = dict.fromkeys(PLACES)

    def __getitem__(self, name: str) -> Any:
        """Return the command."""
        if self._commands[name] is None:
            module = import_module(f"recollect.cli.{PLACES[name]}")
            self._commands |= get_group(module.app).commands
        return self._commands[name]

    def __setitem__(self, name: str, command: Any) -> None:
        """Put a command in, as typer may."""
        self._commands[name] = command

    def __delitem__(self, name: str) -> None:
        """Take a command out."""
        del self._commands[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names; imports nothing."""
        return iter(self._commands)

    def __len__(self) -> int:
        """Return the number of commands."""
        return len(self._commands)


class Commands(Group):
    """The root: takes its commands from the table instead of from typer."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**(attributes | {"commands": CommandTable()}))

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a reader who closed its output has what they wanted."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise typer.Exit(0) from error


app = App(
    name="recollect",
    cls=Commands,
    help="The memory of an AI agent, on the agent's own machine.",
    epilog="Begin with `recollect demo`, or with `recollect init`.",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


_STORING = frozenset({"erase", "import", "install", "prune", "reindex", "scrub", "sync"})
"""Commands that go on where they were interrupted."""
_WHOLE = frozenset({"backup", "recover", "restore"})
"""Commands that are done whole or not at all; `sessions restore` is done at once."""


def _print_version(is_asked: bool) -> None:
    if is_asked:
        print(f"recollect {__version__}")
        raise typer.Exit


@app.callback()
def recollect(
    context: typer.Context,
    *,
    home: Home = None,
    workspace: Workspace = None,
    agent: AsAgent = None,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where an unexpected error came from.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Keep the options given before the command."""
    context.obj = Invocation(home=home, workspace=workspace, agent=agent, as_json=as_json)
    if context.invoked_subcommand is None and as_json:
        context.fail("Missing command")
    if context.invoked_subcommand is None:
        print(context.get_help(), end="")
        raise typer.Exit(USAGE)


def main(
    arguments: Sequence[str] | None = None,
    *,
    command: typer.Typer | None = None,
    name: str = "recollect",
) -> int:
    """Run a command line and return its exit code: 0 done, 1 failed, 2 wrong usage.

    Args:
        arguments: What follows the program's name; that of the process if not given.
        command: The commands; those of recollect if not given.
        name: Of the program, for its help.
    """
    if arguments is None:
        # The end of a process looks at every object once more, 40 ms of them; not at frozen ones.
        atexit.register(gc.freeze)
    words = list(sys.argv[1:] if arguments is None else arguments)
    options = words[: words.index("--")] if "--" in words else words
    as_json = "--json" in options
    _print_what_can_be_printed()
    try:
        code = _run(get_command(command or app), name, words, as_json=as_json)
        sys.stdout.flush()
    except RecollectError as error:
        return tell_error(error, as_json=as_json)
    except typer.TyperException as error:
        return tell_usage(error, as_json=as_json)
    except BrokenPipeError:
        leave(sys.stdout)
        return DONE
    except OSError as error:
        return _tell_system(error, as_json=as_json)
    except Exception as error:  # noqa: BLE001 - the last place where it can be reported in one line
        return tell_unexpected(error, as_json=as_json, debug=_shows_bugs(options))
    return code


def _run(command: Any, name: str, arguments: list[str], *, as_json: bool) -> int:
    try:
        code = command.main(args=arguments, prog_name=name, standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except SystemExit as left:  # completion ends so
        if isinstance(left.__context__, BrokenPipeError):  # typer's answer to it is the code 1
            raise left.__context__ from None
        code = left.code
    except Exception as error:
        if not _came_of_interrupt(error):
            raise
        code = INTERRUPTED
    if code == INTERRUPTED:
        return tell_interrupt(
            as_json=as_json,
            goes_on=not _STORING.isdisjoint(arguments),
            is_whole=not _WHOLE.isdisjoint(arguments),
        )
    return code if isinstance(code, int) else DONE


def _came_of_interrupt(error: BaseException) -> bool:
    """Return whether it was raised while an interrupt ended the command.

    An interrupt can hit any place: in `threading.Condition.wait` it leaves a lock that is not held,
    and what is raised then hides it.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__context__
    return cause is not None


def _shows_bugs(options: Sequence[str]) -> bool:
    if "--debug" in options:
        return True
    try:
        from recollect.core.settings.environment import debug_requested
    except Exception:  # noqa: BLE001 - what failed first may be just this import
        return False
    return debug_requested()


def _print_what_can_be_printed() -> None:
    """Never fail over a character that the terminal's encoding lacks, or over a closed stream."""
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _tell_system(error: OSError, *, as_json: bool) -> int:
    if error.filename is not None:
        from recollect.store.failures import translate_os

        return tell_error(translate_os(error, str(error.filename)), as_json=as_json)
    # A stream has no name: it was stdout that took no more.
    leave(sys.stdout)
    return tell_no_output(error, as_json=as_json)
