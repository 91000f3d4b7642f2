"""`recollect search`."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import typer

from recollect.cli.help import App
from recollect.cli.invocation import (
    Agent,
    Project,
    User,
    answer,
    answers_json,
    argument,
    filter_option,
    opened,
)
from recollect.cli.output.formatting import count, duration
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import say, warn
from recollect.cli.sessions.lines import ForSender, ForSession, OfSession, title_of
from recollect.core.errors import NotFound
from recollect.core.scope import Scope

if TYPE_CHECKING:  # for a name only
    from recollect.index.query.hit import SearchResult
    from recollect.memory import Memory

app = App()


def _complete_source(incomplete: str) -> list[str]:
    from recollect.index.model.document import SOURCES

    return [name for name in SOURCES if name.startswith(incomplete)]


@app.command(rich_help_panel="Find")
def search(
    context: typer.Context,
    query: Annotated[list[str], argument(metavar="QUERY", help="A question, or words.")],
    *,
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", help="Hits at most; search.limit by default."),
    ] = None,
    mode: Annotated[
        Literal["hybrid", "lexical", "vector"], typer.Option(help="What takes part.")
    ] = "hybrid",
    min_score: Annotated[
        float | None,
        typer.Option(help="Leave out hits below this score, 0 to 1, but for exact words."),
    ] = None,
    source: Annotated[
        list[str] | None,
        filter_option(
            help="Only this kind of memory: memory, sessions. May be repeated.",
            autocompletion=_complete_source,
        ),
    ] = None,
    session: OfSession = None,
    for_session: ForSession = None,
    for_sender: ForSender = None,
    agent: Agent = None,
    user: User = None,
    project: Project = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the parts of scores.")] = False,
) -> None:
    """Find the messages and notes that answer a question."""
    question = " ".join(query)
    with opened(context, warns=False) as memory:
        scope = Scope(agent=agent, user=user, project=project, session=_id(memory, session))
        with show_progress(quiet=answers_json(context)) as progress:
            started = time.perf_counter()
            result = memory.search(
                question,
                limit,
                min_score,
                source,
                scope,
                mode=mode,
                for_session=_id(memory, for_session),
                for_sender=for_sender,
                on_progress=progress.indexing,
            )
        took_s = time.perf_counter() - started
        result = _numbered(memory, result)
        said = {"query": question, "took_ms": round(took_s * 1000, 3)}
        answer(
            context,
            said | msgspec.structs.asdict(result),
            lambda: _show(memory, question, result, took_s, explain=explain),
        )


def _id(memory: Memory, name: str | None) -> str | None:
    return None if name is None else memory.sessions.find(name).id


def _numbered(memory: Memory, result: SearchResult) -> SearchResult:
    """Say the number of each message that was found."""
    numbers = memory.sessions.numbers([hit.ref for hit in result.hits if hit.session_id])
    hits = [
        msgspec.structs.replace(hit, number=numbers.get(hit.ref, hit.number)) for hit in result.hits
    ]
    return msgspec.structs.replace(result, hits=hits)


def _show(
    memory: Memory, question: str, result: SearchResult, took_s: float, *, explain: bool
) -> None:
    from recollect.cli.output.hits import show_hits

    show_hits(
        result.hits,
        question,
        titles(memory, result),
        explained=len(result.hits) if explain else 0,
        cited=memory.settings.search.citations == "on",
    )
    for warning in memory.unheard_warnings(result):
        warn(warning)
    found = count(len(result.hits), "hit") if result.hits else "nothing found"
    say((f"\n{found} in {duration(took_s)}, {result.mode}", "dim"))


def titles(memory: Memory, result: SearchResult) -> dict[str, str]:
    """Return what the sessions of the hits are called, by id."""
    found: dict[str, str] = {}
    for session_id in {hit.session_id for hit in result.hits if hit.session_id is not None}:
        with suppress(NotFound):  # erased meanwhile
            found[session_id] = title_of(memory.sessions, memory.sessions.get(session_id))
    return found
