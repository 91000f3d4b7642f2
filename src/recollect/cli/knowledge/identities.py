"""`recollect identities`: who is behind which account."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.help import App
from recollect.cli.invocation import answer, argument, opened
from recollect.cli.output.formatting import moment
from recollect.cli.output.screen import next_steps, show
from recollect.core.errors import InvalidInput

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.identities import LinkCode, LinkedPerson

app = App()
group = App(help="Say which accounts are one person.", invoke_without_command=True)
app.add_typer(group, name="identities", rich_help_panel="Set up")

AccountArgument = Annotated[
    str,
    argument(metavar="ACCOUNT", help="Channel and id: telegram:42, or irc:libera:bob."),
]


@group.callback()
def identities(context: typer.Context) -> None:
    """Say which accounts are one person; without a command, list the people."""
    if context.invoked_subcommand is None:
        list_identities(context)


@group.command("list")
def list_identities(
    context: typer.Context,
    name: Annotated[
        str | None, argument(metavar="[NAME]", help="Only this person.", show_default=False)
    ] = None,
) -> None:
    """List people with their accounts, and who linked them."""
    from recollect.answers.identity import IdentityList

    with opened(context) as memory:
        found = memory.identities.list(name)
    answer(context, IdentityList(identities=found), lambda: _show(found))


@group.command()
def resolve(context: typer.Context, account: AccountArgument) -> None:
    """Show who is behind an account; a new person where it is not linked."""
    from recollect.answers.identity import ResolvedIdentity

    with opened(context) as memory:
        user_id = memory.identities.resolve(*_parts(account))
    answer(context, ResolvedIdentity(user_id=user_id), lambda: show((user_id, "bold")))


@group.command()
def link(
    context: typer.Context,
    name: Annotated[str, argument(metavar="NAME", help="The person; owner for yourself.")],
    account: AccountArgument,
) -> None:
    """Let a person and an account hear of each other, from now on and of what was said before."""
    with opened(context) as memory:
        person = memory.identities.link(name, *_parts(account))
    answer(context, person, lambda: _show([person]))


@group.command()
def unlink(context: typer.Context, account: AccountArgument) -> None:
    """Let an account be a person of its own again; nothing is lost."""
    with opened(context) as memory:
        gone = memory.identities.unlink(*_parts(account))
    answer(context, gone, lambda: show(("unlinked", "bold yellow"), (f": {gone.account}", "")))


@group.command()
def code(context: typer.Context, account: AccountArgument) -> None:
    """Make a one-time code for an account, to be shown to its user there and nowhere else.

    Who says it from another account within ten minutes is the same person: see confirm.
    """
    with opened(context) as memory:
        made = memory.identities.code(*_parts(account))
    answer(context, made, lambda: _show_code(made, account))


@group.command()
def confirm(
    context: typer.Context,
    account: AccountArgument,
    code: Annotated[str, argument(metavar="CODE", help="What its user has typed there.")],
) -> None:
    """Link an account in which a code of another one was typed to the person of that."""
    with opened(context) as memory:
        person = memory.identities.confirm(*_parts(account), code)
    answer(context, person, lambda: _show([person]))


def _show_code(made: LinkCode, account: str) -> None:
    show((made.code, "bold"), (f"  until {moment(made.expires_at)}", "dim"))
    next_steps(
        [(f"recollect identities confirm ACCOUNT {made.code}", f"who typed it is {account}, too")]
    )


def _parts(account: str) -> tuple[str, str]:
    """Return the channel of an account, and who there.

    Raises:
        InvalidInput: it has no channel.
    """
    channel, colon, user = account.partition(":")
    if not colon:
        hint = "write channel and id, such as telegram:42"
        raise InvalidInput("an account must have a channel", hint=hint)
    return channel, user


def _show(found: Sequence[LinkedPerson]) -> None:
    if not any(person.accounts for person in found):
        show(("no linked accounts", "bold"), (": recollect identities link NAME ACCOUNT", ""))
    for person in found:
        show((person.user_id, "bold"))
        for each in person.accounts:
            show((f"  {each.account}", ""), (f"  {each.made_by}", "dim"))
