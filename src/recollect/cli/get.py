"""`recollect get`: a memory file or a message, as a search named it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.addresses import LineRange, find_message, lines_of, short
from recollect.cli.failures import FAILED
from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, argument, opened
from recollect.cli.output.document import print_document
from recollect.cli.output.formatting import count, moment
from recollect.cli.output.observations import show_observations
from recollect.cli.output.sanitize import sanitized
from recollect.cli.output.screen import say, show
from recollect.cli.sessions.lines import ForSender, ForSession, show_session_line
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.numbers import parse_record, show_number

if TYPE_CHECKING:  # for a name only
    from recollect.governance.episode import Episode
    from recollect.memory import Memory
    from recollect.sessions.policy.visibility import VisibilityGroup
    from recollect.workspace.reading import ReadResult

app = App()


@app.command(rich_help_panel="Find")
def get(
    context: typer.Context,
    addresses: Annotated[
        list[str],
        argument(
            metavar="ADDRESS",
            help="PATH, PATH:12-18, SESSION:SEQ, an id, or a number: m88, e3, '#12' '#13'.",
        ),
    ],
    *,
    from_line: Annotated[
        int | None, typer.Option("--from", help="First line of a file, from 1.")
    ] = None,
    lines: Annotated[
        int | None, typer.Option("--lines", help="How many lines of a file; 120 if not given.")
    ] = None,
    tokens: Annotated[
        int, typer.Option("--tokens", help="Of an observation, at most so many. 0: all of it.")
    ] = 1_000,
    around: Annotated[
        int, typer.Option("--context", "-C", help="Messages before and after a message.")
    ] = 2,
    for_session: ForSession = None,
    for_sender: ForSender = None,
) -> None:
    """Show lines of a memory file, a message among its neighbours, or observations."""
    if around < 0:
        raise InvalidInput("--context is below 0", hint="use 0 for the message alone")
    is_observed = _kind_of(addresses[0]) == "observation"
    if len(addresses) > 1 and not is_observed:
        raise InvalidInput("one file or message at a time", hint="run `recollect get` for each")
    address = addresses[0]
    with opened(context) as memory:
        if is_observed:
            heard = None if for_session is None else memory.sessions.find(for_session).id
            batch = memory.observations.get(
                addresses, tokens or None, for_session=heard, for_sender=for_sender
            )
            answer(context, batch, lambda: show_observations(batch))
            if batch.missing:
                raise typer.Exit(FAILED)
            return
        meant, group_of = lines_of(address), memory.sessions.visibility_group
        asking = None if for_session is None else memory.sessions.find(for_session).id
        if meant is None and asking is None and _kind_of(address) == "episode":
            episode = memory.episode(address)
            answer(context, episode, lambda: _show_episode(episode))
            return
        if meant is None:
            asked = None if asking is None else group_of(asking, for_sender)
            _give_message(context, memory, address, around, heard=asked)
            return
        first, most = _extent(meant, from_line, lines)
        found = memory.read(meant.path, first, most, for_session=asking, for_sender=for_sender)
    answer(context, found, lambda: _show_lines(found))
    if found.status != "ok":
        raise typer.Exit(FAILED)


def _kind_of(address: str) -> str | None:
    named = parse_record(address)
    return None if named is None else named.kind


def _show_episode(episode: Episode) -> None:
    say(
        (show_number("episode", episode.number), "bold"),
        (f"  {moment(episode.began_at)} to {moment(episode.ended_at)}", "dim"),
        (f", {count(episode.message_count, 'message')} of {short(episode.session_id)}\n", "dim"),
    )
    show((sanitized(episode.summary), ""))


def _extent(meant: LineRange, first: int | None, lines: int | None) -> tuple[int, int | None]:
    """Return the first line and how many; options win over what the address says."""
    if first is not None:
        return first, lines
    if lines is None and meant.last is not None:
        if meant.last < meant.first:
            raise InvalidInput("the last line is before the first", hint="write PATH:12-18")
        lines = meant.last - meant.first + 1
    return meant.first, lines


def _show_lines(found: ReadResult) -> None:
    if found.status != "ok":
        say((f"there is no memory file {found.path}", ""))
        return
    width = len(str(found.from_line + found.lines))
    for number, text in enumerate(found.text.split("\n")[: found.lines], start=found.from_line):
        show((f"{number:>{width}}  ", "dim"), (text, ""))
    if found.lines < found.total_lines:
        further = "" if found.next_from is None else f", more with --from {found.next_from}"
        say((f"\n{found.path}, {found.lines} of {found.total_lines} lines{further}", "dim"))


def _give_message(
    context: typer.Context,
    memory: Memory,
    address: str,
    around: int,
    *,
    heard: VisibilityGroup | None,
) -> None:
    message = find_message(memory.sessions, address)
    group_of = memory.sessions.message_group
    if heard is not None and group_of(message) != heard:
        # As if it were not there: that something was said is already telling.
        raise NotFound(
            "there is no such message", hint="run `recollect search`: its hits name messages"
        )
    before = memory.sessions.messages(message.session_id, limit=around, before_seq=message.seq)
    after = memory.sessions.messages(message.session_id, limit=around, after_seq=message.seq)
    if heard is not None:
        before = [each for each in before if group_of(each) == heard]
        after = [each for each in after if group_of(each) == heard]
    if answers_json(context):
        print_document({"message": message, "before": before, "after": after})
        return
    from recollect.cli.output.messages import show_messages

    show_session_line(memory.sessions, memory.sessions.get(message.session_id))
    show_messages([*before, message, *after], chosen=message.seq)
