"""The filters of `recollect sessions`: its options, and what they mean to the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.options import FILTERS

if TYPE_CHECKING:  # for a name only
    from recollect.memory import Memory


def _complete_status(incomplete: str) -> list[str]:
    from recollect.sessions.session import STATUSES

    return [status for status in STATUSES if status.startswith(incomplete)]


Title = Annotated[
    str | None, typer.Option(help="Only with this text in the title.", rich_help_panel=FILTERS)
]
Agent = Annotated[str | None, typer.Option(help="Only of this agent.", rich_help_panel=FILTERS)]
Channel = Annotated[
    str | None, typer.Option(help="Only from this channel.", rich_help_panel=FILTERS)
]
Key = Annotated[str | None, typer.Option(help="Only of this session key.", rich_help_panel=FILTERS)]
Since = Annotated[
    str | None,
    typer.Option(help="Only used since: 2026-05-12, 2 days ago, 3h.", rich_help_panel=FILTERS),
]
Until = Annotated[
    str | None,
    typer.Option(help="Only used until; a day is meant with its end.", rich_help_panel=FILTERS),
]
Status = Annotated[
    str | None,
    typer.Option(
        help="active, archived or deleted; all but the deleted by default.",
        autocompletion=_complete_status,
        rich_help_panel=FILTERS,
    ),
]
Deleted = Annotated[bool, typer.Option("--all", help="Also the deleted.", rich_help_panel=FILTERS)]
Automatic = Annotated[
    bool, typer.Option(help="Also those of jobs, hooks and sub-agents.", rich_help_panel=FILTERS)
]


def span_of(memory: Memory, since: str | None, until: str | None) -> dict[str, int | None]:
    """Return the arguments of `Sessions.list` for two dates, in the time zone of the user.

    Raises:
        InvalidInput: one of them cannot be understood.
    """
    if since is None and until is None:
        return {}
    from recollect.cli.dates import read_date
    from recollect.core.clock import SystemClock
    from recollect.sessions.freshness import zone_of

    now, zone = SystemClock().now_ms(), zone_of(memory.settings.sessions.time_zone)
    return {
        "since": None if since is None else read_date(since, now, zone),
        "until": None if until is None else read_date(until, now, zone, through=True),
    }
