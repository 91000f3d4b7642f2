"""`recollect export`: a session as a transcript of another program, or all that there is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from recollect.cli.addresses import project_path
from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, argument, opened, print_document
from recollect.cli.output.formatting import count, size
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import show, show_pairs
from recollect.cli.sessions.lines import complete_session
from recollect.core.clock import SystemClock
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.text.times.moments import read_moment

if TYPE_CHECKING:  # for a name only
    from recollect.exchange.export import ExportProgress, HomeExport, HomeExportReport
    from recollect.memory import Memory

app = App()

STDOUT = "-"
_of_all = partial(typer.Option, rich_help_panel="With --all")


def _complete_format(incomplete: str) -> list[str]:
    from recollect.exchange.formats.registry import WRITERS

    return [name for name in WRITERS if name.startswith(incomplete)]


What = Annotated[
    str,
    argument(
        metavar="SESSION|FILE",
        help="An id, the end of one, a title or a key. With --all a new file, or -.",
        autocompletion=complete_session,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        help="claude-code, openclaw or jsonl, the default.",
        autocompletion=_complete_format,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="A new file; stdout if not given.", metavar="FILE"),
]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]
Everything = Annotated[
    bool, typer.Option("--all", help="Everything, for another home, instead of a session.")
]
Session = Annotated[str | None, _of_all("--session", metavar="ID", help="Only this session.")]
InProject = Annotated[str | None, _of_all("--project", help="Only in this project.")]
OfUser = Annotated[str | None, _of_all("--user", help="Only of this user.")]
Since = Annotated[str | None, _of_all("--since", help="Only of this time or later.")]
ForSession = Annotated[
    str | None, _of_all("--for-session", metavar="ID", help="Only what this session may hear.")
]
Files = Annotated[bool, _of_all("--files", help="Also the memory files.")]


_EXAMPLE = "recollect export --all memory.jsonl"


@app.command(rich_help_panel="Begin", epilog=_EXAMPLE)
def export(
    context: typer.Context,
    what: What,
    *,
    form: Format = None,
    output: Output = None,
    force: Force = False,
    everything: Everything = False,
    session: Session = None,
    project: InProject = None,
    user: OfUser = None,
    since: Since = None,
    for_session: ForSession = None,
    files: Files = False,
) -> None:
    """Write a session as a transcript of a program, or with --all everything, for another home.

    recollect import reads both.
    """
    narrowing = _Narrowing(
        session=session,
        project=project,
        user=user,
        since=since,
        for_session=for_session,
        files=files,
    )
    if everything and (form is not None or output is not None):
        raise InvalidInput("--format and --output are for one session", hint="name the file alone")
    if not everything and narrowing != _Narrowing():
        raise InvalidInput(
            "this option needs --all", hint="add --all, and a file instead of a session"
        )
    with opened(context) as memory, show_progress(quiet=answers_json(context)) as progress:
        if not everything:
            _export_session(context, memory, (what, form or "jsonl"), output, force=force)
        else:
            leaving = narrowing.export(memory, progress.exporting)
            _export_all(context, leaving, what, force=force)


class _Narrowing(msgspec.Struct, frozen=True, kw_only=True):
    """The options of --all, as they are typed."""

    session: str | None = None
    project: str | None = None
    user: str | None = None
    since: str | None = None
    for_session: str | None = None
    files: bool = False

    def export(self, memory: Memory, on_progress: Callable[[ExportProgress], None]) -> HomeExport:
        """Return the export of a memory with these options."""
        from recollect.core.clock import zone_of

        sessions = memory.sessions
        now, zone = SystemClock().now_ms(), zone_of(memory.settings.sessions.time_zone)
        session = None if self.session is None else sessions.find(self.session, deleted=True).id
        project = None if self.project is None else project_path(memory, self.project)
        return memory.export(
            Scope(tenant=memory.scope.tenant, user=self.user, project=project, session=session),
            since=None if self.since is None else read_moment(self.since, now, zone),
            for_session=None if self.for_session is None else sessions.find(self.for_session).id,
            files=self.files,
            on_progress=on_progress,
        )


def _export_all(context: typer.Context, leaving: HomeExport, target: str, *, force: bool) -> None:
    if target == STDOUT:
        if force or answers_json(context):
            raise InvalidInput("--force and --json need a file", hint="name a file instead of -")
        _print_lines(leaving.lines())
        return
    report = leaving.save(target, replace=force)
    answer(context, report, lambda: _show(report))


def _show(report: HomeExportReport) -> None:
    counts = ", ".join(count(number, kind) for kind, number in report.counts.items())
    show(("exported", "bold green"), (f"  {report.path} ({size(report.bytes)})", ""))
    show_pairs([("holds", counts or "nothing yet")], indent=2)


def _export_session(
    context: typer.Context,
    memory: Memory,
    target: tuple[str, str],
    output: Path | None,
    *,
    force: bool,
) -> None:
    name, form = target
    if force and output is None:
        raise InvalidInput("--force needs a file", hint="name it with --output")
    session = memory.sessions.find(name)
    leaving = memory.export_session(session.id, form)
    if output is not None:
        report = leaving.save(output, replace=force)
        amount = (count(report.messages, "message"), "bold green")
        answer(context, report, lambda: show(amount, (f" in {report.path}", "")))
    elif answers_json(context):
        from recollect.answers.message import ExportedLines

        lines = [msgspec.Raw(line) for line in leaving.lines()]
        print_document(ExportedLines(session_id=session.id, format=form, lines=lines))
    else:
        _print_lines(leaving.lines())


def _print_lines(lines: Iterator[bytes]) -> None:
    """Write lines past the encoding of the terminal: JSON is UTF-8."""
    for line in lines:
        sys.stdout.buffer.write(line + b"\n")
    sys.stdout.flush()
