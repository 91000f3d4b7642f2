"""`recollect sessions`: the list, and the group that the other commands of sessions stand below."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli.addresses import project_path, short
from recollect.cli.help import App
from recollect.cli.invocation import Project, answer, filter_option, opened
from recollect.cli.output.formatting import moment
from recollect.cli.output.screen import one_line, say, show_table
from recollect.cli.sessions import life, modes, show, state, window
from recollect.cli.sessions import say as session_say
from recollect.core.errors import InvalidInput
from recollect.recall.steps.session_titles import title_of

if TYPE_CHECKING:  # for a name only
    from recollect.cli.output.screen import Span
    from recollect.memory import Memory
    from recollect.sessions.record.session import Session
    from recollect.sessions.sessions import Sessions


app = App()
group = App(
    help="List sessions, the last used first, or work with one.",
    invoke_without_command=True,
)
app.add_typer(group, name="sessions", rich_help_panel="Find")
for module in (show, window, life, session_say, modes, state):
    group.add_typer(module.app)


@group.callback()
@group.command("list")
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
) -> None:
    """List sessions, the last used first, or work with one."""
    if context.invoked_subcommand is not None:
        return
    if limit < 1:
        raise InvalidInput("--limit must be 1 or more", hint="use a number from 1")
    if deleted and status is not None:
        raise InvalidInput("--all and --status exclude each other", hint="leave one of them out")
    with opened(context) as memory:
        if channel is not None:
            from recollect.recall.audience import require_channel

            require_channel(memory.sessions, channel)
        filters: dict[str, Any] = {
            "title": title,
            "project": None if project is None else project_path(memory, project),
            "agent": agent,
            "channel": channel,
            "key": key,
            "status": status,
            "automatic": automatic,
        }
        filters |= span_of(memory, since, until)
        rows = _list(memory.sessions, filters, limit + 1, deleted=deleted)
        from recollect.answers.session import ListedSessions

        document = ListedSessions(sessions=rows[:limit], more=len(rows) > limit)
        answer(context, document, lambda: _show_list(memory.sessions, rows, limit))


def _list(
    sessions: Sessions, filters: dict[str, Any], limit: int, *, deleted: bool
) -> list[Session]:
    rows = sessions.list(**filters, limit=limit)
    if not deleted:
        return rows
    rows += sessions.list(**(filters | {"status": "deleted"}), limit=limit)
    return sorted(rows, key=operator.attrgetter("updated_at", "id"), reverse=True)[:limit]


def _show_list(sessions: Sessions, found_sessions: list[Session], limit: int) -> None:
    rows = [_row(sessions, session) for session in found_sessions[:limit]]
    if rows:
        show_table(("id", "last message", "messages", "title", "where"), rows, flexible=3)
    else:
        say(("no sessions", "dim"))
    if len(found_sessions) > limit:
        say((f"\nthe last {limit}; more with --limit", "dim"))


def _row(sessions: Sessions, session: Session) -> tuple[Span, ...]:
    origin = session.project or session.channel or session.source or ""
    state = "" if session.status == "active" else f"({session.status})"
    return (
        (short(session.id), "cyan"),
        (moment(session.updated_at), ""),
        (f"{session.last_seq:>8,}", ""),
        (one_line(title_of(sessions, session)), "bold"),
        (f"{one_line(origin)} {state}".strip(), "dim"),
    )


def _complete_status(incomplete: str) -> list[str]:
    from recollect.sessions.record.session import STATUSES

    return [status for status in STATUSES if status.startswith(incomplete)]


Title = Annotated[str | None, filter_option(help="Only with this text in the title.")]
Agent = Annotated[str | None, filter_option(help="Only of this agent.")]
Channel = Annotated[str | None, filter_option(help="Only from this channel.")]
Key = Annotated[str | None, filter_option(help="Only of this session key.")]
Since = Annotated[
    str | None,
    filter_option(help="Only used since: 2026-05-12, last week, 2 days ago, 3h."),
]
Until = Annotated[
    str | None,
    filter_option(help="Only used until; a day is meant with its end."),
]
Status = Annotated[
    str | None,
    filter_option(
        help="active, archived or deleted; all but the deleted by default.",
        autocompletion=_complete_status,
    ),
]
Deleted = Annotated[bool, filter_option("--all", help="Also the deleted.")]
Automatic = Annotated[bool, filter_option(help="Also those of jobs, hooks and sub-agents.")]


def span_of(memory: Memory, since: str | None, until: str | None) -> dict[str, int | None]:
    """Return the arguments of `Sessions.list` for two dates, in the time zone of the user.

    Raises:
        InvalidInput: one of them cannot be understood.
    """
    if since is None and until is None:
        return {}
    from recollect.core.clock import SystemClock, zone_of
    from recollect.text.times.moments import read_span

    now, zone = SystemClock().now_ms(), zone_of(memory.settings.sessions.time_zone)
    first, after = read_span(since, until, now, zone)
    return {"since": first, "until": after}
