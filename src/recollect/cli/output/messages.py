"""Messages on the screen, one below the other, as they were said."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.text import Text

from recollect.cli.output.formatting import moment
from recollect.cli.output.screen import console, line, sanitized
from recollect.core.numbers import show_number

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.record.message import Message

COLOURS = {"user": "bold green", "assistant": "bold cyan", "tool": "magenta", "system": "yellow"}
INDENT = 6


def show_messages(messages: Iterable[Message], *, chosen_seq: int | None = None) -> None:
    """Print messages in order.

    Args:
        messages: Of one session.
        chosen_seq: The seq of the one that was asked for; it is marked, the others are dimmed.
    """
    screen = console()
    for message in messages:
        is_context = chosen_seq is not None and message.seq != chosen_seq
        mark = "▌" if message.seq == chosen_seq else " "
        head = line(
            (f"{mark}{message.seq:>{INDENT - 2}} ", "bold yellow" if mark != " " else "dim"),
            (message.name or message.role, COLOURS.get(message.role, "bold")),
            (f"  {moment(message.created_at)}", "dim"),
            (f"  {show_number('message', message.number)}" if message.number else "", "cyan"),
        )
        screen.print(head, soft_wrap=True)
        body = Text(sanitized(message.text).rstrip(), "dim" if is_context else "")
        for row in body.wrap(screen, max(20, screen.width - INDENT)):
            row.rstrip()
            screen.print(Text(" " * INDENT) + row, soft_wrap=True)
        screen.print()
