"""`recollect get`: a memory file or a message, as a search named it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.answers.error import FAILED
from recollect.cli.addresses import LineRange, find_message, lines_of
from recollect.cli.help import App
from recollect.cli.invocation import (
    Recalled,
    answer,
    answers_json,
    argument,
    print_document,
    recalling,
)
from recollect.cli.output.formatting import count, link_spans
from recollect.cli.output.lines import show_details
from recollect.cli.output.screen import next_steps, say, show
from recollect.cli.sessions.lines import ForSender, ForSession, show_session_line
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.numbers import parse_record
from recollect.text.tokens import estimate_tokens

if TYPE_CHECKING:  # for a name only
    from recollect.audience.visibility import VisibilityGroup
    from recollect.recall.steps.detail import DetailBatch
    from recollect.workspace.reading import ReadResult

app = App()

MESSAGE_KIND = "message"


_EXAMPLE = "recollect get '#12' m88"


@app.command(rich_help_panel="Find", epilog=_EXAMPLE)
def get(
    context: typer.Context,
    addresses: Annotated[
        list[str],
        argument(
            metavar="ADDRESS",
            help="PATH, PATH:12-18 or SESSION:SEQ; or ids and numbers, several too: '#12' m88 e3.",
        ),
    ],
    *,
    from_line: Annotated[
        int | None, typer.Option("--from", help="First line of a file, from 1.")
    ] = None,
    lines: Annotated[
        int | None, typer.Option("--lines", help="How many lines of a file; 120 if not given.")
    ] = None,
    tokens: Annotated[int, typer.Option("--tokens", help="Tokens of a record at most.")] = 1_000,
    full: Annotated[bool, typer.Option("--full", help="Show records in full.")] = False,
    around: Annotated[
        int, typer.Option("--context", "-C", help="Messages before and after a message.")
    ] = 2,
    for_session: ForSession = None,
    for_sender: ForSender = None,
) -> None:
    """Show lines of a memory file, a message among its neighbours, or records in full."""
    if around < 0:
        raise InvalidInput("--context must be 0 or more", hint="use 0 for the message alone")
    references = [parse_record(address) for address in addresses]
    if len(addresses) > 1 and None in references:
        raise InvalidInput(
            "several arguments must all be ids or numbers", hint="run `recollect get` for each"
        )
    with recalling(context) as memory:
        asking = None if for_session is None else memory.sessions.find(for_session).id
        if references[0] is not None and (len(addresses) > 1 or references[0].kind != MESSAGE_KIND):
            most = None if full else tokens
            batch = memory.get(addresses, most, for_session=asking, for_sender=for_sender)
            if len(addresses) > 1 or [each.kind for each in batch.found] != [MESSAGE_KIND]:
                _give_batch(context, batch)
                return
        address = addresses[0]
        range = lines_of(address)
        if range is None:
            group_of = memory.sessions.visibility_group
            asking_group = None if asking is None else group_of(asking, for_sender)
            _give_message(context, memory, address, around, audience=asking_group)
            return
        first, most_lines = _extent(range, from_line, lines)
        result = memory.read(
            range.path, first, most_lines, for_session=asking, for_sender=for_sender
        )
    answer(context, result, lambda: _show_lines(result))
    if result.status != "ok":
        raise typer.Exit(FAILED)


def _give_batch(context: typer.Context, batch: DetailBatch) -> None:
    """Print records; nothing at all is an error, as for a message."""
    if not batch.found:
        raise NotFound("the record does not exist", hint="take a number that a search shows")
    answer(context, batch, lambda: show_details(batch))
    if batch.missing:
        raise typer.Exit(FAILED)


def _extent(range: LineRange, first: int | None, lines: int | None) -> tuple[int, int | None]:
    """Return the first line and the number of lines; options override the address."""
    if first is not None:
        return first, lines
    if lines is None and range.last is not None:
        if range.last < range.first:
            raise InvalidInput("the last line is before the first", hint="write PATH:12-18")
        lines = range.last - range.first + 1
    return range.first, lines


def _show_lines(result: ReadResult) -> None:
    if result.status != "ok":
        say((f"there is no memory file {result.path}", ""))
        return
    width = len(str(result.from_line + result.lines))
    for number, text in enumerate(result.text.split("\n")[: result.lines], start=result.from_line):
        show((f"{number:>{width}}  ", "dim"), (text, ""))
    for link in result.links:
        say(*link_spans(link, from_file=True))
    if result.lines < result.total_lines:
        further = "" if result.next_from is None else f", more with --from {result.next_from}"
        say((f"\n{result.path}, {result.lines} of {result.total_lines} lines{further}", "dim"))


def _give_message(
    context: typer.Context,
    memory: Recalled,
    address: str,
    around: int,
    *,
    audience: VisibilityGroup | None,
) -> None:
    message = find_message(memory.sessions, address)
    group_of = memory.sessions.message_group
    if audience is not None and group_of(message) != audience:
        # As if it were not there: that something was said is already telling.
        raise NotFound("the message does not exist", hint="take the id of a message from a search")
    before = memory.sessions.messages(message.session_id, limit=around, before_seq=message.seq)
    after = memory.sessions.messages(message.session_id, limit=around, after_seq=message.seq)
    if audience is not None:
        before = [each for each in before if group_of(each) == audience]
        after = [each for each in after if group_of(each) == audience]
    tokens = sum(estimate_tokens(each.text) for each in (*before, message, *after))
    if answers_json(context):
        from recollect.answers.message import MessageAround

        document = MessageAround(message=message, before=before, after=after, tokens=tokens)
        print_document(document)
        return
    from recollect.cli.output.messages import show_messages

    show_session_line(memory.sessions, memory.sessions.get(message.session_id))
    show_messages([*before, message, *after], chosen_seq=message.seq)
    say((count(tokens, "token"), "dim"))
    next_steps(
        [
            (f"recollect timeline m{message.number}", "what was said and done around it"),
        ]
    )
