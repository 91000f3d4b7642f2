"""`recollect sessions`: the list, and the group that the other commands of sessions stand below."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli import (
    session_life,
    session_modes,
    session_say,
    session_show,
    session_tree,
    session_window,
)
from recollect.cli.addresses import short
from recollect.cli.document import print_document
from recollect.cli.help import App
from recollect.cli.invocation import answers_json, opened
from recollect.cli.options import AsJson, Project
from recollect.cli.plain import one_line
from recollect.cli.session_filters import (
    Agent,
    Automatic,
    Channel,
    Deleted,
    Key,
    Since,
    Status,
    Title,
    Until,
    span_of,
)
from recollect.cli.session_lines import title_of
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from recollect.cli.screen import Span
    from recollect.sessions.session import Session
    from recollect.sessions.sessions import Sessions

app = App()
group = App(
    help="List sessions, the last used first, or do something with one.",
    invoke_without_command=True,
)
app.add_typer(group, name="sessions", rich_help_panel="Find")
for module in (
    session_show,
    session_tree,
    session_window,
    session_life,
    session_say,
    session_modes,
):
    group.add_typer(module.app)


@group.callback()
def list_sessions(
    context: typer.Context,
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Sessions at most.")] = 20,
    title: Title = None,
    project: Project = None,
    agent: Agent = None,
    channel: Channel = None,
    key: Key = None,
    since: Since = None,
    until: Until = None,
    status: Status = None,
    deleted: Deleted = False,
    automatic: Automatic = True,
    as_json: AsJson = False,
) -> None:
    """List sessions, the last used first, or do something with one."""
    if context.invoked_subcommand is not None:
        return
    if limit < 1:
        raise InvalidInput("--limit is below 1", hint="use a number from 1")
    if deleted and status is not None:
        raise InvalidInput("--all and --status exclude each other", hint="leave one of them out")
    with opened(context) as memory:
        wanted: dict[str, Any] = {
            "title": title,
            "project": project,
            "agent": agent,
            "channel": channel,
            "key": key,
            "status": status,
            "automatic": automatic,
        }
        wanted |= span_of(memory, since, until)
        found = _found(memory.sessions, wanted, limit + 1, deleted=deleted)
        if answers_json(context, as_json):
            print_document({"sessions": found[:limit], "more": len(found) > limit})
        else:
            _show_list(memory.sessions, found, limit)


def _found(
    sessions: Sessions, wanted: dict[str, Any], limit: int, *, deleted: bool
) -> list[Session]:
    found = sessions.list(**wanted, limit=limit)
    if not deleted:
        return found
    found += sessions.list(**(wanted | {"status": "deleted"}), limit=limit)
    return sorted(found, key=operator.attrgetter("updated_at", "id"), reverse=True)[:limit]


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

    place = session.project or session.channel or session.source or ""
    state = "" if session.status == "active" else f"({session.status})"
    return (
        (short(session.id), "cyan"),
        (moment(session.updated_at), ""),
        (f"{session.last_seq:>8,}", ""),
        (one_line(title_of(sessions, session)), "bold"),
        (f"{one_line(place)} {state}".strip(), "dim"),
    )
