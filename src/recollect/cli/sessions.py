"""`recollect sessions` and `recollect transcript`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.addresses import find_session, short
from recollect.cli.document import print_document
from recollect.cli.help import App
from recollect.cli.invocation import answers_json, opened
from recollect.cli.options import FILTERS, AsJson, Project
from recollect.cli.plain import one_line, shortened
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from recollect.cli.screen import Span
    from recollect.memory import Memory
    from recollect.sessions.message import Message
    from recollect.sessions.session import Session
    from recollect.sessions.sessions import Sessions

FIRST = 5
"""Messages at the beginning among which something of the user's is looked for as a title."""
TITLE = 60
"""Characters of such a title."""
PAGE = 500
"""Messages read at once, so that a long transcript needs little memory."""

app = App()
group = App(help="List sessions, the last used first, or show one.", invoke_without_command=True)
app.add_typer(group, name="sessions", rich_help_panel="Find")

Name = Annotated[
    str,
    typer.Argument(help="Its id, the end of it, or its title.", show_default=False, metavar="ID"),
]


@group.callback()
def list_sessions(
    context: typer.Context,
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Sessions at most.")] = 20,
    project: Project = None,
    agent: Annotated[
        str | None, typer.Option(help="Only of this agent.", rich_help_panel=FILTERS)
    ] = None,
    channel: Annotated[
        str | None, typer.Option(help="Only from this channel.", rich_help_panel=FILTERS)
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="Only of this session key.", rich_help_panel=FILTERS)
    ] = None,
    status: Annotated[
        str | None, typer.Option(help="active, archived or deleted.", rich_help_panel=FILTERS)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List sessions, the last used first, or show one."""
    if context.invoked_subcommand is not None:
        return
    if limit < 1:
        raise InvalidInput("--limit is below 1", hint="use a number from 1")
    with opened(context) as memory:
        found = memory.sessions.list(
            project=project, agent=agent, channel=channel, key=key, status=status, limit=limit + 1
        )
        if answers_json(context, as_json):
            print_document({"sessions": found[:limit], "more": len(found) > limit})
        else:
            _show_list(memory.sessions, found, limit)


@group.command("show")
def show_session(context: typer.Context, session: Name, *, as_json: AsJson = False) -> None:
    """Show what is known of a session."""
    with opened(context) as memory:
        found = find_session(memory.sessions, session)
        if answers_json(context, as_json):
            print_document(found)
        else:
            _show_one(found)


@app.command(rich_help_panel="Find")
def transcript(
    context: typer.Context,
    session: Name,
    *,
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", help="The last so many; with --after, the first."),
    ] = None,
    after: Annotated[int | None, typer.Option(help="Only behind this seq.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what was said in a session, oldest first."""
    with opened(context) as memory:
        found = find_session(memory.sessions, session)
        if answers_json(context, as_json):
            messages = memory.sessions.messages(found.id, limit, after_seq=after)
            print_document({"session": found, "messages": messages})
            return
        from recollect.cli.messages import show_messages

        show_session_line(memory.sessions, found)
        for page in _pages(memory, found, limit, after):
            show_messages(page)


def title_of(sessions: Sessions, session: Session) -> str:
    """Return what a session is called, or its key, or how it begins."""
    named = session.title or session.key
    if named is not None:
        return named
    first = sessions.messages(session.id, FIRST, after_seq=0)
    said = next((message.text for message in first if message.role == "user"), "")
    return shortened(said, TITLE) or session.project or "untitled"


def show_session_line(sessions: Sessions, session: Session) -> None:
    """Print which session follows, on stderr: stdout is for what was said in it."""
    from recollect.cli.figures import count
    from recollect.cli.screen import say

    told = f"  {short(session.id)}, {count(session.message_count, 'message')}\n"
    say((title_of(sessions, session), "bold"), (told, "dim"))


def _pages(
    memory: Memory, session: Session, limit: int | None, after: int | None
) -> Iterator[list[Message]]:
    if limit is not None:
        yield memory.sessions.messages(session.id, limit, after_seq=after)
        return
    seq = after or 0
    while page := memory.sessions.messages(session.id, PAGE, after_seq=seq):
        yield page
        seq = page[-1].seq


def _show_list(sessions: Sessions, found: list[Session], limit: int) -> None:
    from recollect.cli.screen import say, show_table

    rows = [_row(sessions, session) for session in found[:limit]]
    if rows:
        show_table(("id", "last message", "messages", "title", "where"), rows, flexible=3)
    else:
        say(("no sessions", "dim"))
    if len(found) > limit:
        say((f"\nthe last {limit}; more with --limit", "dim"))


def _row(sessions: Sessions, session: Session) -> tuple[Span, ...]:
    from recollect.cli.figures import moment

    where = session.project or session.channel or session.source or ""
    return (
        (short(session.id), "cyan"),
        (moment(session.updated_at), ""),
        (f"{session.message_count:>8,}", ""),
        (one_line(title_of(sessions, session)), "bold"),
        (one_line(where), "dim"),
    )


def _show_one(session: Session) -> None:
    from recollect.cli.figures import moment
    from recollect.cli.screen import show_pairs

    told = {
        "id": session.id,
        "title": session.title,
        "status": session.status,
        "key": session.key,
        "agent": session.agent,
        "user": session.user,
        "project": session.project,
        "channel": session.channel,
        "messages": f"{session.message_count:,}",
        "began": moment(session.created_at),
        "last message": moment(session.updated_at),
        "imported from": session.source,
        "its id there": session.foreign_id,
        "fork of": session.parent_id,
    }
    show_pairs((name, value) for name, value in told.items() if value)
