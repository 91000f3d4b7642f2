"""`recollect sessions key`, `mode` and `model`: which conversation it is, and how it is served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, argument, opened
from recollect.cli.output.screen import show, show_pairs
from recollect.cli.sessions.lines import Name

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.policy.conversation import ModeRules

app = App()


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A session key."""

    key: str


def _complete_mode(incomplete: str) -> list[str]:
    from recollect.sessions.record.session import MODES

    return [mode for mode in MODES if mode.startswith(incomplete)]


@app.command("key")
def make_key(
    context: typer.Context,
    *,
    channel: Annotated[str, typer.Option(help="The channel: telegram, slack.", show_default=False)],
    peer: Annotated[
        str, typer.Option(help="The other party: a person or a group.", show_default=False)
    ],
    agent: Annotated[str, typer.Option(help="Who speaks.")] = "main",
    account: Annotated[str, typer.Option(help="The agent's account there.")] = "default",
    chat_type: Annotated[
        Literal["direct", "group", "channel", "room"],
        typer.Option("--type", help="The kind of chat."),
    ] = "direct",
    thread: Annotated[str | None, typer.Option(help="The thread within it.")] = None,
) -> None:
    """Make the session key of a conversation by the rules of the settings.

    sessions.direct_scope tells which direct chats are one, sessions.identity_links who is one
    person.
    """
    with opened(context) as memory:
        key = memory.sessions.key_for(
            agent, channel, peer, account=account, chat_type=chat_type, thread=thread
        )
    answer(context, Key(key=key), lambda: show((key, "")))


@app.command("mode")
def show_mode(
    context: typer.Context,
    session: Name,
    mode: Annotated[
        str | None,
        argument(
            metavar="MODE",
            help="main, group or queue: the mode from now on.",
            autocompletion=_complete_mode,
        ),
    ] = None,
) -> None:
    """Show what an agent may do in a session, or change how it is served."""
    with opened(context) as memory:
        target = memory.sessions.find(session)
        if mode is not None:
            memory.sessions.set_mode(target.id, mode)
        rules = memory.sessions.rules(target.id)
    answer(context, rules, lambda: _show_rules(rules))


@app.command("model")
def show_model(
    context: typer.Context,
    session: Name,
    model: Annotated[
        str | None,
        argument(metavar="MODEL", help="As in language.provider; default takes it back."),
    ] = None,
    *,
    thinking: Annotated[
        Literal["default", "off", "low", "medium", "high"] | None,
        typer.Option(help="How long it thinks before it answers."),
    ] = None,
) -> None:
    """Show which model answers in a session, or choose another one for it alone."""
    options = {"model": model, "thinking": thinking}
    changes = {k: None if v == "default" else v for k, v in options.items() if v is not None}
    with opened(context) as memory:
        target = memory.sessions.find(session)
        if changes:
            target = memory.sessions.set_overrides(target.id, changes)
        used = memory.settings.language.provider
    rows = {"model": used, "thinking": "default"} | target.overrides
    answer(
        context,
        target,
        lambda: show_pairs((name, str(rows[name])) for name in options),
    )


def _show_rules(rules: ModeRules) -> None:
    fields = msgspec.structs.asdict(rules)
    fields["tools"] = "all" if rules.tools is None else ", ".join(rules.tools) or "none"
    words = {True: "yes", False: "no"}
    show_pairs(
        (name.replace("_", " "), words[value] if isinstance(value, bool) else str(value))
        for name, value in fields.items()
    )
