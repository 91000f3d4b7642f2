"""`recollect sessions state`: what the agent works on in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, opened
from recollect.cli.output.formatting import moment
from recollect.cli.output.screen import one_line, say, show
from recollect.cli.sessions.lines import Name

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.context.working_memory import SessionState

app = App()

_MARKS = {"completed": "x", "in_progress": ">", "pending": " "}


@app.command("state")
def show_state(
    context: typer.Context,
    session: Name,
    *,
    task: Annotated[
        str | None, typer.Option("--task", help="What the agent works on; set from now on.")
    ] = None,
    step: Annotated[
        list[str] | None,
        typer.Option("--step", help="A step, again for each: all that there are from now on."),
    ] = None,
    done: Annotated[
        list[str] | None, typer.Option("--done", help="A step that is completed, likewise.")
    ] = None,
) -> None:
    """Show the task and steps of a session, or set them until a todo tool is called again."""
    from recollect.sessions.context.working_memory import SessionState

    with opened(context) as memory:
        id_ = memory.sessions.find(session).id
        steps = [{"text": each, "status": "completed"} for each in done or []]
        steps += [{"text": each} for each in step or []]
        if task is None and not steps:
            found = memory.sessions.state(id_)
        else:
            found = memory.sessions.set_state(id_, task, steps or None)
    known = found or SessionState(session_id=id_, source="")
    answer(context, known, lambda: _show(known))


def _show(found: SessionState) -> None:
    if not found.updated_at:
        say(("nothing is known of its task", "dim"))
        return
    show(
        (one_line(found.task) or "no task", "bold"),
        (f"  {found.source}, {moment(found.updated_at)}", "dim"),
    )
    for each in found.steps:
        show((f"  [{_MARKS[each.status]}] ", "cyan"), (one_line(each.text), ""))
