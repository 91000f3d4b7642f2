"""`recollect token`: whom the operator lets in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.addresses import path_or_name
from recollect.cli.help import App
from recollect.cli.invocation import answer, argument, opened
from recollect.cli.output.formatting import moment
from recollect.cli.output.screen import say, show
from recollect.core.errors import InvalidInput
from recollect.text.times.moments import read_duration, read_moment

if TYPE_CHECKING:  # for a name only
    from pathlib import Path

    from recollect.governance.tokens import IssuedToken, Token

app = App()
group = App(help="Say who may call the worker, and as whom.", invoke_without_command=True)
app.add_typer(group, name="token", rich_help_panel="Set up")

_HEARS = {
    "owner": "hears everything in its scope, as you do",
    "session:*": "hears as the session that each request names, and nothing without one",
    "shared": "hears as a guest of its own: what it captured, and what you share with guests",
}


@group.callback()
def tokens(context: typer.Context) -> None:
    """Manage who may call the worker; without a command, list the tokens."""
    if context.invoked_subcommand is None:
        list_tokens(context)


@group.command()
def add(
    context: typer.Context,
    name: Annotated[str, argument(metavar="NAME", help="Its name in events and in the audit log.")],
    *,
    audience: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="WHO",
            help="Whose conversations it sees: owner, shared, session:KEY or session:*.",
        ),
    ] = "shared",
    rights: Annotated[
        str,
        typer.Option(
            help="read, capture, write, files or admin, each with those before it; or hooks: what "
            "an agent program's hooks need, and nothing else."
        ),
    ] = "read",
    channels: Annotated[
        str,
        typer.Option(help="Channels that it may write for: telegram,slack; * for all."),
    ] = "",
    tenant: Annotated[str, typer.Option(help="The tenant whose memory it opens.")] = "local",
    agent: Annotated[str | None, typer.Option(help="Only this agent.", show_default=False)] = None,
    project: Annotated[
        str | None,
        typer.Option(help="Only this project: a path, name or id.", show_default=False),
    ] = None,
    expires: Annotated[
        str | None,
        typer.Option(help="When it expires: 30d, 12h or 2027-01-31. Never by default."),
    ] = None,
) -> None:
    """Let a program call the worker; its token is printed once."""
    from recollect.governance.tokens import check_right

    with opened(context) as memory:
        memory.tokens.file.ensure()
        issued = memory.tokens.add(
            name,
            tenant=tenant,
            agent=agent,
            project=None if project is None else memory.projects.find(path_or_name(project)),
            audience=audience,
            rights=check_right(rights),
            channels=[each for each in channels.split(",") if each.strip()],
            expires_at=None if expires is None else _end(expires),
        )
    answer(context, issued, lambda: _show_issued(issued))


@group.command("list")
def list_tokens(
    context: typer.Context,
    *,
    revoked: Annotated[bool, typer.Option("--all", help="Include revoked tokens.")] = False,
) -> None:
    """List the tokens; their secrets are not stored."""
    with opened(context) as memory:
        path = memory.tokens.file.ensure()
        rows = memory.tokens.list(revoked=revoked)
    from recollect.answers.token import TokenList

    answer(context, TokenList(tokens=rows, file=str(path)), lambda: _show(rows, path))


@group.command()
def revoke(
    context: typer.Context,
    name: Annotated[str, argument(metavar="NAME", help="Its name or id.")],
) -> None:
    """Revoke a token: it is refused from the next request on."""
    with opened(context) as memory:
        token = memory.tokens.revoke(name)
    answer(context, token, lambda: show(("revoked", "bold yellow"), (f": {token.name}", "")))


@group.command()
def rotate(context: typer.Context) -> None:
    """Replace the owner's token in the file `token` of the home."""
    with opened(context) as memory:
        memory.tokens.rotate()
        path = memory.tokens.file.path
    from recollect.answers.token import TokenPlace

    answer(context, TokenPlace(path=str(path)), lambda: _show_rotated(path))


def _end(expires: str) -> int:
    from recollect.core.clock import SystemClock

    now = SystemClock().now_ms()
    try:
        return now + read_duration(expires)
    except InvalidInput:
        return read_moment(expires, now, None)


def _show_issued(issued: IssuedToken) -> None:
    show((issued.text, "bold"))
    token = issued.token
    hears = _HEARS.get(token.audience, f"hears as the session {token.session_key}")
    may = ", ".join([token.rights, *_limits(token)])
    say((token.name, "bold"), (f": {hears}; may {may}", ""))
    say(("keep the token now: it is not shown again", "dim"))


def _show(rows: list[Token], path: Path) -> None:
    from recollect.core.clock import SystemClock

    now = SystemClock().now_ms()
    for token in rows:
        end = f"in {path}" if token.id == "owner" else _life(token, now)
        limits = ", ".join(_limits(token))
        show(
            (f"{token.name:<16}", "bold"),
            (f"  {token.audience:<8}  {token.rights:<8}", ""),
            (f"  {limits}" if limits else "", ""),
            (f"  {end}", "dim"),
        )


def _limits(token: Token) -> list[str]:
    parts = [
        f"tenant {token.tenant}" if token.tenant != "local" else "",
        f"agent {token.agent}" if token.agent else "",
        f"project {token.project}" if token.project else "",
        f"speaks for {', '.join(token.channels)}" if token.channels and token.id != "owner" else "",
    ]
    return [part for part in parts if part]


def _life(token: Token, now: int) -> str:
    if token.revoked_at is not None:
        return f"revoked {moment(token.revoked_at)}"
    usage = "never used" if token.last_used_at is None else f"used {moment(token.last_used_at)}"
    if token.expires_at is None:
        return usage
    ends = "ends" if token.is_valid(now) else "ended"
    return f"{usage}, {ends} {moment(token.expires_at)}"


def _show_rotated(path: Path) -> None:
    show(("rotated", "bold green"), (f": {path} has another token; the one before is void", ""))
