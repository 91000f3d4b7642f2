"""`recollect transcript`: what was said in a session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.help import App
from recollect.cli.invocation import answers_json, opened, print_document
from recollect.cli.sessions.lines import Name, show_session_line

if TYPE_CHECKING:  # for a name only
    from recollect.memory import Memory
    from recollect.sessions.record.message import Message
    from recollect.sessions.record.session import Session

PAGE = 500
"""Messages read at once, so that a long transcript needs little memory."""

app = App()


@app.command(rich_help_panel="Find")
def transcript(
    context: typer.Context,
    session: Name,
    *,
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", help="How many: the last ones; with --after, the first."),
    ] = None,
    after: Annotated[int | None, typer.Option(help="Only after this seq.")] = None,
) -> None:
    """Show what was said in a session, oldest first; of a fork also what it shares."""
    with opened(context) as memory:
        target = memory.sessions.find(session)
        if answers_json(context):
            from recollect.answers.session import SessionTranscript

            messages = memory.sessions.messages(target.id, limit, after_seq=after)
            print_document(SessionTranscript(session=target, messages=messages))
            return
        from recollect.cli.output.messages import show_messages

        show_session_line(memory.sessions, target)
        for page in _pages(memory, target, limit, after):
            show_messages(page)


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
