"""`recollect erase`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.addresses import path_or_name
from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, opened, require_agreement
from recollect.cli.output.formatting import count, size
from recollect.cli.output.progress import show_progress
from recollect.cli.output.screen import show, show_pairs, warn
from recollect.core.errors import NotFound

if TYPE_CHECKING:  # for a name only
    from recollect.governance.erasure_receipt import ErasureReceipt
    from recollect.memory import Memory

_KINDS = {
    "tool_calls": "tool call",
    "facts": "fact",
    "observations": "observation",
    "compactions": "summary",
    "episodes": "episode",
    "events": "event",
    "pending_messages": "message that waited in its group",
    "identities": "linked account",
}

_MANY = {
    "summary": "summaries",
    "message that waited in its group": "messages that waited in its group",
}

app = App()


_EXAMPLE = "recollect erase --session 92ad586e --dry-run"


ErasedSession = Annotated[
    str | None,
    typer.Option(
        "--session", help="A session: its id, the end of it, its title or its key.", metavar="ID"
    ),
]
ErasedUser = Annotated[
    str | None,
    typer.Option("--user", help="Only what this person said: a name or an account.", metavar="WHO"),
]
ErasedProject = Annotated[
    str | None,
    typer.Option("--project", help="Only sessions of this project: a path, its name or its id."),
]


@app.command(rich_help_panel="Keep", epilog=_EXAMPLE)
def erase(
    context: typer.Context,
    *,
    session: ErasedSession = None,
    user: ErasedUser = None,
    project: ErasedProject = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Only from then on: 2026-05-12, last week.")
    ] = None,
    until: Annotated[str | None, typer.Option("--until", help="Only before then.")] = None,
    query: Annotated[
        str | None,
        typer.Option("--query", help="Only what contains this text, in upper or lower case."),
    ] = None,
    fact: Annotated[
        str | None,
        typer.Option("--fact", help="Only this fact, with its history: f12.", metavar="ID"),
    ] = None,
    with_forks: Annotated[
        bool, typer.Option("--with-forks", help="Also erase forks that share messages with it.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be erased.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Erase for good what matches all of these options; no byte of it is left."""
    with opened(context) as memory:
        erase_ = partial(
            memory.erase,
            session_id=None if session is None else _id(memory, session),
            user_id=user,
            project=None if project is None else path_or_name(project),
            since=since,
            until=until,
            query=query,
            fact_id=fact,
            with_forks=with_forks,
        )
        receipt = erase_(dry_run=True)
        if not dry_run:
            if not yes:
                _require_agreement(context, receipt)
            agreed = None if yes else receipt.plan_id
            with show_progress(quiet=answers_json(context)) as progress:
                receipt = erase_(plan_id=agreed, on_progress=progress.erasing)
    answer(context, receipt, lambda: _show(receipt))


def _require_agreement(context: typer.Context, receipt: ErasureReceipt) -> None:
    offer = f"{_amount(receipt)} would be erased, and cannot be brought back"
    require_agreement(
        context,
        offer,
        unasked=(offer, "add --yes to agree; --dry-run shows what it is"),
        declined=("nothing was erased", "`recollect sessions delete` only hides it"),
    )


def _id(memory: Memory, name: str) -> str:
    """Return the id of a session, deleted ones included; also of one that only left an episode.

    Raises:
        NotFound: nothing has this name; or it was erased, and the error says that.
        Conflict: several sessions have this name.
    """
    try:
        return memory.sessions.find(name, deleted=True).id
    except NotFound as unknown:
        try:
            memory.erase(session_id=name, dry_run=True)
        except NotFound as error:
            raise error if error.facts.get("erased") else unknown from None
        return name


def _show(receipt: ErasureReceipt) -> None:
    if receipt.dry_run:
        show(("nothing was changed", "bold green"), (f": {_amount(receipt)} would be erased", ""))
    else:
        show(("erased", "bold green"), (f" {_amount(receipt)}", ""))
    goes = "would go with it" if receipt.dry_run else "went with it"
    show_pairs(
        (count(number, name, _MANY.get(name, "")), goes)
        for kind, name in _KINDS.items()
        if (number := receipt.counts[kind]) and not (kind == "facts" and _is_of_facts(receipt))
    )
    show_pairs(
        (f"{notes.path}, line {', '.join(map(str, notes.edited_lines))}", "was edited and stays")
        for notes in receipt.notes
        if notes.edited_lines
    )
    show_pairs((id_, "stays, and loses what was selected") for id_ in receipt.partial_ids)
    show_pairs((path, "is damaged and goes whole") for path in receipt.damaged_copies)
    show_pairs((id_, "keeps the messages before the fork") for id_ in receipt.shared_with)
    show_pairs((path, "still holds it") for path in receipt.still_held_by)
    show_pairs((f"the export {id_}", "may hold it") for id_ in receipt.exports)
    for warning in receipt.warnings:
        warn(warning)


def _is_of_facts(receipt: ErasureReceipt) -> bool:
    """Return whether nothing but facts was selected."""
    return not any(number for kind, number in receipt.counts.items() if kind != "facts")


def _amount(receipt: ErasureReceipt) -> str:
    if _is_of_facts(receipt):
        return f"{count(receipt.counts['facts'], 'fact')} ({size(receipt.bytes)})"
    sessions = count(receipt.counts["sessions"], "session")
    return f"{sessions}, {count(receipt.counts['messages'], 'message')} ({size(receipt.bytes)})"
