"""`recollect rewind`: put files back, and take that back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.checkpoints.conversation import (
    RewindScopeName,
    returned_messages,
    withdraw_messages,
)
from recollect.cli.checkpoints.here import paths_here, session_here
from recollect.cli.checkpoints.lines import show_items, show_rewinds, show_summary
from recollect.cli.help import App
from recollect.cli.invocation import (
    answer,
    answers_json,
    argument,
    opened,
    require_agreement,
)
from recollect.cli.output.formatting import count
from recollect.cli.sessions.lines import complete_session
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from recollect.answers.checkpoint import RewindAnswer
    from recollect.checkpoints.record.items import ConflictChoice
    from recollect.checkpoints.rewind.plan import RewindPlan
    from recollect.memory import Memory

app = App()
_EXAMPLE = "recollect rewind c12 --plan"
_WHICH = "name one: a target, --undo, --redo, --resolve or --list"


Target = Annotated[
    str | None,
    argument(
        metavar="TARGET",
        help="Before what: c12, a checkpoint; m88, the answer to a message; a tool call's id.",
    ),
]
OnlyPlan = Annotated[bool, typer.Option("--plan", help="Only show what would be done.")]
Paths = Annotated[
    list[str] | None,
    typer.Option("--paths", help="Only this path, or what is in it; repeat it for more."),
]
Keep = Annotated[
    bool, typer.Option("--keep", help="Leave what somebody else changed since as it is.")
]
Force = Annotated[bool, typer.Option("--force", help="Put that back too; --undo brings it back.")]
Merge = Annotated[bool, typer.Option("--merge", help="Take out only what the session did to it.")]
Scope = Annotated[
    RewindScopeName,
    typer.Option("--scope", help="What goes back: files, the conversation, or both."),
]
Actor = Annotated[
    str | None,
    typer.Option("--actor", help="Only what this sub-agent changed.", metavar="ID"),
]
OnlyCall = Annotated[
    bool, typer.Option("--only", help="Only what the call of this checkpoint changed.")
]
OfSession = Annotated[
    str | None,
    typer.Option(
        "--session",
        help="Whose changes; with --list, whose rewinds.",
        metavar="ID",
        autocompletion=complete_session,
    ),
]
Undo = Annotated[str | None, typer.Option("--undo", help="Take back a rewind.", metavar="ID")]
Redo = Annotated[
    str | None, typer.Option("--redo", help="Repeat a rewind that was undone.", metavar="ID")
]
Resolve = Annotated[
    str | None,
    typer.Option(
        "--resolve",
        help="End a rewind that a crash and somebody else interrupted, with --keep or --force.",
        metavar="ID",
    ),
]
FilesOnly = Annotated[
    bool,
    typer.Option("--files-only", help="With --undo or --redo: leave the messages as they are."),
]
Listed = Annotated[bool, typer.Option("--list", help="List the rewinds of a session.")]
Agreed = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


@app.command(rich_help_panel="Keep", epilog=_EXAMPLE)
def rewind(
    context: typer.Context,
    target: Target = None,
    *,
    plan: OnlyPlan = False,
    paths: Paths = None,
    keep: Keep = False,
    force: Force = False,
    merge: Merge = False,
    scope: Scope = "files",
    actor: Actor = None,
    only: OnlyCall = False,
    session: OfSession = None,
    undo: Undo = None,
    redo: Redo = None,
    resolve: Resolve = None,
    files_only: FilesOnly = False,
    list_: Listed = False,
    yes: Agreed = False,
) -> None:
    """Put files back to what they were, and nothing that somebody else changed since.

    With --scope both the messages since leave the session too, as if they were never said; with
    --scope conversation they alone. --undo brings them back as long as nothing newer was said.
    """
    orders = [each for each in (target, undo, redo, resolve) if each is not None]
    if len(orders) + list_ != 1:
        raise InvalidInput("one thing to do must be given", hint=_WHICH)
    if keep + force + merge > 1:
        raise InvalidInput("--keep, --force and --merge exclude each other", hint="leave two out")
    choice: ConflictChoice = "keep" if keep else "force" if force else "merge" if merge else "stop"
    with opened(context) as memory:
        if list_:
            _list(context, memory, session)
            return
        if resolve is not None:
            _resolve(context, memory, resolve, choice)
            return
        if target is None:
            _reverse(context, memory, undo, redo, with_messages=not files_only)
            return
        whose = None if session is None else memory.sessions.find(session).id
        if scope == "conversation":
            withdraw_messages(context, memory, target, whose, only_plan=plan, agreed=yes)
        else:
            checkpoint = memory.checkpoints.target(target, whose)
            narrowed = paths_here(paths, Path(checkpoint.root))
            drawn = memory.checkpoints.plan(
                checkpoint if scope == "files" else target,
                narrowed,
                choice,
                session_id=whose,
                actor=actor,
                only_call=only,
                conversation=scope == "both",
            )
            _go(context, memory, drawn, only_plan=plan, agreed=yes)


def put_back(context: typer.Context, memory: Memory, target: str, session_id: str) -> None:
    """Put the files back that a session changed since a target, once somebody agreed to the plan.

    Raises:
        NotFound: the target does not exist.
        RewindConflict: somebody else changed one of them since.
        NotAgreed: they declined.
    """
    checkpoint = memory.checkpoints.target(target, session_id)
    plan = memory.checkpoints.plan(checkpoint, None, "stop", session_id=session_id)
    _go(context, memory, plan, only_plan=False, agreed=False)


def _list(context: typer.Context, memory: Memory, session: str | None) -> None:
    from recollect.answers.checkpoint import rewind_list

    rewinds = memory.checkpoints.rewinds(session_here(memory, session))
    document = rewind_list(memory.checkpoints, rewinds)
    answer(context, document, lambda: show_rewinds(document.rewinds))


def _reverse(
    context: typer.Context,
    memory: Memory,
    undo: str | None,
    redo: str | None,
    *,
    with_messages: bool,
) -> None:
    from recollect.answers.checkpoint import rewind_answer

    checkpoints = memory.checkpoints
    if undo is not None and returned_messages(context, memory, undo):
        return
    result = (
        checkpoints.redo(redo or "", conversation=with_messages)
        if undo is None
        else checkpoints.undo(undo, conversation=with_messages)
    )
    document = rewind_answer(checkpoints, result)
    answer(context, document, lambda: _show(document))


def _resolve(context: typer.Context, memory: Memory, of: str, choice: ConflictChoice) -> None:
    from recollect.answers.checkpoint import rewind_answer

    if choice not in {"keep", "force"}:
        hint = "add --keep to leave what is there, --force to put back what was there before"
        raise InvalidInput("--resolve must have --keep or --force", hint=hint)
    result = memory.checkpoints.resolve(of, choice)
    document = rewind_answer(memory.checkpoints, result)
    answer(context, document, lambda: _show(document))


def _go(
    context: typer.Context, memory: Memory, plan: RewindPlan, *, only_plan: bool, agreed: bool
) -> None:
    """Show a plan, and do it where that is wanted."""
    from recollect.answers.checkpoint import plan_answer, result_answer

    document = plan_answer(plan)
    is_nothing = plan.first_seq is None
    is_nothing &= not any(item.is_change or item.choice for item in plan.items)
    if only_plan or is_nothing:
        answer(context, document, lambda: _show(document))
        return
    is_refused = bool(plan.refused)
    is_asked = not agreed and sys.stdin.isatty()
    if (is_refused or is_asked) and not answers_json(context):
        _show(document)
    if not (agreed or is_refused):
        _require_agreement(context, plan)
    result = result_answer(memory.checkpoints, memory.checkpoints.apply(plan), plan)
    answer(context, result, lambda: show_summary(result) if is_asked else _show(result))


def _show(document: RewindAnswer) -> None:
    show_items(document, with_diffs=document.status == "planned")
    show_summary(document)


def _require_agreement(context: typer.Context, plan: RewindPlan) -> None:
    """Ask, where there is a terminal; without one, what cannot lose anything needs no agreement.

    Raises:
        NotAgreed: they declined, or what may lose something needs an agreement.
    """
    changes = [item for item in plan.items if item.is_change]
    deleted = sum(item.action == "delete" for item in changes)
    forced = sum(item.choice == "force" for item in changes)
    is_asked = sys.stdin.isatty() and not answers_json(context)
    if not (is_asked or deleted or forced or plan.first_seq is not None):
        return
    losses = [f"{deleted:,} of them deleted"] if deleted else []
    if plan.first_seq is not None and plan.last_seq is not None:
        losses.append(f"the messages {plan.first_seq} to {plan.last_seq} taken out")
    losses += [f"{forced:,} that somebody else changed too"] if forced else []
    offer = ", ".join([f"{count(len(changes), 'path')} would be put back", *losses])
    require_agreement(
        context,
        offer,
        unasked=(offer, "add --yes to agree; --plan shows what it is"),
        declined=("nothing was changed", "--paths names what to put back"),
    )
