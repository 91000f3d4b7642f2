"""What people see: lines and tables on stdout, remarks on stderr.

Colour only on a terminal and not under NO_COLOR (rich looks at both). Markup is never read from a
text: styles are given as spans. Text of others is data: what was said, read or named by a file goes
through `sanitized`, so that it can neither move the cursor nor hide itself. rich is imported with
the first span: JSON needs none.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:  # for a name only
    from rich.console import Console
    from rich.text import Text

Span = tuple[str, str]
"""A text and its style."""
_WIDTH = 80
"""Columns of a screen that does not know its own."""
_SEQUENCE = re.compile(
    # A command to a terminal with its parameters, in the 7-bit and the 8-bit spelling.
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    # A window title, a link, something for the clipboard: only up to its own end.
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
_LINE_END = re.compile(r"\r\n|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"
    r"\u202a-\u202e\u2066-\u2069"  # turn the direction of what follows
    r"\ufff9-\ufffb\U000e0000-\U000e007f]"  # hidden annotations and tags
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SPACE = re.compile(r"\s+")


def sanitized(text: str) -> str:
    """Return ``text`` without control characters; newlines stay, a tab becomes four spaces."""
    text = _LINE_END.sub("\n", _SEQUENCE.sub("", text)).replace("\t", "    ")
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", text))


def one_line(text: str) -> str:
    """Return ``text`` as `sanitized` does, on one line."""
    return _SPACE.sub(" ", sanitized(text)).strip()


def shortened(text: str, most: int) -> str:
    """Return ``text`` on one line and at most ``most`` characters; … tells of a cut."""
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def console(*, stderr: bool = False) -> Console:
    """Return the screen, or that of remarks; it takes every text literally."""
    from rich.console import Console

    class Screen(Console):
        """Lets `main` end the command of a closed pipe, instead of ending the process here."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    screen = Screen(stderr=stderr, markup=False, highlight=False, emoji=False)
    if screen.width < 1:  # COLUMNS=0, as some terminals and programs have it: then nothing is shown
        screen.width = _WIDTH
    return screen


def line(*spans: Span) -> Text:
    """Return one safe text of several spans."""
    from rich.text import Text

    return Text.assemble(*((sanitized(text), style) for text, style in spans))


def say(*spans: Span) -> None:
    """Print a remark on stderr, on one line however long."""
    with remarking():
        console(stderr=True).print(line(*spans), soft_wrap=True)


@contextmanager
def remarking() -> Iterator[None]:
    """Write to stderr; where its reader has gone, what a command does goes on without."""
    try:
        yield
    except BrokenPipeError:
        leave(sys.stderr)


def leave(stream: TextIO) -> None:
    """Let what is left in the buffer go nowhere; the end of the process would try it once more."""
    with suppress(OSError):  # a stream of a program that called `main` may be no file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def warn(message: str) -> None:
    """Print a warning on stderr."""
    say(("warning", "bold yellow"), (": ", "bold"), (one_line(message), ""))


def show(*spans: Span) -> None:
    """Print a line on stdout, however long."""
    text = line(*spans)
    text.rstrip()
    console().print(text, soft_wrap=True)


def show_table(titles: Sequence[str], rows: Sequence[Sequence[Span]], *, flexible: int) -> None:
    """Print rows below dim titles.

    Args:
        titles: One for each column.
        rows: Cells, as wide as they are; on a terminal the flexible one is cut to fit.
        flexible: Which column, from 0.
    """
    from rich.cells import cell_len
    from rich.text import Text

    screen = console()
    widths = [
        max(cell_len(title), *(cell_len(row[column][0]) for row in rows))
        for column, title in enumerate(titles)
    ]
    if screen.is_terminal:
        over = sum(widths) + 2 * (len(widths) - 1) - screen.width
        widths[flexible] = max(12, widths[flexible] - max(0, over))
    head = tuple((title, "dim") for title in titles)
    for row in (head, *rows):
        text = Text()
        for width, cell in zip(widths, row, strict=True):
            part = line(cell)
            part.truncate(width, overflow="ellipsis", pad=True)
            text.append_text(part).append("  ")
        text.rstrip()
        screen.print(text, soft_wrap=True)


def show_pairs(pairs: Iterable[Span], *, indent: int = 0) -> None:
    """Print names and values in two columns."""
    rows = [(one_line(name), value) for name, value in pairs]
    width = max((len(name) for name, _ in rows), default=0) + 2
    for name, value in rows:
        show((" " * indent + name.ljust(width), "cyan"), (value, ""))


def next_steps(steps: Sequence[tuple[str, str]]) -> None:
    """Print commands to go on with, and what each is for, on stderr."""
    width = max(len(command) for command, _ in steps) + 2
    say(("\nNext", "bold"))
    for command, purpose in steps:
        say(("  " + command.ljust(width), "cyan"), (purpose, "dim"))
