"""`recollect episodes`: what stays of sessions, in a few lines each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.addresses import path_or_name
from recollect.cli.help import App
from recollect.cli.invocation import Project, User, answer, argument, opened
from recollect.cli.output.formatting import count, moment
from recollect.cli.output.lines import show_data
from recollect.cli.output.screen import one_line, say, show
from recollect.cli.sessions.lines import ForSender, ForSession, Name, OfSession
from recollect.core.numbers import show_number

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.context.episode import Episode

app = App()
group = App(help="List and search the summaries of past sessions.", invoke_without_command=True)
app.add_typer(group, name="episodes", rich_help_panel="Find")

Limit = Annotated[int, typer.Option("--limit", "-n", help="How many at most.")]


@group.callback()
def episodes(context: typer.Context) -> None:
    """List and search the summaries of past sessions."""
    if context.invoked_subcommand is None:
        list_episodes(context)


@group.command("list")
def list_episodes(
    context: typer.Context,
    *,
    user: User = None,
    session: OfSession = None,
    project: Project = None,
    limit: Limit = 20,
    for_session: ForSession = None,
    for_sender: ForSender = None,
) -> None:
    """List the episodes of sessions that ended or are idle, newest first."""
    with opened(context) as memory:
        episodes = memory.episodes.list(
            user,
            session_id=None if session is None else memory.sessions.find(session).id,
            project=None if project is None else path_or_name(project),
            limit=limit,
            for_session=None if for_session is None else memory.sessions.find(for_session).id,
            for_sender=for_sender,
        )
    _answer(context, episodes)


@group.command()
def search(
    context: typer.Context,
    query: Annotated[list[str], argument(metavar="QUERY", help="A question, or words.")],
    *,
    user: User = None,
    limit: Limit = 5,
    for_session: ForSession = None,
    for_sender: ForSender = None,
) -> None:
    """Search episodes by topic, the best match first."""
    with opened(context) as memory:
        hits = memory.episodes.search(
            user,
            " ".join(query),
            limit,
            for_session=None if for_session is None else memory.sessions.find(for_session).id,
            for_sender=for_sender,
        )
    _answer(context, [each.episode for each in hits])


@group.command("show")
def show_episode(
    context: typer.Context,
    id_: Annotated[str, argument(metavar="ID", help="e3, or the id of an episode.")],
    *,
    for_session: ForSession = None,
    for_sender: ForSender = None,
) -> None:
    """Show an episode in full."""
    with opened(context) as memory:
        audience = None if for_session is None else memory.sessions.find(for_session).id
        episode = memory.episodes.get(id_, for_session=audience, for_sender=for_sender)
    answer(context, episode, lambda: _show_whole(episode))


@group.command()
def create(context: typer.Context, name: Name) -> None:
    """Summarise a session as it is now, without ending it."""
    with opened(context) as memory:
        episode = memory.episodes.create(memory.sessions.find(name).id)
    _answer(context, episode)


def _answer(context: typer.Context, episodes: Sequence[Episode]) -> None:
    from recollect.answers.episode import EpisodeList

    answer(context, EpisodeList(episodes=episodes), lambda: _show(episodes))


def _show(episodes: Sequence[Episode]) -> None:
    for episode in episodes:
        topics = ", ".join(map(one_line, episode.topics))
        _head(episode, f"  {topics}" if topics else "")
    if not episodes:
        say(("no episodes", "dim"))


def _head(episode: Episode, words: str) -> None:
    show(
        (show_number("episode", episode.number), "bold cyan"),
        (f"  {moment(episode.ended_at)}  {count(episode.message_count, 'message')}", "dim"),
        (words, ""),
    )


def _show_whole(episode: Episode) -> None:
    _head(episode, f"  {episode.duration_minutes:.0f} min  {one_line(episode.tone)}".rstrip())
    show_data("summary of what was said and done", episode.text)
    show_data("decided", "\n".join(episode.decisions))
    show_data("outcome", episode.outcome)
    show_data("open", "\n".join(episode.open_ends))
