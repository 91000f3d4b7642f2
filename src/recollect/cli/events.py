"""`recollect events`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli.addresses import short
from recollect.cli.help import App
from recollect.cli.invocation import answer, filter_option, opened
from recollect.cli.output.formatting import moment
from recollect.cli.output.screen import one_line, show
from recollect.cli.sessions.lines import OfSession
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from recollect.memory import Memory
    from recollect.store.audit import AuditEntry
    from recollect.store.journal import RecordedEvent

LATEST = 20
"""Events that are shown without --since."""

app = App()


@app.command(rich_help_panel="Find")
def events(
    context: typer.Context,
    *,
    since: Annotated[
        int | None,
        typer.Option(
            help="Only events after this sequence number; 0 for all. The latest by default."
        ),
    ] = None,
    follow: Annotated[
        bool,
        typer.Option("--follow", "-f", help="Keep running, and show each event as it is recorded."),
    ] = False,
    types: Annotated[
        list[str] | None, filter_option("--type", help="Only this type; may be repeated.")
    ] = None,
    session: OfSession = None,
    audit: Annotated[
        bool,
        typer.Option(
            "--audit", help="Show the audit log instead: what operators did, and what was refused."
        ),
    ] = False,
) -> None:
    """Show what recollect did; with --json one event a line."""
    if audit:
        _audit(context, is_alone=not (since is not None or follow or types or session))
        return
    if since is not None and since < 0:
        raise InvalidInput("--since must be 0 or more", hint="use a number from 0")
    with opened(context) as memory, suppress(KeyboardInterrupt):
        session_id = None if session is None else memory.sessions.find(session).id
        for recorded in _events(memory, since, types, session_id, follow=follow):
            document = recorded.document()
            answer(context, document, partial(_show, recorded.seq, document))


def _audit(context: typer.Context, *, is_alone: bool) -> None:
    if not is_alone:
        raise InvalidInput("--audit must be the only option", hint="leave the other options out")
    with opened(context) as memory:
        for entry in memory.audit.latest():
            answer(context, entry, partial(_show_entry, entry))


def _events(
    memory: Memory,
    since: int | None,
    types: list[str] | None,
    session_id: str | None,
    *,
    follow: bool,
) -> Iterator[RecordedEvent]:
    stream = memory.events
    if since is not None:
        events = stream.follow if follow else stream.since
        yield from events(since, types=types, session_id=session_id)
        return
    latest = stream.latest(LATEST, types=types, session_id=session_id)
    yield from latest
    if follow:
        last_seq = latest[-1].seq if latest else 0
        yield from stream.follow(last_seq, types=types, session_id=session_id)


def _show_entry(entry: AuditEntry) -> None:
    what = entry.action if entry.outcome == "done" else f"{entry.action} refused"
    show(
        (f"{entry.seq:>8}  ", "dim"),
        (f"{moment(entry.at)}  ", ""),
        (f"{what:<18}", "bold"),
        (f"  {entry.target or ''}", ""),
        (_by(entry.actor), "cyan"),
    )


def _by(actor: str | None) -> str:
    return "" if actor is None else f"  by {actor}"


def _show(seq: int, document: dict[str, Any]) -> None:
    fields = {name: value for name, value in document.items() if name != "seq"}
    actor = fields.pop("actor")
    session = fields.pop("scope")["session"]
    kind, at = fields.pop("type"), fields.pop("at")
    details = ", ".join(f"{name}={_value(value)}" for name, value in fields.items() if value)
    show(
        (f"{seq:>8}  ", "dim"),
        (f"{moment(at)}  ", ""),
        (f"{kind:<18}", "bold"),
        (f"  {short(session) if session else '':<8}", "cyan"),
        (f"  {details}".rstrip(), ""),
        (_by(actor), "cyan"),
    )


def _value(value: object) -> str:
    return one_line("+".join(map(str, value)) if isinstance(value, list) else str(value))
