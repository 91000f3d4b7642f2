"""`recollect remember` and `recollect facts`: what is known, by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from recollect.cli.addresses import path_to_keep, project_path
from recollect.cli.help import App
from recollect.cli.invocation import Project, User, answer, argument, opened
from recollect.cli.output.formatting import day, moment
from recollect.cli.output.screen import next_steps, one_line, say, show
from recollect.cli.sessions.lines import ForSender, ForSession
from recollect.core.errors import InvalidInput
from recollect.core.numbers import show_number

if TYPE_CHECKING:  # for a name only
    from recollect.knowledge.fact import Fact, FactChange, FactStatus, Remembered
    from recollect.memory import Memory

app = App()
group = App(help="List what is known, and correct it.", invoke_without_command=True)
app.add_typer(group, name="facts", rich_help_panel="Keep")

Which = Annotated[str, argument(metavar="ID", help="f12, or the id of a fact.")]
Words = Annotated[list[str], argument(metavar="WORDS", help="One short statement.")]
OfStatus = Annotated[
    Literal["current", "replaced", "forgotten", "archived", "review"],
    typer.Option("--status", help="Those that are current, or were: replaced, forgotten, …"),
]
OfKind = Annotated[
    str | None, typer.Option("--kind", help="rule, decision, preference, …; see the docs.")
]
Limit = Annotated[int, typer.Option("--limit", "-n", help="How many at most.")]


@app.command(rich_help_panel="Keep", epilog='recollect remember "I prefer tabs" --about me')
def remember(
    context: typer.Context,
    words: Words,
    *,
    about: Annotated[
        Literal["me", "project"] | None,
        typer.Option(
            "--about", help="You, or the project of this folder; derived from the words by default."
        ),
    ] = None,
    kind: OfKind = None,
    importance: Annotated[
        int | None, typer.Option("--importance", help="1 to 10; derived from the words by default.")
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", help="The person, such as telegram:42; you by default.")
    ] = None,
    project: Annotated[
        str | None, typer.Option("--project", help="A path of the project that it is about.")
    ] = None,
) -> None:
    """Remember a fact: one short statement about you, somebody, or a project."""
    text = " ".join(words).strip()
    if about == "project" and project is None:
        project = str(Path.cwd())
    with opened(context) as memory:
        outcome = memory.facts.remember(
            user,
            text,
            kind,
            importance,
            about=about,
            project=None if project is None else path_to_keep(memory, project),
        )
    answer(context, outcome, lambda: _show_remembered(outcome))


@group.callback()
def facts(context: typer.Context) -> None:
    """List what is known, and correct it."""
    if context.invoked_subcommand is None:
        list_facts(context)


@group.command("list")
def list_facts(
    context: typer.Context,
    *,
    user: User = None,
    project: Project = None,
    kind: OfKind = None,
    status: OfStatus = "current",
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            help="Only what was true at this time: 2026-05-12, last month.",
            metavar="TIME",
        ),
    ] = None,
    limit: Limit = 100,
    for_session: ForSession = None,
    for_sender: ForSender = None,
) -> None:
    """List facts, the newest first."""
    with opened(context) as memory:
        facts = memory.facts.list(
            user,
            None if project is None else project_path(memory, project),
            kind,
            status=status,
            as_of=_moment(memory, as_of),
            limit=limit,
            for_session=None if for_session is None else memory.sessions.find(for_session).id,
            for_sender=for_sender,
        )
    _answer(context, facts)


@group.command()
def review(
    context: typer.Context,
    ids: Annotated[
        list[str] | None, argument(metavar="ID", help="f12 …; all that are waiting by default.")
    ] = None,
    *,
    accept: Annotated[bool, typer.Option("--accept", help="Confirm them.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Forget them.")] = False,
) -> None:
    """List what an agent concluded about you, and confirm or reject it."""
    if accept and reject:
        raise InvalidInput("--accept and --reject exclude each other", hint="give one of them")
    if (accept or reject) and not ids:
        raise InvalidInput("the facts must be named", hint="give their numbers: f12 f13")
    with opened(context) as memory:
        waiting = memory.facts.list(status="review", limit=1_000)
        if ids:
            chosen_ids = {memory.facts.get(each).id for each in ids}
            waiting = [each for each in waiting if each.id in chosen_ids]
        decide = memory.facts.restore if accept else memory.facts.forget
        if accept or reject:
            waiting = [decide(each.id) for each in waiting]
    _answer(context, waiting)


@group.command()
def history(context: typer.Context, id_: Which) -> None:
    """Show what a fact was before."""
    from recollect.answers.fact import FactHistory, followers

    with opened(context) as memory:
        fact, changes = memory.facts.get(id_), memory.facts.history(id_)
        numbers = followers(memory.facts, changes)
    history = FactHistory(fact=fact, history=changes)
    answer(context, history, lambda: _show_history(changes, numbers))


@group.command()
def correct(context: typer.Context, id_: Which, words: Words) -> None:
    """Change the words of a fact; restore brings the old ones back."""
    with opened(context) as memory:
        fact = memory.facts.correct(id_, " ".join(words))
    answer(context, fact, lambda: _show_facts([fact]))


@group.command()
def forget(context: typer.Context, id_: Which) -> None:
    """Remove a fact from search, lists and prompts; restore brings it back."""
    with opened(context) as memory:
        fact = memory.facts.forget(id_)
    answer(context, fact, lambda: _show_facts([fact]))


@group.command()
def restore(context: typer.Context, id_: Which) -> None:
    """Bring a fact back, or undo its last correction."""
    with opened(context) as memory:
        fact = memory.facts.restore(id_)
    answer(context, fact, lambda: _show_facts([fact]))


@group.command()
def replace(
    context: typer.Context,
    id_: Which,
    by: Annotated[
        str, argument(metavar="BY", help="f13, or the id of the fact that is true instead.")
    ],
) -> None:
    """Replace a fact with another; restore undoes it."""
    with opened(context) as memory:
        fact = memory.facts.replace(id_, by)
    answer(context, fact, lambda: _show_facts([fact]))


@group.command()
def pin(
    context: typer.Context,
    id_: Which,
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Allow it to be archived again.")] = False,
) -> None:
    """Keep a fact from being archived."""
    with opened(context) as memory:
        fact = memory.facts.pin(id_, pinned=not undo)
    answer(context, fact, lambda: _show_facts([fact]))


@group.command()
def fade(
    context: typer.Context,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list them.")] = False,
) -> None:
    """Archive facts that were not used for a long time; restore brings them back."""
    with opened(context) as memory:
        faded = memory.facts.fade(dry_run=dry_run)
    _answer(context, faded)


def _moment(memory: Memory, text: str | None) -> int | None:
    """Return the last moment of a time that somebody names, ms UTC."""
    from recollect.cli.sessions.list import span_of

    until = span_of(memory, None, text).get("until")
    return None if until is None else until - 1


def _answer(context: typer.Context, facts: Sequence[Fact]) -> None:
    from recollect.answers.fact import FactList

    answer(context, FactList(facts=facts), lambda: _show_facts(facts))


def _show_facts(facts: Sequence[Fact]) -> None:
    for fact in facts:
        show(*_head(fact), (f"  {one_line(fact.text)}", ""))
    if not facts:
        say(("no facts", "dim"))


def _head(fact: Fact) -> tuple[tuple[str, str], ...]:
    until = "" if fact.valid_to is None else f" until {day(fact.valid_to)}"
    state: FactStatus = fact.status
    return (
        (show_number("fact", fact.number), "bold cyan"),
        (f"  {day(fact.valid_from)}{until}  {fact.kind}", "dim"),
        ("  pinned" if fact.is_pinned else "", "yellow"),
        ("" if state == "current" else f"  {state}", "yellow"),
    )


def _show_remembered(outcome: Remembered) -> None:
    verb = {"new": "remembered", "known": "known already", "replaced": "remembered"}[outcome.status]
    user = outcome.fact.user
    whose = "yours, heard in your sessions" if user is None else f"of {user}, heard in theirs"
    project = f", of the project {outcome.fact.project}" if outcome.fact.project is not None else ""
    number = show_number("fact", outcome.fact.number)
    show((verb, "bold green"), (f" {number}: {outcome.fact.kind}{project}, {whose}", ""))
    for older in outcome.replaced:
        show(("  no longer: ", "dim"), (one_line(older.text), ""))
    next_steps([(f"recollect facts forget {number}", "take it back")])


def _show_history(changes: Sequence[FactChange], numbers: Mapping[str, str]) -> None:
    before = None
    for each in changes:
        who = "" if each.actor is None else f" by {one_line(each.actor)}"
        newer = numbers.get(each.replaced_by or "")
        made_way = "" if newer == before or newer is None else f", for {newer}"
        before = newer
        show(
            (f"{moment(each.at)}  {each.action}{made_way}{who}", "dim"),
            (f"  {one_line(each.text)}", ""),
        )
