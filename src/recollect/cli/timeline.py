"""`recollect timeline`: what was said and done around something."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.cli.addresses import project_path
from recollect.cli.help import App
from recollect.cli.invocation import (
    Project,
    Since,
    Until,
    answer,
    argument,
    recalling,
)
from recollect.cli.output.formatting import count
from recollect.cli.output.lines import show_lines
from recollect.cli.output.screen import next_steps, say
from recollect.cli.sessions.lines import ForSender, ForSession
from recollect.core.clock import SystemClock
from recollect.core.errors import InvalidInput
from recollect.core.numbers import parse_record
from recollect.text.times.moments import read_moment

app = App()


_EXAMPLE = "recollect timeline m88 --before 3 --after 10"


@app.command(rich_help_panel="Find", epilog=_EXAMPLE)
def timeline(
    context: typer.Context,
    around: Annotated[
        list[str] | None,
        argument(metavar="ANCHOR", help="'#12', m88 or an id; or a question: its best hit."),
    ] = None,
    *,
    at: Annotated[
        str | None,
        typer.Option("--at", help="Around a time instead: 2026-05-12T09:30, yesterday, 3h."),
    ] = None,
    before: Annotated[int, typer.Option("--before", "-B", help="Lines before it.")] = 5,
    after: Annotated[int, typer.Option("--after", "-A", help="Lines after it.")] = 5,
    since: Since = None,
    until: Until = None,
    project: Project = None,
    for_session: ForSession = None,
    for_sender: ForSender = None,
) -> None:
    """Show what was said and done around a record, a question or a time, one line each.

    With --since or --until alone it begins or ends there.
    """
    words = " ".join(around or [])
    is_around = bool(words) != (at is not None)
    if not is_around and (words or (since is None and until is None)):
        hint = "give '#12', a question, --at, or --since or --until alone"
        raise InvalidInput("a timeline must be around one thing", hint=hint)
    with recalling(context) as memory:
        asking = None if for_session is None else memory.sessions.find(for_session).id
        is_named = parse_record(words) is not None
        moment = None
        if at is not None:
            from recollect.core.clock import zone_of

            zone = zone_of(memory.settings.sessions.time_zone)
            moment = read_moment(at, SystemClock().now_ms(), zone)
        timeline = memory.observations.timeline(
            words if is_named else moment,
            None if is_named or not words else words,
            before,
            after,
            project=None if project is None else project_path(memory, project),
            for_session=asking,
            for_sender=for_sender,
            since=since,
            until=until,
        )

    def show() -> None:
        show_lines(timeline.lines, anchor=timeline.anchor)
        say((f"\n{count(len(timeline.lines), 'line')}, {count(timeline.tokens, 'token')}", "dim"))
        near = timeline.anchor or next(iter(timeline.lines), None)
        if near is not None:
            next_steps([(f"recollect get '{near.name}'", "all of it")])

    answer(context, timeline, show)
