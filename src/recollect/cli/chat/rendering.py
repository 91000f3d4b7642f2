"""An answer on a screen while it arrives: Markdown, drawn so that nothing flickers.

What is complete is printed once and scrolls away; only the last block, which still grows, is drawn
again.
"""

from __future__ import annotations

from rich.live import Live
from rich.markdown import Markdown
from rich.spinner import Spinner

from recollect.cli.output.screen import console, sanitized
from recollect.respond.reply import ReplyEvent
from recollect.text.markdown.fences import lines_outside

_A_SECOND = 12
"""Times that a growing block is drawn."""


def complete_length(text: str) -> int:
    r"""Return how much of a Markdown text is complete: up to the last blank line outside of code.

    >>> complete_length("# A\n\nSome"), complete_length("```\na\n\nb")
    (5, 0)
    """
    position = end = 0
    for line, is_outside in lines_outside(text):
        position += len(line) + 1
        if is_outside and not line.strip() and position <= len(text):
            end = position
    return end


class ShownAnswer:
    """Draws an answer as its events come; a context manager."""

    def __init__(self) -> None:
        self._screen = console()
        self._text = ""
        self._is_first = True
        self._waiting = Spinner("dots", style="dim")
        self._live = Live(
            self._waiting,
            console=self._screen,
            refresh_per_second=_A_SECOND,
            transient=True,
            vertical_overflow="ellipsis",
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> ShownAnswer:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Print what is left."""
        self._live.stop()
        self.show(self._text)
        self._text = ""

    def on_event(self, event: ReplyEvent) -> None:
        """Draw what came."""
        if event.kind != "piece":
            return
        self._text += event.text
        end = complete_length(self._text)
        if end:
            self.show(self._text[:end])
            self._text = self._text[end:]
        self._live.update(_drawn(self._text) if self._text.strip() else self._waiting)

    def show(self, text: str) -> None:
        """Print a text that came whole."""
        if not text.strip():
            return
        if not self._is_first:
            self._screen.print()
        self._is_first = False
        self._screen.print(_drawn(text))


def _drawn(text: str) -> Markdown:
    return Markdown(sanitized(text), hyperlinks=False)
