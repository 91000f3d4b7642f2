"""`recollect sessions view`, `compact` and `flush`: which part of a session is in the prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.answers.error import FAILED
from recollect.cli.addresses import short
from recollect.cli.help import App
from recollect.cli.invocation import answer, opened
from recollect.cli.output.formatting import count
from recollect.cli.output.screen import say, show
from recollect.cli.sessions.lines import ForSender, Name
from recollect.recall.steps.session_titles import title_of

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.context.flush import Flushed, ModelFailure
    from recollect.sessions.context.view import ContextView
    from recollect.sessions.context.window import Compacted
    from recollect.sessions.sessions import Sessions

app = App()

_NOT_COMPACTED = {
    "not_due": "the view is not full",
    "nothing_to_replace": "all messages are among those that stay",
    "failed": "there is no summary",
    "overtaken": "another program compacted it meanwhile",
}
_NOT_FLUSHED = {
    "nothing_new": "nothing new must last",
    "failed": "the notes could not be written",
    "off": "sessions.context.flush is off",
    "no_workspace": "there is no workspace",
    "group": "nothing is written from groups",
    "unknown_origin": "it was imported without a key, so it is not known who heard it",
    "automatic": "nothing is written from jobs and sub-agents",
    "done": "it was done since the last compaction",
    "given_up": "it failed too often since the last compaction",
}


@app.command("view")
def show_view(
    context: typer.Context,
    session: Name,
    *,
    budget: Annotated[
        int | None,
        typer.Option(
            help="Tokens at most; sessions.context.window_tokens by default.",
            show_default=False,
        ),
    ] = None,
    for_sender: ForSender = None,
) -> None:
    """Show which part of a session is in the prompt: a summary, and the newest messages."""
    with opened(context) as memory:
        target = memory.sessions.find(session)
        view = memory.sessions.view(target.id, budget, for_sender=for_sender)
        answer(context, view, lambda: _show_view(memory.sessions, view))


@app.command("compact")
def compact_session(
    context: typer.Context,
    session: Name,
    *,
    keep: Annotated[
        int | None,
        typer.Option(
            help="Newest messages to keep; sessions.context.keep_messages by default.",
            show_default=False,
        ),
    ] = None,
    if_due: Annotated[
        bool, typer.Option("--if-due", help="Only if the view is full, as before every turn.")
    ] = False,
) -> None:
    """Replace older messages in the prompt with a summary. They stay stored."""
    with opened(context) as memory:
        target = memory.sessions.find(session)
        if if_due:
            outcome = memory.sessions.keep_within_window(target.id)
        else:
            outcome = memory.sessions.compact(target.id, keep_messages=keep)
    answer(context, outcome, lambda: _tell_compacted(outcome))
    if outcome.outcome == "failed":
        raise typer.Exit(FAILED)


@app.command("flush")
def flush_session(context: typer.Context, session: Name) -> None:
    """Write what must last into memory/YYYY-MM-DD.md of the workspace; a guest's into the home."""
    with opened(context) as memory:
        target = memory.sessions.find(session)
        outcome = memory.sessions.flush(target.id)
    answer(context, outcome, lambda: _tell_flushed(outcome))
    if outcome.outcome == "failed":
        raise typer.Exit(FAILED)


def _show_view(sessions: Sessions, view: ContextView) -> None:
    from recollect.cli.output.messages import show_messages

    details = [short(view.session_id), count(view.tokens, "token")]
    if view.omitted:
        details.append(f"{count(view.omitted, 'message')} left out")
    if view.truncated:
        details.append(f"{count(len(view.truncated), 'message')} in part")
    if view.is_full:
        details.append("a compaction is due")
    title = title_of(sessions, sessions.get(view.session_id))
    say((title, "bold"), (f"  {', '.join(details)}\n", "dim"))
    if view.summary is not None:
        show((f"messages 1 to {view.through_seq}, as a summary", "dim"))
        show((view.summary, ""))
        show(("", ""))
    show_messages(view.messages)


def _tell_compacted(outcome: Compacted) -> None:
    compaction = outcome.compaction
    if outcome.outcome != "compacted" or compaction is None:
        why = _NOT_COMPACTED[outcome.outcome] + (f": {outcome.error}" if outcome.error else "")
        say((f"not compacted: {why}", ""))
    else:
        replaced = f"messages 1 to {compaction.through_seq} are a summary by {compaction.made_by}"
        before, after = compaction.tokens_before, compaction.tokens_after
        show((f"{replaced}; {before:,} tokens became {after:,}", ""))
    _tell_failure(outcome.model_failure, "wrote no summary")
    if outcome.flush.outcome in {"flushed", "failed"}:
        _tell_flushed(outcome.flush)


def _tell_failure(failed: ModelFailure | None, what: str) -> None:
    if failed is not None:
        text = f"{failed.model} {what} ({failed.code}): {failed.message}"
        say((f"{text}; {failed.hint}" if failed.hint else text, "yellow"))


def _tell_flushed(outcome: Flushed) -> None:
    _tell_failure(outcome.model_failure, "found no notes, the rules did")
    if outcome.outcome == "flushed":
        show((f"{count(outcome.lines, 'note')} added to {outcome.path}", ""))
    else:
        why = _NOT_FLUSHED.get(outcome.outcome, outcome.outcome)
        say((f"not flushed: {why}" + (f": {outcome.error}" if outcome.error else ""), ""))
