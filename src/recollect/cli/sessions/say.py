"""`recollect sessions say`: store a message from the command line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from recollect.cli.addresses import short
from recollect.cli.help import App
from recollect.cli.invocation import answer, argument, opened
from recollect.cli.output.screen import show
from recollect.cli.sessions.life import Busy
from recollect.cli.sessions.lines import Name
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.leased_session import LeasedSession
    from recollect.sessions.record.message import Message
    from recollect.sessions.sessions import Sessions

STDIN = "-"
"""The text that means standard input."""

app = App()


def _complete_role(incomplete: str) -> list[str]:
    from recollect.sessions.record.message import ROLES

    return [role for role in ROLES if role.startswith(incomplete)]


@app.command("say")
def say_message(
    context: typer.Context,
    session: Name,
    role: Annotated[
        str,
        argument(
            metavar="ROLE", help="user, assistant, system or tool.", autocompletion=_complete_role
        ),
    ],
    text: Annotated[
        str,
        argument(metavar="TEXT", help="The text; - reads it from stdin."),
    ],
    *,
    name: Annotated[str | None, typer.Option(help="The name of the speaker, if known.")] = None,
    event_id: Annotated[
        str | None, typer.Option(help="An id of your own; a second message with it is not stored.")
    ] = None,
    sender: Annotated[
        str | None, typer.Option(help="The account of the speaker, such as telegram:42.")
    ] = None,
    busy: Busy = "refuse",
) -> None:
    """Store a message at the end of a session. Prints its id and seq."""
    if not text:
        raise InvalidInput(
            "the text must not be empty", hint="give one, or - to take it from stdin"
        )
    with opened(context) as memory:
        target = memory.sessions.find(session)
        with memory.sessions.hold(target.id, on_busy=busy) as leased:
            if text == STDIN:
                head = _Head(role=role, name=name, event_id=event_id, sender=sender)
                message = _stream(memory.sessions, leased, head)
            else:
                message = leased.append(role, text, name=name, event_id=event_id, sender=sender)
        address = f"{short(message.session_id)}:{message.seq}"
        answer(context, message, lambda: show((address, "")))


class _Head(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a message before its text."""

    role: str
    name: str | None
    event_id: str | None
    sender: str | None


def _stream(sessions: Sessions, leased: LeasedSession, head: _Head) -> Message:
    """Store lines as they come in, so that an interrupted answer is kept as far as it came."""
    with sessions.stream(
        leased.session.id,
        head.role,
        name=head.name,
        event_id=head.event_id,
        sender=head.sender,
        lease=leased.lease,
    ) as growing:
        for line in sys.stdin:
            growing.add(line)
    if growing.message is None:
        raise InvalidInput(
            "nothing came in on stdin", hint="pipe a text into the command", path=STDIN
        )
    return growing.message
