"""`recollect observe` and `recollect forget`: what the agent did, by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from recollect.answers.error import FAILED
from recollect.cli.addresses import path_to_keep, short
from recollect.cli.help import App, Command
from recollect.cli.invocation import answer, argument, opened
from recollect.cli.output.lines import show_observations
from recollect.cli.output.screen import next_steps, one_line, say, show
from recollect.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:  # for a name only
    from recollect.memory import Memory
    from recollect.observations.observation import Observation
    from recollect.sessions.record.session import Session

app = App()

FEW = 10
"""Of the newest, where no number is given."""
_LEAVE_OUT = "leave one out: a session has a project of its own"
NOTES = "agent:main:cron:notes"
"""The key of the session of what is recorded by hand: the owner's, and like that of a job no
conversation to go on with."""


class _Observe(Command):
    """`--last` takes a number or none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(_with_number(args)))


def _with_number(words: Sequence[str]) -> Iterator[str]:
    """Yield words; after a ``--last`` that no number follows, as many as `FEW`."""
    ends = words.index("--") if "--" in words else len(words)
    for position, word in enumerate(words):
        yield word
        following = words[position + 1] if position + 1 < len(words) else "--"
        if word == "--last" and position < ends and following.startswith("--"):
            yield str(FEW)


_Session: TypeAlias = Annotated[
    str | None,
    typer.Option("--session", help="Its session; one of its own by default, notes.", metavar="ID"),
]
_Project: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--project", help="A path or name of its project; that of this folder by default."
    ),
]


@app.command(cls=_Observe, rich_help_panel="Keep")
def observe(
    context: typer.Context,
    words: Annotated[
        list[str] | None, argument(metavar="WORDS", help="What happened, in your words.")
    ] = None,
    *,
    session: _Session = None,
    project: _Project = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--type",
            help="decision, bugfix, …; by the words if not given. With --last, only these.",
        ),
    ] = None,
    importance: Annotated[
        float | None,
        typer.Option("--importance", help="0 to 1; derived from the words by default."),
    ] = None,
    file: Annotated[
        list[str] | None, typer.Option("--file", help="A file that it is about. May be repeated.")
    ] = None,
    last: Annotated[
        int | None,
        typer.Option("--last", help=f"Show so many of the newest instead; {FEW} if none is given."),
    ] = None,
) -> None:
    """Record something that happened, or show what was recorded last."""
    from recollect.answers.observation import ObservationList

    with opened(context) as memory:
        target = None if session is None else memory.sessions.find(session)
        if target is not None and project is not None:
            raise InvalidInput("--project must not be combined with --session", hint=_LEAVE_OUT)
        if last is not None:
            session_id = None if target is None else target.id
            types = None if kind is None else [kind]
            observations = memory.observations.list(session_id=session_id, types=types, limit=last)
            listing = ObservationList(observations=observations)
            answer(context, listing, lambda: _show_newest(observations))
            return
        text = " ".join(words or ()).strip()
        if not text:
            raise InvalidInput("say what happened", hint="give words, or add --last 5")
        own = target or _notes(memory, project)
        observation = memory.observations.record(
            own.id,
            type=kind,
            summary=text,
            importance=importance,
            files=file,
            trust="owner",
        )
        answer(context, observation, lambda: _show_kept(observation, own))


def _notes(memory: Memory, project: str | None) -> Session:
    """Return the session of what is recorded by hand, of a project that is named or is here."""
    path = None if project is None else path_to_keep(memory, project)
    if path is None:
        with suppress(NotFound):
            path = memory.projects.path_of(str(Path.cwd()))
    return memory.sessions.open(NOTES, path)


def _show_kept(observation: Observation, session: Session) -> None:
    from recollect.core.numbers import show_number

    show_observations([observation])
    name = "notes" if session.key == NOTES else one_line(session.title or session.key or "untitled")
    about = "no project" if session.project is None else f"the project {one_line(session.project)}"
    say((f"kept in the session {name} ({short(session.id)}), of {about}", "dim"))
    number = show_number("observation", observation.number)
    next_steps([(f"recollect forget '{number}'", "take it back")])


def _show_newest(observations: Sequence[Observation]) -> None:
    show_observations(observations)
    if not observations:
        say(("nothing was recorded yet", "dim"))


@app.command(rich_help_panel="Keep")
def forget(
    context: typer.Context,
    ids: Annotated[list[str], argument(metavar="ID", help="'#12', or the id of an observation.")],
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Bring them back.")] = False,
) -> None:
    """Remove observations from search, lists and prompts; --undo brings them back."""
    observations: list[Observation] = []
    missing_ids: list[str] = []
    with opened(context) as memory:
        memory.observations.get(ids, 1)  # refuses what cannot be an id, before any change
        change = memory.observations.restore if undo else memory.observations.forget
        for each in ids:
            try:
                observations.append(change(each))
            except NotFound:
                if len(ids) == 1:
                    raise
                missing_ids.append(each)
    if not observations:
        raise NotFound("none of the observations exists", hint="take ids from `recollect search`")
    verb = "brought back" if undo else "forgotten"
    from recollect.answers.observation import ObservationList

    listing = ObservationList(observations=observations, missing=missing_ids)
    answer(context, listing, lambda: _show_changed(verb, observations, missing_ids))
    if missing_ids:
        raise typer.Exit(FAILED)


def _show_changed(verb: str, observations: Sequence[Observation], absent: Sequence[str]) -> None:
    show((verb, "bold green"), (f" {', '.join(f'#{each.number}' for each in observations)}", ""))
    for name in absent:
        say((f"there is no {name}", "bold yellow"))
