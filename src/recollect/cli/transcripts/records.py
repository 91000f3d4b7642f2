"""`recollect import` of whole records: an export of another home, or what claude-mem kept."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, BinaryIO

import msgspec
import typer

from recollect.cli.invocation import answer, answers_json, home_of, is_home, opened
from recollect.cli.output.formatting import count
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import next_steps, say, show, warn
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from recollect.answers.imported import RecordsAnswer
    from recollect.memory import Memory
    from recollect.recall.record_counts import KnownCounts

RECOLLECT, CLAUDE_MEM = "recollect", "claude-mem"
KINDS = (CLAUDE_MEM, RECOLLECT)
STDIN = "-"
_CHUNK_BYTES = 1024 * 1024
_SNIFFED_BYTES = 4_096

_REMARKS = {
    "erased": "were erased here, and stay away",
    "deleted": "are of sessions that are deleted here",
    "pruned": "were removed here by retention",
    "withheld": "were said while nothing was captured",
    "calls": "are calls of tools that capture.skip_tools or skip_paths leave out",
    "excluded": "are of projects that are not captured",
    "denied": "belong to another owner",
    "unreadable": "cannot be stored",
}


class RecordOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command; fields as those of `Memory.import_export`."""

    dry_run: bool
    other_tenant: bool
    files: bool


def records_meant(form: str, paths: list[Path]) -> tuple[str, Path] | None:
    """Return the kind of records and the file that the words of the command mean.

    None where they mean transcripts. A file tells its kind where none is named.

    Raises:
        InvalidInput: not one file is named.
    """
    from recollect.core.settings import claude_mem_database, user_path

    if form not in KINDS:
        sources = paths if form == "auto" else [Path(form), *paths]
        kind = _kind_of(sources[0]) if len(sources) == 1 else None
        return None if kind is None else (kind, sources[0])
    if not paths and form == CLAUDE_MEM:
        return form, claude_mem_database()
    if len(paths) != 1:
        raise InvalidInput("one file is required", hint=f"name it: recollect import {form} FILE")
    path = paths[0] if str(paths[0]) == STDIN else user_path(paths[0])
    return form, path / "claude-mem.db" if form == CLAUDE_MEM and path.is_dir() else path


def import_records(context: typer.Context, file: tuple[str, Path], options: RecordOptions) -> None:
    """Import records, and tell what was new."""
    from recollect.answers.imported import RecordsAnswer

    kind, path = file
    as_json, is_new = answers_json(context), not is_home(home_of(context))
    if options.dry_run and is_new:
        raise InvalidInput("--dry-run needs a home", hint="make one with `recollect init`")
    if kind == CLAUDE_MEM and (options.other_tenant or options.files):
        raise InvalidInput("this option is for exports of recollect", hint="leave it out")
    with opened(context, create=True) as memory:
        if is_new and not as_json:
            say((f"made the home {memory.home}", "dim"))
        with show_progress(quiet=as_json) as progress:
            before = memory.known()
            if kind == CLAUDE_MEM:
                tell = progress.importing
                report = memory.import_claude_mem(path, dry_run=options.dry_run, on_progress=tell)
            else:
                with _source(memory, path) as source:
                    report = memory.import_export(
                        source,
                        on_progress=progress.importing,
                        **msgspec.structs.asdict(options),
                    )
            if not options.dry_run:
                memory.extract(progress.indexing)
            counts = memory.known().beyond(before)
    document = RecordsAnswer(**msgspec.structs.asdict(report), made=counts)
    answer(context, document, lambda: _show(document))


@contextmanager
def _source(memory: Memory, path: Path) -> Iterator[Path | BinaryIO]:
    """Yield the source to read; stdin is copied to a temporary file."""
    if str(path) != STDIN:
        yield path
        return
    with TemporaryFile(dir=memory.home) as file:
        while piece := sys.stdin.buffer.read(_CHUNK_BYTES):
            file.write(piece)
        file.seek(0)
        yield file


def _kind_of(path: Path) -> str | None:
    """Return the kind of records in a file; None if it is not recognised."""
    from recollect.core.settings import user_path
    from recollect.exchange.lines import is_export

    full_path = user_path(path)
    if str(path) == STDIN:
        return RECOLLECT
    try:
        if not full_path.is_file():
            return None
        with full_path.open("rb") as file:
            start = file.read(_SNIFFED_BYTES)
    except OSError:
        return None
    if is_export(start):
        return RECOLLECT
    is_database = start.startswith(b"SQLite format 3\0") and full_path.name == "claude-mem.db"
    return CLAUDE_MEM if is_database or b'"totalObservations"' in start else None


def show_made(counts: KnownCounts) -> None:
    """Print how much is new, facts by kind; nothing if nothing is."""
    kinds = ", ".join(
        f"{number:,} {kind.replace('_', ' ')}" for kind, number in counts.facts.items()
    )
    facts = sum(counts.facts.values())
    parts = (
        (facts, "fact", f" ({kinds})"),
        (counts.links, "replaced statement", ""),
        (counts.episodes, "episode", ""),
        (counts.people, "person", ""),
    )
    many = {"person": "people"}
    texts = [f"{count(n, what, many.get(what, ''))}{more}" for n, what, more in parts if n]
    if texts:
        show(("now known", "bold green"), (f"  {', '.join(texts)}", ""))


def _show(report: RecordsAnswer) -> None:
    counts = ", ".join(count(number, f"new {kind}") for kind, number in report.added.items())
    verb = "would be stored" if report.dry_run else "stored"
    show((verb, "bold green" if report.added else "bold"), (f"  {counts or 'nothing new'}", ""))
    show_made(report.made)
    if report.known:
        say((f"  {report.known:>7,}  ", ""), ("records were there already", "dim"))
    if report.renumbered:
        say((f"  {report.renumbered:>7,}  ", ""), ("have another short number here", "dim"))
    for reason, number in report.left_out.items():
        say((f"  {number:>7,}  ", ""), (f"left out: they {_REMARKS[reason]}", "dim"))
    for path in report.kept_files:
        warn(f"{path} is here with another text, and was left as it is")
    if report.added and not report.dry_run:
        next_steps([("recollect sync", "make everything searchable now, by meaning too")])
