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
    from recollect.sessions.proposals import IdentityProposal

app = App()
group = App(help="Say which accounts are one person.", invoke_without_command=True)
app.add_typer(group, name="identities", rich_help_panel="Set up")

AccountArgument = Annotated[
    str,
    argument(metavar="ACCOUNT", help="Channel and id: telegram:42, or irc:libera:bob."),
]


NumberArgument = Annotated[int, argument(metavar="NUMBER", help="Of the proposal.")]


@group.callback()
def identities(context: typer.Context) -> None:
    """Manage which accounts are one person; without a command, list people."""
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
        people = memory.identities.list(name)
    answer(context, IdentityList(identities=people), lambda: _show(people))


@group.command()
def resolve(context: typer.Context, account: AccountArgument) -> None:
    """Show the person behind an account; a new one if it is not linked."""
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
    """Link an account to a person: each sees what the other said, before and from now on."""
    with opened(context) as memory:
        person = memory.identities.link(name, *_parts(account))
    answer(context, person, lambda: _show([person]))


@group.command()
def unlink(context: typer.Context, account: AccountArgument) -> None:
    """Make an account a person of its own again; nothing is lost."""
    with opened(context) as memory:
        unlinked = memory.identities.unlink(*_parts(account))
    answer(
        context, unlinked, lambda: show(("unlinked", "bold yellow"), (f": {unlinked.account}", ""))
    )


@group.command()
def code(context: typer.Context, account: AccountArgument) -> None:
    """Create a one-time code for an account. Show it to its user there and nowhere else.

    Whoever enters it from another account within ten minutes is the same person: see confirm.
    """
    with opened(context) as memory:
        code = memory.identities.code(*_parts(account))
    answer(context, code, lambda: _show_code(code, account))


@group.command()
def confirm(
    context: typer.Context,
    account: AccountArgument,
    code: Annotated[str, argument(metavar="CODE", help="The code that its user entered.")],
) -> None:
    """Link an account to the person whose code was entered in it."""
    with opened(context) as memory:
        person = memory.identities.confirm(*_parts(account), code)
    answer(context, person, lambda: _show([person]))


@group.command()
def proposals(context: typer.Context) -> None:
    """List who claims in a chat to have another account, too; nothing is linked by that."""
    from recollect.answers.identity import ProposalList

    with opened(context) as memory:
        rows = memory.identities.proposals()
    answer(context, ProposalList(proposals=rows), lambda: _show_proposals(rows))


@group.command()
def accept(
    context: typer.Context,
    number: NumberArgument,
    account: Annotated[
        str | None,
        argument(
            metavar="[ACCOUNT]",
            help="The claimed account, where the claim has only a handle of it: telegram:42.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Link the account of a proposal and the claimed one."""
    with opened(context) as memory:
        channel, user = _parts(account) if account is not None else (None, None)
        person = memory.identities.accept(number, channel, user)
    answer(context, person, lambda: _show([person]))


@group.command()
def dismiss(context: typer.Context, number: NumberArgument) -> None:
    """Dismiss a proposal; the same claim of the same account is not listed again."""
    with opened(context) as memory:
        proposal = memory.identities.dismiss(number)
    claimed = f": {proposal.claimed}"
    answer(context, proposal, lambda: show(("dismissed", "bold yellow"), (claimed, "")))


def _show_proposals(rows: Sequence[IdentityProposal]) -> None:
    if not rows:
        show(("no open proposals", "bold"))
    for each in rows:
        show((f"{each.number}", "bold"), (f"  {each.account} claims to be {each.claimed}", ""))
        show((f"   {moment(each.said_at)}  {each.text}", "dim"))


def _show_code(code: LinkCode, account: str) -> None:
    show((code.code, "bold"), (f"  until {moment(code.expires_at)}", "dim"))
    next_steps(
        [(f"recollect identities confirm ACCOUNT {code.code}", f"who enters it is {account}, too")]
    )


def _parts(account: str) -> tuple[str, str]:
    """Return the channel of an account, and its user there.

    Raises:
        InvalidInput: it has no channel.
    """
    channel, colon, user = account.partition(":")
    if not colon:
        hint = "write channel and id, such as telegram:42"
        raise InvalidInput("an account must have a channel", hint=hint)
    return channel, user


def _show(people: Sequence[LinkedPerson]) -> None:
    if not any(person.accounts for person in people):
        show(("no linked accounts", "bold"), (": recollect identities link NAME ACCOUNT", ""))
    for person in people:
        show((person.user_id, "bold"))
        for each in person.accounts:
            show((f"  {each.account}", ""), (f"  {each.made_by}", "dim"))
