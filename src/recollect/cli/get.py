"""`recollect get`: a memory file or a message, as a search named it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.addresses import LineRange, find_message, lines_of
from recollect.cli.failures import FAILED
from recollect.cli.help import App
from recollect.cli.invocation import AsJson, answers_json, opened
from recollect.cli.output.document import print_document
from recollect.cli.sessions.lines import ForSession
from recollect.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:  # for a name only
    from recollect.memory import Memory
    from recollect.workspace.reading import ReadResult

app = App()


@app.command(rich_help_panel="Find")
def get(
    context: typer.Context,
    address: Annotated[
        str,
        typer.Argument(
            metavar="ADDRESS",
            help="PATH, PATH:12-18, SESSION:SEQ or a message's id.",
            show_default=False,
        ),
    ],
    *,
    from_line: Annotated[
        int | None, typer.Option("--from", help="First line of a file, from 1.")
    ] = None,
    lines: Annotated[
        int | None, typer.Option("--lines", help="How many lines of a file; 120 if not given.")
    ] = None,
    around: Annotated[
        int, typer.Option("--context", "-C", help="Messages before and after a message.")
    ] = 2,
    for_session: ForSession = None,
    as_json: AsJson = False,
) -> None:
    """Show lines of a memory file, or a message among its neighbours."""
    as_json = answers_json(context, as_json)
    if around < 0:
        raise InvalidInput("--context is below 0", hint="use 0 for the message alone")
    with opened(context) as memory:
        meant = lines_of(address)
        asking = None if for_session is None else memory.sessions.find(for_session).id
        if meant is None:
            _give_message(memory, address, around, asking=asking, as_json=as_json)
        else:
            _give_lines(memory, meant, from_line, lines, asking=asking, as_json=as_json)


def _give_lines(
    memory: Memory,
    meant: LineRange,
    from_line: int | None,
    lines: int | None,
    *,
    asking: str | None,
    as_json: bool,
) -> None:
    first = meant.first if from_line is None else from_line
    if lines is None and meant.last is not None and from_line is None:
        if meant.last < first:
            raise InvalidInput("the last line is before the first", hint="write PATH:12-18")
        lines = meant.last - first + 1
    found = memory.read(meant.path, first, lines, for_session=asking)
    if as_json:
        print_document(found)
    elif found.status == "ok":
        _show_lines(found)
    if found.status != "ok":
        if not as_json:
            from recollect.cli.output.screen import say

            say((f"there is no memory file {found.path}", ""))
        raise typer.Exit(FAILED)


def _show_lines(found: ReadResult) -> None:
    from recollect.cli.output.screen import say, show

    width = len(str(found.from_line + found.lines))
    for number, text in enumerate(found.text.split("\n")[: found.lines], start=found.from_line):
        show((f"{number:>{width}}  ", "dim"), (text, ""))
    if found.lines < found.total_lines:
        further = "" if found.next_from is None else f", more with --from {found.next_from}"
        say((f"\n{found.path}, {found.lines} of {found.total_lines} lines{further}", "dim"))


def _give_message(
    memory: Memory, address: str, around: int, *, asking: str | None, as_json: bool
) -> None:
    message = find_message(memory.sessions, address)
    if asking is not None and not _is_heard(memory, message.session_id, asking):
        # As if it were not there: that something was said is already telling.
        raise NotFound(
            "there is no such message", hint="run `recollect search`: its hits name messages"
        )
    before = memory.sessions.messages(message.session_id, limit=around, before_seq=message.seq)
    after = memory.sessions.messages(message.session_id, limit=around, after_seq=message.seq)
    if as_json:
        print_document({"message": message, "before": before, "after": after})
        return
    from recollect.cli.output.messages import show_messages
    from recollect.cli.sessions.lines import show_session_line

    show_session_line(memory.sessions, memory.sessions.get(message.session_id))
    show_messages([*before, message, *after], chosen=message.seq)


def _is_heard(memory: Memory, session_id: str, asking: str) -> bool:
    return memory.sessions.visibility_group(session_id) == memory.sessions.visibility_group(asking)
