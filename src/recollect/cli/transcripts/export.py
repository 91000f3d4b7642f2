"""`recollect export`: a session as a transcript of another program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, opened
from recollect.cli.output.document import print_document
from recollect.cli.output.formatting import count
from recollect.cli.output.screen import show
from recollect.cli.sessions.lines import Name
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.exchange.export import SessionExport

app = App()


def _complete_format(incomplete: str) -> list[str]:
    from recollect.sessions.exchange.formats.registry import WRITERS

    return [name for name in WRITERS if name.startswith(incomplete)]


@app.command(rich_help_panel="Begin")
def export(
    context: typer.Context,
    session: Name,
    *,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="claude-code, openclaw or jsonl.",
            autocompletion=_complete_format,
        ),
    ] = "jsonl",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A new file; stdout if not given.", metavar="FILE"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a session as a transcript that Claude Code, OpenClaw or recollect can read."""
    if force and output is None:
        raise InvalidInput("--force without a file", hint="name it with --output")
    with opened(context) as memory:
        found = memory.sessions.find(session)
        leaving = memory.export_session(found.id, form)
        if output is not None:
            report = leaving.save(output, replace=force)
            amount = (count(report.messages, "message"), "bold green")
            answer(context, report, lambda: show(amount, (f" in {report.path}", "")))
        elif answers_json(context):
            lines = [msgspec.Raw(line) for line in leaving.lines()]
            print_document({"session_id": found.id, "format": form, "lines": lines})
        else:
            _print_lines(leaving)


def _print_lines(leaving: SessionExport) -> None:
    """Write the lines past the encoding of the terminal: JSON is UTF-8."""
    for line in leaving.lines():
        sys.stdout.buffer.write(line + b"\n")
    sys.stdout.flush()
