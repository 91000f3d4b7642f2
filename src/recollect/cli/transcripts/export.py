"""`recollect export`: a session as a transcript of another program, or all that there is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from recollect.cli.dates import read_date
from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, argument, opened
from recollect.cli.output.document import print_document
from recollect.cli.output.formatting import count, size
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import show, show_pairs
from recollect.cli.sessions.lines import complete_session
from recollect.core.clock import SystemClock
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.sessions.policy.freshness import zone_of

if TYPE_CHECKING:  # for a name only
    from recollect.governance.exchange.export import HomeExport, HomeExportReport
    from recollect.memory import Memory

app = App()

STDOUT = "-"
_of_all = partial(typer.Option, rich_help_panel="With --all")


def _complete_format(incomplete: str) -> list[str]:
    from recollect.sessions.exchange.formats.registry import WRITERS

    return [name for name in WRITERS if name.startswith(incomplete)]


@app.command(rich_help_panel="Begin")
def export(
    context: typer.Context,
    what: Annotated[
        str,
        argument(
            metavar="SESSION",
            help="An id, the end of one, a title or a key. With --all a new file, or -.",
            autocompletion=complete_session,
        ),
    ],
    *,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="claude-code, openclaw or jsonl, the default.",
            autocompletion=_complete_format,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A new file; stdout if not given.", metavar="FILE"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Everything, for another home, instead of a session.")
    ] = False,
    session: Annotated[
        str | None, _of_all("--session", metavar="ID", help="Only this session.")
    ] = None,
    project: Annotated[str | None, _of_all("--project", help="Only in this project.")] = None,
    user: Annotated[str | None, _of_all("--user", help="Only of this user.")] = None,
    since: Annotated[str | None, _of_all("--since", help="Only of this time or later.")] = None,
    for_session: Annotated[
        str | None, _of_all("--for-session", metavar="ID", help="Only what this session may hear.")
    ] = None,
    files: Annotated[bool, _of_all("--files", help="Also the memory files.")] = False,
) -> None:
    """Write a session as a transcript of a program, or with --all everything, for another home.

    recollect import reads both.
    """
    narrowing = (session, project, user, since, for_session, files or None)
    if everything and (form is not None or output is not None):
        raise InvalidInput("--format and --output are for one session", hint="name the file alone")
    if not everything and any(each is not None for each in narrowing):
        raise InvalidInput("this narrows --all", hint="recollect export --all FILE, and then this")
    with opened(context) as memory, show_progress(quiet=answers_json(context)) as progress:
        if not everything:
            _export_session(context, memory, (what, form or "jsonl"), output, force=force)
            return
        scope = Scope(
            tenant=memory.scope.tenant,
            user=user,
            project=None if project is None else memory.projects.find(project),
            session=None if session is None else memory.sessions.find(session, deleted=True).id,
        )
        now, zone = SystemClock().now_ms(), zone_of(memory.settings.sessions.time_zone)
        leaving = memory.export(
            scope,
            since=None if since is None else read_date(since, now, zone),
            for_session=None if for_session is None else memory.sessions.find(for_session).id,
            files=files,
            on_progress=progress.exporting,
        )
        _export_all(context, leaving, what, force=force)


def _export_all(context: typer.Context, leaving: HomeExport, target: str, *, force: bool) -> None:
    if target == STDOUT:
        if force or answers_json(context):
            raise InvalidInput("--force and --json need a file", hint="name a file instead of -")
        _print_lines(leaving.lines())
        return
    report = leaving.save(target, replace=force)
    answer(context, report, lambda: _show(report))


def _show(report: HomeExportReport) -> None:
    listed = ", ".join(count(number, kind) for kind, number in report.counts.items())
    show(("exported", "bold green"), (f"  {report.path} ({size(report.bytes)})", ""))
    show_pairs([("holds", listed or "nothing yet")], indent=2)


def _export_session(
    context: typer.Context,
    memory: Memory,
    asked: tuple[str, str],
    output: Path | None,
    *,
    force: bool,
) -> None:
    name, form = asked
    if force and output is None:
        raise InvalidInput("--force without a file", hint="name it with --output")
    found = memory.sessions.find(name)
    leaving = memory.export_session(found.id, form)
    if output is not None:
        report = leaving.save(output, replace=force)
        amount = (count(report.messages, "message"), "bold green")
        answer(context, report, lambda: show(amount, (f" in {report.path}", "")))
    elif answers_json(context):
        lines = [msgspec.Raw(line) for line in leaving.lines()]
        print_document({"session_id": found.id, "format": form, "lines": lines})
    else:
        _print_lines(leaving.lines())


def _print_lines(lines: Iterator[bytes]) -> None:
    """Write lines past the encoding of the terminal: JSON is UTF-8."""
    for line in lines:
        sys.stdout.buffer.write(line + b"\n")
    sys.stdout.flush()
