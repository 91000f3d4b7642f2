"""`recollect demo`: the sample that ships with recollect, and three questions to it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, invocation_of
from recollect.cli.output.formatting import count, duration
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import next_steps, say, show, warn
from recollect.core.errors import RecollectError, StoreError

if TYPE_CHECKING:  # for a name only
    from recollect.cli.setup.sample import Demo, DemoAnswer, SampleQuestion
    from recollect.memory import Memory

HITS = 3

app = App()


@app.command(rich_help_panel="Begin")
def demo(
    context: typer.Context,
    *,
    keep: Annotated[
        Path | None,
        typer.Option(help="Keep the demo in this folder; in the user's cache by default."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start again.")] = False,
    with_model: Annotated[
        bool, typer.Option("--with-model", help="Install the local model first, 80 MB, once.")
    ] = False,
) -> None:
    """Read the sample that ships with recollect and answer three questions from it."""
    from recollect.cli.setup.sample import Demo, default_folder, prepare, read_questions
    from recollect.core.settings import user_path

    home = keep or invocation_of(context).home or default_folder()
    home = user_path(home).absolute()
    if with_model:
        _install_model(home)
    was_there = prepare(home, fresh=fresh)
    with _opened(home) as memory:
        figures = _read(memory, quiet=answers_json(context)) | _load(memory)
        answers = [_ask(memory, question) for question in read_questions()]
        report = Demo(home=str(home), reused=was_there, **figures, answers=answers)
        answer(context, report, lambda: _show(memory, report))


def _opened(home: Path) -> Memory:
    """Open the demo; one that an older version left and that cannot be opened is made again."""
    from recollect.cli.setup.sample import prepare, workspace_of
    from recollect.memory import open_memory

    try:
        return open_memory(home, workspace_of(home), live=False)
    except StoreError:
        prepare(home, fresh=True)
        return open_memory(home, workspace_of(home), live=False)


def _install_model(home: Path) -> None:
    """Install the model if that is possible; the demo works without it."""
    from recollect.core.settings import load_settings, models_folder
    from recollect.models.local.install import install
    from recollect.models.registry import local_folder

    settings = load_settings(home).settings.embedding
    try:
        with show_progress() as progress:
            install(
                local_folder(settings, models_folder()),
                progress=lambda step: say((f"{step} …", "dim")),
                received=progress.downloading,
                quantisation=settings.quantisation,
            )
    except RecollectError as error:
        warn(f"{error.message}; the demo goes on with words only")


def _read(memory: Memory, *, quiet: bool) -> dict[str, Any]:
    from recollect.cli.setup.sample import transcripts_of

    started = time.perf_counter()
    with show_progress(quiet=quiet) as progress:
        report = memory.import_transcripts(transcripts_of(memory.home), progress=progress.importing)
        stored_s = time.perf_counter()
        synced = memory.sync(progress.indexing)
    end_s = time.perf_counter()
    return {
        "imported": report,
        "import_ms": round((stored_s - started) * 1000, 1),
        "synced": synced,
        "sync_ms": round((end_s - stored_s) * 1000, 1),
    }


def _load(memory: Memory) -> dict[str, Any]:
    """Search once before the questions: the first search of a process loads index and model."""
    started = time.perf_counter()
    memory.search("tea", limit=1)
    return {"load_ms": round((time.perf_counter() - started) * 1000, 1)}


def _ask(memory: Memory, question: SampleQuestion) -> DemoAnswer:
    from recollect.cli.setup.sample import DemoAnswer

    started = time.perf_counter()
    result = memory.search(question.question, limit=HITS)
    took_ms = (time.perf_counter() - started) * 1000
    first = result.hits[0].snippet if result.hits else ""
    return DemoAnswer(
        question=question.question,
        shows=question.shows,
        took_ms=round(took_ms, 2),
        right=question.answer.lower() in first.lower(),
        result=result,
    )


def _show(memory: Memory, report: Demo) -> None:
    from recollect.cli.output.hits import show_hits
    from recollect.cli.search import titles_in

    _show_reading(memory, report)
    for item in report.answers:
        result = item.result
        show()
        show(("? ", "bold magenta"), (item.question, "bold"))
        show(("  " + item.shows, "dim"))
        show()
        show_hits(result.hits, item.question, titles_in(memory, result), explained=1)
        right = ("first hit is right", "green") if item.right else ("not found", "red")
        show(("\n  ", ""), right, (f" · {item.took_ms:.1f} ms · {result.mode}", "dim"))
    steps = [("recollect init", "your own memory"), ("recollect import claude-code", "fill it")]
    if memory.status().embedder is None:
        steps.insert(0, ("recollect models install", "search by meaning too, 80 MB, once"))
    next_steps([(f'recollect --home {memory.home} search "…"', "ask the demo more"), *steps])


def _show_reading(memory: Memory, demo_report: Demo) -> None:
    status = memory.status()
    report, synced = demo_report.imported, demo_report.synced
    summary = f"{count(status.messages, 'message')} in {count(status.sessions, 'conversation')}"
    notes = count(status.index.documents.get("memory", 0), "note")
    show(("The spring of a small tea shop: ", "bold"), (f"{summary}, {notes}", ""))
    if report.messages:
        took = duration(demo_report.import_ms / 1000)
        show((f"  imported {count(report.messages, 'message')} in {took}", "dim"))
    if synced.put or synced.vectors:
        took = duration(demo_report.sync_ms / 1000)
        vectors = f" and made {count(synced.vectors, 'vector')}" if synced.vectors else ""
        show((f"  indexed {count(synced.put, 'document')}{vectors} in {took}", "dim"))
    if not (report.messages or synced.put or synced.vectors):
        show(("  read before; nothing new", "dim"))
    what = "index" if status.embedder is None else "index and model"
    show((f"  loaded {what} in {duration(demo_report.load_ms / 1000)}", "dim"))
    if status.embedder is None:
        show(("  words only: ", "yellow"), (status.embedder_reason, "dim"))
