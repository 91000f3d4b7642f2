"""`recollect sync` and `recollect reindex`, and what they will take.

That is shown with ``--dry-run``, and before a paid provider begins.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from recollect.cli.failures import tell_incomplete
from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, opened, require_agreement
from recollect.cli.output.formatting import count, duration
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import say, show, show_pairs, warn

if TYPE_CHECKING:  # for a name only
    from recollect.index.indexing.preview import Preview
    from recollect.index.model.sync_report import SyncReport
    from recollect.memory import Memory
    from recollect.recall.maintenance import Synced


_FOR_GOOD = re.compile(
    r"(?:symlink|hard link|special file|it is not there"
    r"|its name (?:is not UTF-8|has control characters)"
    r"|the file is (?:binary|larger than \d+ bytes))$"
)
_LEFT_OUT = ": left out, "
"""How the feed of memory files words what it does not read. What stays so does no harm: a warning
says it, and nothing failed."""

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
) -> None:
    """Index what is new, and compute missing vectors."""
    with opened(context, live=stay and not dry_run) as memory:
        if dry_run:
            _preview(context, memory, reindex=False)
            return
        spooled = _take_in_spool(context, memory)
        rebuild = _agree(context, memory, reindex=False, yes=yes)
        _run(context, memory, rebuild=rebuild, spooled=spooled)
        if stay:
            _watch(context, memory)


@app.command(rich_help_panel="Keep")
def reindex(context: typer.Context, *, dry_run: DryRun = False, yes: Yes = False) -> None:
    """Rebuild the index; the old one answers searches meanwhile."""
    with opened(context) as memory:
        if dry_run:
            _preview(context, memory, reindex=True)
        else:
            _run(context, memory, rebuild=_agree(context, memory, reindex=True, yes=yes))


def _take_in_spool(context: typer.Context, memory: Memory) -> int:
    """Store what hooks spooled while no worker took it; return how many events."""
    from recollect.hook.spool import ASIDE, Spool

    spool = Spool(memory.home)
    if not spool.files():
        return 0
    from recollect.server.spooling import drain_home

    drained = drain_home(memory.home)
    if not answers_json(context):
        say((f"took in {count(drained.events, 'event')} of hooks", "dim"))
        for name in drained.aside:
            warn(f"{name} does not hold an event: it is now in {spool.folder / ASIDE}")
    return drained.events


def _preview(context: typer.Context, memory: Memory, *, reindex: bool) -> None:
    preview = memory.preview(reindex=reindex)
    answer(context, preview, lambda: show_preview(preview))


def _run(context: typer.Context, memory: Memory, *, rebuild: bool, spooled: int = 0) -> None:
    as_json = answers_json(context)
    if rebuild and not as_json:
        say(("rebuilding the index; the old one answers meanwhile", "dim"))
    with show_progress(quiet=as_json) as progress:
        started = time.perf_counter()
        work = memory.reindex if rebuild else memory.sync
        report = work(progress.indexing)
        took_s = time.perf_counter() - started
    from recollect.answers.index import ShownSync

    took_ms = round(took_s * 1000, 3)
    document = ShownSync(**msgspec.structs.asdict(report), spooled=spooled, took_ms=took_ms)
    answer(context, document, lambda: _show(report, took_s))
    failed = sum(map(_is_failure, report.warnings))
    if failed:
        message = f"{count(failed, 'memory file')} could not be read in full, see the warnings"
        raise typer.Exit(tell_incomplete(message, "everything else is indexed", as_json=as_json))


def _is_failure(warning: str) -> bool:
    return _LEFT_OUT in warning and _FOR_GOOD.search(warning) is None


def _show(report: SyncReport, took_s: float) -> None:
    status = "rebuilt" if report.rebuilt else "paused" if report.paused else "up to date"
    counts = _counts(
        (count(report.put, "document"), report.put),
        (count(report.chunks, "chunk"), report.chunks),
        (count(report.vectors, "vector"), report.vectors),
        (f"{count(report.refused, 'text')} refused", report.refused),
        (f"{count(report.removed, 'document')} removed", report.removed),
    )
    show((status, "bold green"), (f" in {duration(took_s)}: {counts or 'nothing new'}", ""))
    for warning in report.warnings:
        warn(warning)


def _counts(*counts: tuple[str, int]) -> str:
    """Return the texts of the counts above 0."""
    return ", ".join(text for text, number in counts if number)


def _watch(context: typer.Context, memory: Memory) -> None:
    """Run until Ctrl-C; one line, or with JSON one document, for each sync that did something.

    Raises:
        InvalidInput: watching is turned off.
        StoreBusy: another program does it already.
    """
    syncs = memory.watch()
    if not answers_json(context):
        where = memory.workspace or "the extra paths"
        say((f"watching {where}; Ctrl-C ends it", "dim"))
    with suppress(KeyboardInterrupt):
        for synced in syncs:
            answer(context, synced, partial(_tell, synced))


def _tell(synced: Synced) -> None:
    report, reason = synced.report, synced.last.reason or ""
    if synced.last.error is not None:
        warn(f"{reason}: failed, {synced.last.error}; it is tried again")
        return
    counts = _counts(
        (count(synced.messages, "message"), synced.messages),
        (count(report.put, "document"), report.put),
        (count(report.vectors, "vector"), report.vectors),
        (f"{count(report.removed, 'document')} removed", report.removed),
    )
    say((f"{reason}: ", "bold"), (counts, ""))
    for warning in report.warnings:
        warn(warning)


def show_preview(preview: Preview) -> None:
    """Print what would be done, and what it costs."""
    show(("nothing was changed", "bold green"), (": this is what would be done", ""))
    pairs = [
        ("read", f"{count(preview.documents, 'document')}, {count(preview.chunks, 'chunk')}"),
        ("embed", _texts(preview)),
        ("cost", _cost(preview)),
    ]
    if preview.rebuild:
        pairs.insert(0, ("rebuild", f"everything is rebuilt: {preview.rebuild}"))
    show_pairs(pairs)
    if preview.consent_needed:
        warn(preview.consent_needed)


def _agree(context: typer.Context, memory: Memory, *, reindex: bool, yes: bool) -> bool:
    """Return whether everything is to be rebuilt because the user agreed to pay for it.

    Does not ask when nothing is billed, or when every vector is there already.

    Args:
        context: Of the command.
        memory: Whose index.
        reindex: Whether everything is to be rebuilt in any case.
        yes: It was agreed on the command line.

    Raises:
        InvalidInput: there is no one to ask, or they declined.
    """
    if not memory.needs_confirmation(reindex=reindex):
        return reindex
    preview = memory.preview(reindex=True)
    if preview.texts and not yes:
        offer = f"{preview.model} would embed {_texts(preview)}: {_cost(preview)}"
        agreement = "add --yes to agree; --dry-run shows the figures"
        require_agreement(
            context,
            offer,
            unasked=(f"{offer}; that needs your agreement", agreement),
            declined=("nothing was sent", "the old index goes on answering"),
        )
    return True


def _texts(preview: Preview) -> str:
    if preview.model is None:
        return "nothing: words only"
    if not preview.texts:
        return "nothing: every vector is in the cache"
    return (
        f"{count(preview.texts, 'text')}, about {count(preview.tokens, 'token')}, {preview.model}"
    )


def _cost(preview: Preview) -> str:
    if not preview.is_paid:
        return "nothing: it is not billed"
    dollars = preview.usd
    if dollars is None:
        price = "unknown price"
    elif dollars >= 0.01 or not dollars:
        price = f"about {dollars:,.2f} USD"
    else:
        price = "less than 0.01 USD"
    tokens_left = preview.tokens_left_today
    if tokens_left is None or tokens_left >= preview.tokens:
        return price
    return f"{price}; today's limit allows {tokens_left:,} tokens more, the rest follows day by day"
