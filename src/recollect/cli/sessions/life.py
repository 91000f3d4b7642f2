"""Commands that begin, continue and end sessions; below `recollect sessions`.

What goes on with a session prints its id on stdout, so that the next command can take it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from recollect.cli.addresses import path_or_name, short
from recollect.cli.help import App
from recollect.cli.invocation import argument, opened
from recollect.cli.output.formatting import count
from recollect.cli.sessions.lines import Name, give_session
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.record.session import Session

app = App()

Busy = Annotated[
    Literal["refuse", "fork"],
    typer.Option("--busy", help="What to do while another program holds it."),
]
About = Annotated[
    str | None,
    typer.Option("--project", help="What it is about, usually a folder.", show_default=False),
]


@app.command("start")
def start_session(
    context: typer.Context,
    *,
    session_id: Annotated[
        str | None,
        typer.Option(
            "--session-id", help="The session with this id; created if it does not exist."
        ),
    ] = None,
    resume: Annotated[
        str | None, typer.Option("--resume", help="The session with this id or title.")
    ] = None,
    continue_latest: Annotated[
        bool, typer.Option("--continue", help="The session of the project that was used last.")
    ] = False,
    fork: Annotated[
        bool, typer.Option("--fork", help="Continue in a fork of the chosen session.")
    ] = False,
    key: Annotated[str | None, typer.Option(help="The session key of a new session.")] = None,
    project: About = None,
) -> None:
    """Choose the session that a program begins with. Prints its id.

    Without an option it is a new one. --session-id, --resume and --continue exclude each other.
    """
    if sum((session_id is not None, resume is not None, continue_latest)) > 1:
        raise InvalidInput(
            "--session-id, --resume and --continue exclude each other",
            hint="give one of them; --fork goes with any",
        )
    with opened(context) as memory:
        session = memory.sessions.start(
            session_id=session_id,
            resume=resume,
            continue_latest=continue_latest,
            fork=fork,
            key=key,
            project=None if project is None else path_or_name(project),
            owner=True,
        )
        remark = f"begins with {_messages(session)}" if session.last_seq else "new"
        give_session(context, session, remark)


@app.command("resume")
def resume_session(context: typer.Context, session: Name, *, busy: Busy = "refuse") -> None:
    """Resume a session: make it active again. Prints its id.

    Another program that holds it is not disturbed: the command is refused, or forks.
    """
    with opened(context) as memory:
        target = memory.sessions.find(session)
        with memory.sessions.hold(target.id, on_busy=busy) as lease:
            resumed = lease.session
        is_fork = resumed.id != target.id
        remark = f"a fork: {short(target.id)} is held" if is_fork else _messages(resumed)
        give_session(context, resumed, remark)


@app.command("fork")
def fork_session(
    context: typer.Context,
    session: Name,
    *,
    at: Annotated[
        int | None, typer.Option("--at", help="The seq of the last message that both share.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="The title of the fork.")] = None,
) -> None:
    """Start a session with the messages of another. Nothing is copied; prints the new id."""
    with opened(context) as memory:
        parent = memory.sessions.find(session)
        fork = memory.sessions.fork(parent.id, at, title=title)
        remark = f"fork of {short(parent.id)} at message {fork.forked_at_seq}"
        give_session(context, fork, remark)


@app.command("reset")
def reset_session(
    context: typer.Context,
    key: Annotated[str, argument(metavar="KEY", help="A session key.")],
    *,
    project: About = None,
    reason: Annotated[str, typer.Option(help="Recorded in the event.")] = "new",
) -> None:
    """Start a new session under a key, as /new does. Prints its id; the old one is archived."""
    with opened(context) as memory:
        about = None if project is None else path_or_name(project)
        new = memory.sessions.reset(key, about, reason=reason, owner=True)
        before = new.previous_id
        remark = "the first of its key" if before is None else f"follows {short(before)}"
        give_session(context, new, remark)


@app.command("end")
def end_session(context: typer.Context, session: Name) -> None:
    """End a session for now, and write a summary of it. It can be resumed."""
    with opened(context) as memory:
        ended = memory.sessions.end(memory.sessions.find(session).id)
        give_session(context, ended, f"ended with {_messages(ended)}")


@app.command("rename")
def rename_session(
    context: typer.Context,
    session: Name,
    title: Annotated[
        str,
        argument(metavar="TITLE", help="The new title; an empty one removes it."),
    ],
) -> None:
    """Change the title of a session."""
    with opened(context) as memory:
        target = memory.sessions.find(session)
        renamed = memory.sessions.rename(target.id, title.strip() or None)
        give_session(context, renamed, "renamed")


@app.command("archive")
def archive_session(context: typer.Context, session: Name) -> None:
    """Archive a session. It is still listed, but is no longer the current one of its key."""
    _set_status(context, session, "archived")


@app.command("restore")
def restore_session(context: typer.Context, session: Name) -> None:
    """Make an archived or deleted session active again."""
    _set_status(context, session, "active")


@app.command("delete")
def delete_session(context: typer.Context, session: Name) -> None:
    """Remove a session from all lists. Its messages stay, and `restore` brings it back."""
    _set_status(context, session, "deleted")


def _set_status(context: typer.Context, name: str, status: str) -> None:
    with opened(context) as memory:
        target = memory.sessions.find(name, deleted=status == "active")
        session = memory.sessions.set_status(target.id, status)
        give_session(context, session, status)


def _messages(session: Session) -> str:
    return count(session.last_seq, "message")
