"""`recollect sessions state`: what the agent works on in a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, opened
from recollect.cli.output.formatting import moment
from recollect.cli.output.screen import one_line, say, show
from recollect.cli.sessions.lines import Name
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.context.working_memory import SessionState, WorkStep

app = App()

_MARKS = {"completed": "x", "in_progress": ">", "pending": " "}


@app.command("state")
def show_state(
    context: typer.Context,
    session: Name,
    *,
    task: Annotated[
        str | None, typer.Option("--task", help="Set the task that the agent works on.")
    ] = None,
    step: Annotated[
        list[str] | None,
        typer.Option("--step", help="Set the steps; repeat the option for each of them."),
    ] = None,
    completed: Annotated[
        list[str] | None,
        typer.Option("--done", help="Complete a step, named by its words or its position."),
    ] = None,
) -> None:
    """Show the task and steps of a session, or set them until a todo tool is called again."""
    from recollect.sessions.context.working_memory import SessionState, WorkStep

    with opened(context) as memory:
        id_ = memory.sessions.find(session).id
        state = memory.sessions.state(id_) or SessionState(session_id=id_, source="")
        if task is not None or step or completed:
            steps = state.steps if step is None else tuple(WorkStep(text=each) for each in step)
            steps = _completed(steps, completed or [])
            state = memory.sessions.set_state(id_, task, steps if step or completed else None)
    answer(context, state, lambda: _show(state))


def _completed(steps: tuple[WorkStep, ...], names: list[str]) -> tuple[WorkStep, ...]:
    """Return steps of which some are completed.

    Raises:
        InvalidInput: one of those is not among them.
    """
    positions = {str(position): each for position, each in enumerate(steps, start=1)}
    positions |= {each.text.casefold(): each for each in steps}
    for name in names:
        if name.casefold() not in positions:
            raise InvalidInput(
                "the session has no such step",
                hint="give its words, or its position as `recollect sessions state` shows it",
            )
    finished = {positions[name.casefold()].text for name in names}
    return tuple(
        msgspec.structs.replace(each, status="completed") if each.text in finished else each
        for each in steps
    )


def _show(state: SessionState) -> None:
    if not state.updated_at:
        say(("nothing is known of its task", "dim"))
        return
    show(
        (one_line(state.task) or "no task", "bold"),
        (f"  {state.source}, {moment(state.updated_at)}", "dim"),
    )
    for position, each in enumerate(state.steps, start=1):
        mark = f"  {position} [{_MARKS[each.status]}] "
        show((mark, "cyan"), (one_line(each.text), ""))
