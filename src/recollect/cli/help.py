"""What all commands have in common: a help page, short and without boxes, and the option `--json`.

`App` is a `typer.Typer` whose commands have both.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from recollect.cli.invocation import JSON_HELP, invocation_of
from recollect.cli.output.screen import console, line

if TYPE_CHECKING:  # for a name only
    from rich.text import Text

WIDEST_NAME = 30
"""A longer name gets a line of its own."""

_LIST = re.compile(r"<list\[(.+?)\]>")

Row = tuple[str, str]


class Command(TyperCommand):
    """A command with our help page, and with ``--json`` if it has none of its own."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        _add_json(self)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the page; nothing is left for the formatter."""
        print_help(self, ctx)


class Group(TyperGroup):
    """A group of commands with our help page, and with ``--json`` if it has none of its own."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        _add_json(self)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the page; nothing is left for the formatter."""
        print_help(self, ctx)


def _add_json(command: Any) -> None:
    if not any("--json" in parameter.opts for parameter in command.params):
        command.params.append(
            TyperOption(
                param_decls=["--json"],
                is_flag=True,
                default=False,
                expose_value=False,
                callback=_answer_json,
                help=JSON_HELP,
            )
        )


def _answer_json(context: Any, _option: object, is_json: bool) -> None:
    if is_json:
        invocation_of(context).as_json = True


class App(typer.Typer):
    """A `typer.Typer` of which all commands and groups have our help page."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**({"cls": Group} | options))

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        """Return the decorator of a command; see typer."""
        return super().command(name, **({"cls": Command} | options))


def print_help(command: Any, context: Any) -> None:
    """Print the help page of a command on stdout."""
    screen = console()
    for paragraph in (command.help or "").strip().split("\n\n"):
        screen.print(line((" ".join(paragraph.split()), "")))
        screen.print()
    screen.print(line(("Usage: ", "bold"), (usage(command, context), "cyan")))
    sections = _sections(command, context)
    names = [name for rows in sections.values() for name, _ in rows]
    width = max((len(name) for name in names if len(name) <= WIDEST_NAME), default=0)
    for title, rows in sections.items():
        screen.print(line((f"\n{title}", "bold")))
        for row in rows:
            for text in _lines(row, width, screen.width):
                screen.print(text, soft_wrap=True)
    if command.epilog:
        is_example = command.epilog.startswith(f"{context.command_path} ")
        last = f"Example: {command.epilog}" if is_example else command.epilog
        screen.print(line((f"\n{last}", "dim")), soft_wrap=True)


def usage(command: Any, context: Any) -> str:
    """Return the usage of a command, on one line."""
    parameters = command.get_params(context)
    arguments = [_argument(parameter) for parameter in parameters if _is_argument(parameter)]
    if isinstance(command, TyperGroup):
        arguments.append("[COMMAND]" if command.invoke_without_command else "COMMAND")
    return " ".join([context.command_path, "[OPTIONS]", *arguments])


def _sections(command: Any, context: Any) -> dict[str, list[Row]]:
    """Return the rows of the page by title: commands first, then arguments, then options."""
    sections: dict[str, list[Row]] = {}
    for title, row in (*_commands(command, context), *_parameters(command, context)):
        sections.setdefault(title, []).append(row)
    return sections


def _commands(command: Any, context: Any) -> Iterator[tuple[str, Row]]:
    if not isinstance(command, TyperGroup):
        return
    for name in command.list_commands(context):
        subcommand: Any = command.get_command(context, name)
        if subcommand is not None and not subcommand.hidden:
            first, _, _ = " ".join((subcommand.help or "").split()).partition(". ")
            yield _panel(subcommand, "Commands"), (name, first.rstrip(".") + ".")


def _parameters(command: Any, context: Any) -> Iterator[tuple[str, Row]]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if _is_argument(parameter):
            yield "Arguments", (_name(parameter), parameter.help or "")
        elif record is not None:
            name = _LIST.sub(r"<\1>", record[0])
            yield _panel(parameter, "Options"), (name, record[1])


def _lines(row: Row, width: int, screen_width: int) -> Iterator[Text]:
    """Yield the lines of a row: the name, and the text wrapped beside it."""
    name, text = row
    if len(name) > width:
        yield line((f"  {name}", "cyan"))
        name = ""
    for part in textwrap.wrap(text, max(20, screen_width - width - 4)) or [""]:
        yield line((f"  {name:<{width}}  ", "cyan"), (part, ""))
        name = ""


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _name(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


def _argument(argument: Any) -> str:
    name = _name(argument) + ("..." if argument.nargs != 1 else "")
    return name if argument.required else f"[{name}]"


def _panel(owner: Any, usual: str) -> str:
    panel = getattr(owner, "rich_help_panel", None)
    return panel if isinstance(panel, str) else usual
