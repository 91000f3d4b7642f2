"""`recollect sync` and `recollect reindex`."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from recollect.cli.help import App
from recollect.cli.index.cost import agree, show_preview
from recollect.cli.invocation import AsJson, answers_json, opened
from recollect.cli.output.document import print_document
from recollect.cli.output.progress import show_progress

if TYPE_CHECKING:  # for a name only
    from recollect.index.model.sync_report import SyncReport
    from recollect.memory import Memory
    from recollect.recall.maintenance import Synced


_BY_RULE = ("symlink", "hard link", "special file")
_LEFT_OUT, _REPLACED = ": left out, ", "bytes that are not UTF-8 were replaced"
"""How the feed of memory files words what it could not read; links are left out on purpose."""

app = App()


DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Only show what would be read and embedded, and its cost."),
]
Stay = Annotated[
    bool,
    typer.Option("--watch", help="Then stay, and index files and transcripts as they change."),
]
Yes = Annotated[
    bool, typer.Option("--yes", help="Agree that a paid provider embeds what has no vector of it.")
]


@app.command(rich_help_panel="Keep")
def sync(
    context: typer.Context,
    *,
    dry_run: DryRun = False,
    yes: Yes = False,
    stay: Stay = False,
    as_json: AsJson = False,
) -> None:
    """Index what is new, and make the vectors that are missing."""
    as_json = answers_json(context, as_json)
    with opened(context, live=stay and not dry_run) as memory:
        if dry_run:
            _preview(memory, reindex=False, as_json=as_json)
            return
        rebuild = agree(memory, reindex=False, yes=yes, as_json=as_json)
        _run(memory, rebuild=rebuild, as_json=as_json)
        if stay:
            watch(memory, as_json=as_json)


@app.command(rich_help_panel="Keep")
def reindex(
    context: typer.Context, *, dry_run: DryRun = False, yes: Yes = False, as_json: AsJson = False
) -> None:
    """Rebuild the index; the old one answers searches meanwhile."""
    as_json = answers_json(context, as_json)
    with opened(context) as memory:
        if dry_run:
            _preview(memory, reindex=True, as_json=as_json)
        else:
            agree(memory, reindex=True, yes=yes, as_json=as_json)
            _run(memory, rebuild=True, as_json=as_json)


def _preview(memory: Memory, *, reindex: bool, as_json: bool) -> None:
    found = memory.preview(reindex=reindex)
    if as_json:
        print_document(found)
    else:
        show_preview(found)


def _run(memory: Memory, *, rebuild: bool, as_json: bool) -> None:
    if rebuild and not as_json:
        from recollect.cli.output.screen import say

        say(("rebuilding the index; the old one answers meanwhile", "dim"))
    with show_progress(quiet=as_json) as progress:
        started = time.perf_counter()
        work = memory.reindex if rebuild else memory.sync
        report = work(progress.indexing)
        took_s = time.perf_counter() - started
    _give(report, took_s, as_json=as_json)


def _give(report: SyncReport, took_s: float, *, as_json: bool) -> None:
    if as_json:
        print_document(msgspec.structs.asdict(report) | {"took_ms": round(took_s * 1000, 3)})
    else:
        _show(report, took_s)
    failed = sum(map(_is_failure, report.warnings))
    if failed:
        raise typer.Exit(_tell_failed(failed, as_json=as_json))


def _is_failure(warning: str) -> bool:
    is_left_out = _LEFT_OUT in warning and not warning.endswith(_BY_RULE)
    return is_left_out or warning.endswith(_REPLACED)


def _show(report: SyncReport, took_s: float) -> None:
    from recollect.cli.output.formatting import duration
    from recollect.cli.output.screen import show, warn

    done = "rebuilt" if report.rebuilt else "paused" if report.paused else "up to date"
    counts = ", ".join(_counts(report)) or "nothing new"
    show((done, "bold green"), (f" in {duration(took_s)}: {counts}", ""))
    for warning in report.warnings:
        warn(warning)


def _tell_failed(number: int, *, as_json: bool) -> int:
    from recollect.cli.failures import tell_incomplete
    from recollect.cli.output.formatting import count

    message = f"{count(number, 'memory file')} could not be read in full, see the warnings"
    return tell_incomplete(message, "everything else is indexed", as_json=as_json)


def _counts(report: SyncReport) -> list[str]:
    from recollect.cli.output.formatting import count

    counts = [
        (count(report.put, "document"), report.put),
        (count(report.chunks, "chunk"), report.chunks),
        (count(report.vectors, "vector"), report.vectors),
        (f"{count(report.refused, 'text')} refused", report.refused),
        (f"{count(report.removed, 'document')} removed", report.removed),
    ]
    return [text for text, number in counts if number]


def watch(memory: Memory, *, as_json: bool) -> None:
    """Run until Ctrl-C; one line, or with JSON one document, for each sync that did something.

    Raises:
        InvalidInput: watching is turned off.
        StoreBusy: another program does it already.
    """
    syncs = memory.watch()
    if not as_json:
        _tell_start(memory)
    with suppress(KeyboardInterrupt):
        for synced in syncs:
            if as_json:
                print_document(msgspec.to_builtins(synced))
            else:
                _tell(synced)


def _tell_start(memory: Memory) -> None:
    from recollect.cli.output.screen import say

    where = memory.workspace or "the extra paths"
    say((f"watching {where}; Ctrl-C ends it", "dim"))


def _tell(synced: Synced) -> None:
    from recollect.cli.output.screen import say, warn

    report, reason = synced.report, synced.last.reason or ""
    if synced.last.error is not None:
        warn(f"{reason}: failed, {synced.last.error}; it is tried again")
        return
    say((f"{reason}: ", "bold"), (", ".join(_synced_counts(synced)), ""))
    for warning in report.warnings:
        warn(warning)


def _synced_counts(synced: Synced) -> list[str]:
    from recollect.cli.output.formatting import count

    report = synced.report
    counts = [
        (count(synced.messages, "message"), synced.messages),
        (count(report.put, "document"), report.put),
        (count(report.vectors, "vector"), report.vectors),
        (f"{count(report.removed, 'document')} removed", report.removed),
    ]
    return [text for text, number in counts if number]
