"""`recollect import`: transcripts of other programs, and what another home exported."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, argument, home_of, is_home, opened
from recollect.cli.output.formatting import count
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import next_steps, say, show, warn
from recollect.cli.transcripts.learned import Learned, learned_since, show_learned
from recollect.cli.transcripts.records import (
    KINDS,
    RecordOptions,
    import_records,
    records_meant,
    show_made,
)
from recollect.core.clock import SystemClock
from recollect.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:  # for a name only
    from recollect.answers.imported import ImportAnswer
    from recollect.exchange.report import ImportReport

AUTO = "auto"
MOST_LISTED = 20
"""Malformed lines on the screen; the JSON document has up to a hundred."""

GROWING = "an unfinished last line"
"""It may be being written just now; the next import reads it whole."""

_REMARKS = {
    "sessions do not say who heard them: no other session hears them, nothing is flushed": (
        "unknown_origin"
    ),
    "transcripts had nothing new": "unchanged",
    "messages were there already": "duplicates",
    "messages of deleted sessions were left out": "deleted",
    "transcripts of projects that are not captured were left unread": "excluded",
    "messages said during a pause were left out": "withheld",
    "calls of tools were left out as capture.skip_tools and skip_paths say": "calls",
    "messages of erased sessions were left out": "erased",
    "lines are not part of a conversation": "skipped",
    "messages had no readable time": "undated",
    "characters could not be stored and stand as \ufffd": "replaced",
    "lines could not be read:": "malformed_count",
}
"""What is said of a number of the report, below the first line, where it is not 0."""

app = App()
_of_records = partial(typer.Option, rich_help_panel="Of exports and claude-mem")


def _complete_format(incomplete: str) -> list[str]:
    from recollect.exchange.formats.registry import FORMATS

    return [name for name in (AUTO, *FORMATS, *KINDS) if name.startswith(incomplete)]


_EXAMPLE = "recollect import claude-code"


@app.command("import", rich_help_panel="Begin", epilog=_EXAMPLE)
def import_transcripts(
    context: typer.Context,
    form: Annotated[
        str,
        argument(
            metavar="FORMAT",
            help="claude-code, openclaw, jsonl, claude-mem, recollect, or auto, by the content.",
            autocompletion=_complete_format,
        ),
    ] = AUTO,
    paths: Annotated[
        list[Path] | None,
        argument(metavar="PATH", help="Files or folders."),
    ] = None,
    *,
    include_deleted: Annotated[
        bool, typer.Option("--include-deleted", help="Also sessions that were deleted in OpenClaw.")
    ] = False,
    dry_run: Annotated[
        bool, _of_records("--dry-run", help="Only show what would be stored.")
    ] = False,
    other_tenant: Annotated[
        bool, _of_records("--other-tenant", help="Take an export of another tenant.")
    ] = False,
    files: Annotated[
        bool, _of_records("--files", help="Also memory files that the workspace does not have.")
    ] = False,
) -> None:
    """Store transcripts of Claude Code, OpenClaw or plain JSONL. Run it again to add what is new.

    Also what `recollect export --all` wrote, and what claude-mem kept. Without a path, claude-code
    reads ~/.claude/projects, openclaw ~/.openclaw/agents and claude-mem ~/.claude-mem, or where
    CLAUDE_CONFIG_DIR, OPENCLAW_STATE_DIR and CLAUDE_MEM_DATA_DIR say.
    """
    records = records_meant(form, paths or [])
    if records is not None:
        if include_deleted:
            raise InvalidInput("--include-deleted is for openclaw", hint="leave it out")
        options = RecordOptions(dry_run=dry_run, other_tenant=other_tenant, files=files)
        import_records(context, records, options)
    elif dry_run or other_tenant or files:
        hint = "leave it out, or import an export: recollect import recollect FILE"
        raise InvalidInput("this option is for exports and claude-mem", hint=hint)
    else:
        _import(context, *_form_and_paths(form, paths or []), include_deleted=include_deleted)


def _import(context: typer.Context, kind: str, paths: list[Path], *, include_deleted: bool) -> None:
    from recollect.answers.imported import ImportAnswer

    as_json, is_new = answers_json(context), not is_home(home_of(context))
    with opened(context, create=True) as memory:
        began = SystemClock().now_ms()
        if is_new and not as_json:
            say((f"made the home {memory.home}", "dim"))
        with show_progress(quiet=as_json) as progress:
            before = memory.known()
            reports = [
                memory.import_transcripts(
                    path, kind, progress.importing, include_deleted=include_deleted
                )
                for path in paths
            ]
            memory.extract(progress.indexing)
            counts = memory.known().beyond(before)
        learned = None if as_json else learned_since(memory, began)
    report = ImportAnswer(**msgspec.structs.asdict(_together(reports)), made=counts)
    answer(context, report, lambda: _show(report, learned))
    losses = ", ".join(_losses(report))
    if losses and not as_json:  # in the document it is counted, with the places
        warn(f"{losses}; everything else was imported")


def _form_and_paths(form: str, paths: list[Path]) -> tuple[str, list[Path]]:
    """Return the format and the places; a path in the place of the format means ``auto``."""
    from recollect.core.settings import transcript_folders, user_path
    from recollect.exchange.formats.registry import FORMATS

    if form != AUTO and form not in FORMATS:
        if user_path(form).exists():
            return AUTO, [Path(form), *paths]
        raise InvalidInput(
            "the argument must be a format of transcripts or a path",
            hint=f"use one of {', '.join((*FORMATS, *KINDS, AUTO))}, and then a path",
        )
    usual = transcript_folders().get(form)
    if not paths and usual is None:
        raise InvalidInput("a path is required", hint=f"name a file: recollect import {form} FILE")
    if paths:
        return form, [user_path(path) for path in paths]
    from recollect.exchange.formats.openclaw_store import stores_elsewhere

    folder = _existing(form, usual or Path())
    return form, [folder, *(stores_elsewhere(folder) if form == "openclaw" else ())]


def _existing(form: str, path: Path) -> Path:
    if not path.exists():
        raise NotFound(
            f"{form} keeps its transcripts in {path}, which does not exist",
            hint=f"name the folder: recollect import {form} PATH",
            path=str(path),
        )
    return path


def _together(reports: list[ImportReport]) -> ImportReport:
    """Return the sum of reports, with the first malformed lines of all."""
    from recollect.exchange.report import MAX_LISTED, ImportReport

    names = [name for name in ImportReport.__struct_fields__ if name != "malformed"]
    sums = {name: sum(getattr(report, name) for report in reports) for name in names}
    lines = tuple(line for report in reports for line in report.malformed)
    return ImportReport(**sums, malformed=lines[:MAX_LISTED])


def _losses(report: ImportReport) -> list[str]:
    """Return the changes and omissions of an import; empty if there were none."""
    growing = sum(line.reason == GROWING for line in report.malformed)
    unread, replaced = report.malformed_count - growing, report.replaced
    losses = {
        f"{count(unread, 'line')} could not be read": unread,
        f"{count(replaced, 'character')} could not be stored and stand as \ufffd": replaced,
    }
    return [text for text, number in losses.items() if number]


def _show(report: ImportAnswer, learned: Learned | None) -> None:
    files = count(report.files, "transcript")
    show(
        (count(report.messages, "new message"), "bold green" if report.messages else "bold"),
        (f" in {count(report.sessions, 'new session')}, from {files}", ""),
    )
    show_made(report.made)
    for remark, field in _REMARKS.items():
        if number := getattr(report, field):
            say((f"  {number:>7,}  ", ""), (remark, "dim"))
    for line in report.malformed[:MOST_LISTED]:
        say((f"  {line.path}:{line.line}", "magenta"), (f"  {line.reason}", ""))
    if report.malformed_count > MOST_LISTED:
        say((f"  and {report.malformed_count - MOST_LISTED:,} more; see --json", "dim"))
    if learned is not None:
        show_learned(learned)
    if report.messages:
        next_steps(_steps(report, learned))


def _steps(report: ImportAnswer, learned: Learned | None) -> list[tuple[str, str]]:
    steps = [("recollect sync", "make everything searchable now, by meaning too")]
    questions = learned.questions if learned is not None else ()
    steps += [(f'recollect search "{question}"', "") for question in questions]
    if not questions:
        steps.append(('recollect search "…"', "ask; what is new is read first"))
    if report.unknown_origin:
        whose = "say who heard the others, by a key as `session` in each line; before the import"
        steps.append(("recollect sessions key --help", whose))
    return steps
