"""`recollect channels`: who may write to the agent, and how its channels do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, argument, opened
from recollect.cli.output.formatting import count, moment
from recollect.cli.output.screen import next_steps, show, show_pairs, warn

if TYPE_CHECKING:  # for a name only
    from recollect.respond.channels.channels import ChannelsStatus
    from recollect.respond.channels.senders import Sender

app = App()
group = App(help="Say who may write to the agent over channels.", invoke_without_command=True)
app.add_typer(group, name="channels", rich_help_panel="Set up")

AccountArgument = Annotated[
    str,
    argument(metavar="ACCOUNT", help="A person or group as list shows it: telegram:42."),
]

_STYLES = {"unknown": "bold yellow", "allowed": "bold green", "denied": "bold red"}


@group.callback()
def channels(context: typer.Context) -> None:
    """Manage who is answered over channels; without a command, list who wrote."""
    if context.invoked_subcommand is None:
        list_senders(context)


@group.command("list")
def list_senders(context: typer.Context) -> None:
    """List who wrote, or was allowed or denied; of unknown ones no text is kept."""
    from recollect.respond.channels.channels import SenderList

    with opened(context) as memory:
        senders = memory.channels.list()
    answer(context, SenderList(senders=senders), lambda: _show(senders))


@group.command()
def allow(context: typer.Context, account: AccountArgument) -> None:
    """Answer a person or group, from the next message on."""
    with opened(context) as memory:
        sender = memory.channels.allow(account)
    answer(context, sender, lambda: _show([sender]))


@group.command()
def deny(context: typer.Context, account: AccountArgument) -> None:
    """Answer a person or group no more; a denied person is not answered in groups either."""
    with opened(context) as memory:
        sender = memory.channels.deny(account)
    answer(context, sender, lambda: _show([sender]))


@group.command()
def status(context: typer.Context) -> None:
    """Show how the channels do, and which answers may not have arrived."""
    with opened(context) as memory:
        document = memory.channels.status()
    answer(context, document, lambda: _show_status(document))


def _show(senders: list[Sender]) -> None:
    for sender in senders:
        refused = f"  {count(sender.refused, 'message')} not taken" if sender.refused else ""
        show(
            (f"{sender.status:<7}", _STYLES[sender.status]),
            (f"  {sender.account}", ""),
            (f"{refused}  {moment(sender.last_at)}", "dim"),
        )
    if any(sender.status == "unknown" for sender in senders):
        next_steps([("recollect channels allow ACCOUNT", "answer one of them")])
    if not senders:
        show(("no message came yet", "dim"))


def _show_status(status: ChannelsStatus) -> None:
    show_pairs(
        [
            ("enabled", ", ".join(status.enabled) or "none"),
            *((each.name, f"{each.state} since {moment(each.at)}") for each in status.channels),
            ("senders", _counted(status.senders)),
            ("answers", _counted(status.deliveries)),
        ]
    )
    for channel in status.channels:
        if channel.state == "failed":
            warn(f"{channel.name}: {channel.error}: {channel.hint}")
    for each in status.lost:
        code = f" ({each.code})" if each.code else ""
        show(
            (f"{each.state:<7}", "bold yellow"),
            (f"  {each.key} {each.event_id}{code}", ""),
            (f"  {moment(each.at)}", "dim"),
        )


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items()) or "none"
