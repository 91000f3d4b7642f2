"""`recollect context`: what a session is given by itself, and what was given last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from recollect.cli.addresses import path_to_keep
from recollect.cli.help import App
from recollect.cli.invocation import (
    answer,
    argument,
    opened,
    recalling,
)
from recollect.cli.output.formatting import count, moment
from recollect.cli.output.screen import one_line, say, show
from recollect.cli.sessions.lines import ForSender, latest_id
from recollect.core.numbers import show_number
from recollect.recall.steps.session_titles import title_of

if TYPE_CHECKING:  # for a name only
    from recollect.memory import Memory
    from recollect.recall.context.block import ContextBlock, ContextItem
    from recollect.recall.context.injections import Injection

app = App()


@app.command(rich_help_panel="Find")
def context(
    context: typer.Context,
    session: Annotated[
        str | None,
        argument(metavar="SESSION", help="The session; the one used last by default."),
    ] = None,
    *,
    query: Annotated[
        str | None, typer.Option("--query", "-q", help="A question; what answers it comes first.")
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(help="Tokens at most; context.budget_tokens by default."),
    ] = None,
    client: Annotated[
        str | None,
        typer.Option(help="The client that reads it: claude-code and codex take 9,500 characters."),
    ] = None,
    reason: Annotated[
        Literal["startup", "clear", "compact", "resume", "fork", "prompt"],
        typer.Option(help="Why it is made; after resume and fork, only what is new."),
    ] = "startup",
    for_sender: ForSender = None,
    project: Annotated[
        str | None,
        typer.Option(help="What the next session of this project gets, and why each line."),
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Do not record it as injected.")
    ] = False,
    last: Annotated[
        bool, typer.Option("--last", help="Show what was injected last, where and why.")
    ] = False,
) -> None:
    """Print what an agent is given by itself: rules, what holds, where the work was left."""
    if last:
        _give_last(context, session)
        return
    if project is not None:
        _give_next(context, project, query, budget, client)
        return
    with recalling(context) as memory:
        session_id = None if session is None else memory.sessions.find(session).id
        block = memory.context(
            session_id or latest_id(memory.sessions),
            query,
            budget,
            reason,
            client,
            for_sender,
            record=not preview,
        )
        answer(context, block, lambda: _show_block(block))


def _give_next(
    context: typer.Context,
    project: str,
    query: str | None,
    budget: int | None,
    client: str | None,
) -> None:
    """Print the block of the next session of a project, and the source and score of each line."""
    with opened(context) as memory:
        path = path_to_keep(memory, project)
        block = memory.context.about(path, query, budget, client=client)

        def shown() -> None:
            _show_block(block)
            _show_items(memory, block.items)

        answer(context, block, shown)


def _give_last(context: typer.Context, session: str | None) -> None:
    with opened(context) as memory:
        session_id = None if session is None else memory.sessions.find(session).id
        injections = memory.context.injections(session_id)
        from recollect.answers.context import InjectionList

        answer(
            context,
            InjectionList(injections=injections),
            lambda: _show_injections(memory, injections),
        )


def _show_block(block: ContextBlock) -> None:
    if not block.items:
        say((f"nothing to add to the prompt: {block.empty_because}", "dim"))
        return
    show((block.text, ""))


def _show_injections(memory: Memory, injections: Iterable[Injection]) -> None:
    for each in injections:
        title = title_of(memory.sessions, memory.sessions.get(each.session_id))
        show(
            (f"{moment(each.at)}  {each.reason}", "bold"),
            (f"  {one_line(title)}", ""),
            (f"  {each.client or 'no client named'}, {count(each.tokens, 'token')},", "dim"),
            (f" {count(each.chars, 'character')}, {each.dropped} left out", "dim"),
        )
        _show_items(memory, each.items)
    if not injections:
        say(("nothing was injected yet", "dim"))


_WORDS = 40
"""Tokens that are shown of a message."""


_PLAIN = {"episode": "summary of a session", "state": "what was open in a session"}


def _show_items(memory: Memory, items: Sequence[ContextItem]) -> None:
    ids = {
        kind: [item.id for item in items if item.kind == kind]
        for kind in ("observation", "message", "fact")
    }
    titles = {each.id: each.title for each in memory.observations.get(ids["observation"], 1).found}
    texts = [each.record for each in memory.get(ids["message"] + ids["fact"], _WORDS).found]
    titles |= {each.id: each.text for each in texts if getattr(each, "is_found", True)}
    titles |= {item.id: item.id for item in items if item.kind == "file"}
    for item in items:
        number = "" if item.number is None else show_number(item.kind, item.number)
        why = " ".join(f"{name} {share:.2f}" for name, share in item.why.items())
        words = titles.get(item.id, _PLAIN.get(item.kind, "gone"))
        kind = (f"  {item.kind}", "dim")
        show((f"  {number}", "bold"), (f"  {one_line(words)}", ""), kind, (f"  {why}", "dim"))
