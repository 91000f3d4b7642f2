"""How sessions are named on the command line, and what a command says about the one it changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.invocation import answer, answers_json, argument, filter_option
from recollect.cli.output.screen import say, show
from recollect.core.errors import NotFound

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.record.session import Session
    from recollect.sessions.sessions import Sessions

OFFERED = 30
"""Sessions that a shell is offered for the beginning of an id or title."""


def complete_session(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the short ids that complete the input, with the titles of their sessions."""
    from recollect.cli.addresses import short
    from recollect.cli.invocation import Invocation, home_of, is_home, opened
    from recollect.core.errors import RecollectError
    from recollect.recall.steps.session_titles import title_of

    root = context.find_root()
    home = root.params.get("home")  # as it was typed: the root was not called
    root.obj = Invocation(home=None if home is None else Path(home))
    try:
        if not is_home(home_of(context)):
            return []
        with opened(context) as memory:
            sessions = memory.sessions.list(limit=None if incomplete else OFFERED)
            matches = [each for each in sessions if short(each.id).startswith(incomplete)]
            return [
                (short(session.id), title_of(memory.sessions, session))
                for session in matches[:OFFERED]
            ]
    except RecollectError:
        return []


Name = Annotated[
    str,
    argument(
        help="A session: its id, the end of it, its title or its key.",
        metavar="ID",
        autocompletion=complete_session,
    ),
]

OfSession = Annotated[
    str | None,
    filter_option(help="Only of this session.", autocompletion=complete_session),
]
ForSession = Annotated[
    str | None,
    filter_option(help="Only what this session may hear.", autocompletion=complete_session),
]
ForSender = Annotated[
    str | None,
    typer.Option(help="Whom that session answers, such as telegram:42.", metavar="ACCOUNT"),
]


def latest_id(sessions: Sessions) -> str:
    """Return the id of the session used last.

    Raises:
        NotFound: there is none.
    """
    session = sessions.latest()
    if session is None:
        raise NotFound(
            "the memory has no session", hint="begin one with `recollect sessions start`"
        )
    return session.id


def show_session_line(sessions: Sessions, session: Session) -> None:
    """Print which session follows, on stderr: stdout is for what was said in it."""
    from recollect.cli.addresses import short
    from recollect.cli.output.formatting import count
    from recollect.recall.steps.session_titles import title_of

    details = f"  {short(session.id)}, {count(session.last_seq, 'message')}\n"
    say((title_of(sessions, session), "bold"), (details, "dim"))


def give_session(context: typer.Context, session: Session, remark: str) -> None:
    """Print the id of a session on stdout, for the next command, and a remark on stderr."""
    answer(context, session, lambda: show((session.id, "")))
    if not answers_json(context):
        say((remark, "dim"))
