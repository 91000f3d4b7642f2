"""`recollect observe` and `recollect forget`: what the agent did, by hand."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, argument, opened
from recollect.cli.output.lines import show_observations
from recollect.cli.output.screen import show
from recollect.cli.sessions.lines import latest_id
from recollect.core.errors import InvalidInput

app = App()


@app.command(rich_help_panel="Keep")
def observe(
    context: typer.Context,
    words: Annotated[
        list[str] | None, argument(metavar="WORDS", help="What happened, in your words.")
    ] = None,
    *,
    session: Annotated[
        str | None,
        typer.Option("--session", help="Where; the session used last if not given.", metavar="ID"),
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--type", help="decision, bugfix, …; by rule if not given.")
    ] = None,
    importance: Annotated[
        float | None, typer.Option("--importance", help="0 to 1; by rule if not given.")
    ] = None,
    file: Annotated[
        list[str] | None, typer.Option("--file", help="A file that it is about. May be repeated.")
    ] = None,
    last: Annotated[
        int, typer.Option("--last", help="Show so many of the newest instead of recording.")
    ] = 0,
) -> None:
    """Record something that happened, or show what was recorded last."""
    with opened(context) as memory:
        chosen = None if session is None else memory.sessions.find(session).id
        if last:
            found = memory.observations.list(session_id=chosen, limit=last)
            answer(context, {"observations": found}, lambda: show_observations(found))
            return
        if not words:
            raise InvalidInput("say what happened", hint="give words, or add --last 5")
        made = memory.observations.record(
            chosen or latest_id(memory.sessions),
            type=kind,
            summary=" ".join(words),
            importance=importance,
            files=file,
            trust="owner",
        )
        answer(context, made, lambda: show_observations([made]))


@app.command(rich_help_panel="Keep")
def forget(
    context: typer.Context,
    ids: Annotated[list[str], argument(metavar="ID", help="'#12', or the id of an observation.")],
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Bring them back.")] = False,
) -> None:
    """Take observations out of search, lists and prompts; --undo brings them back."""
    with opened(context) as memory:
        change = memory.observations.restore if undo else memory.observations.forget
        changed = [change(each) for each in ids]
    done = "brought back" if undo else "forgotten"
    numbers = ", ".join(f"#{each.number}" for each in changed)
    answer(
        context, {"observations": changed}, lambda: show((done, "bold green"), (f" {numbers}", ""))
    )
