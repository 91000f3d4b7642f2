"""`recollect hook`: an event of an agent program, handed over as its hooks do it, for people."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import msgspec
import typer

from recollect.cli.failures import tell_incomplete
from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, argument, require_home
from recollect.cli.output.formatting import duration
from recollect.cli.output.screen import say
from recollect.core.errors import Denied, InvalidInput
from recollect.integrations.agents import AGENTS
from recollect.server.presence import is_served

app = App()

PATIENCE_S = 30.0
REPORTING = tuple(name for name in AGENTS if name != "openclaw")
"""Programs with hooks; the store of OpenClaw is followed."""
START_HINT = "start the worker with `recollect serve --daemon`; see `recollect status`"


@app.command(rich_help_panel="Set up")
def hook(
    context: typer.Context,
    client: Annotated[str, argument(metavar="CLIENT", help="The program: claude-code, …")],
    event: Annotated[str, argument(metavar="EVENT", help="Its name of the event: Stop, …")],
) -> None:
    """Hand an event to the worker as an agent's hook does; its payload is read from stdin."""
    home = require_home(context)
    from recollect.hook.client import Discarded, HookCall
    from recollect.hook.keeping import keep

    if client not in REPORTING:
        raise InvalidInput(
            "the client must be one that reports through hooks", hint=f"name {', '.join(REPORTING)}"
        )
    try:
        call = HookCall(client, event, str(home))
        call.read(sys.stdin.fileno())
    except Discarded as error:
        raise InvalidInput(str(error), hint="see `recollect hook --help`") from error
    began = time.perf_counter()
    try:
        reply = call.deliver(PATIENCE_S)
    except Discarded as error:
        hint = f"put a token that is listed by `recollect token list` into hooks/{client}.token"
        raise Denied(str(error), hint=hint) from error
    except Exception as error:  # the hook itself survives any of them
        from recollect.cli.output.status_lines import RESTART_HINT

        outcome = keep(home, client, event, call.at, call.payload or b"")
        stays = "its payload cannot be redacted: it is lost" if outcome is None else "it is spooled"
        why = str(error) or type(error).__name__
        hint = RESTART_HINT if is_served(home) else START_HINT
        message = f"the event was not delivered, {stays}: {why}"
        raise typer.Exit(tell_incomplete(message, hint, as_json=answers_json(context))) from error
    took_s = time.perf_counter() - began
    from recollect.answers.hook import HookDelivery

    delivery = HookDelivery(answer=msgspec.Raw(reply), took_ms=round(took_s * 1000, 3))
    answer(context, delivery, lambda: _show(reply, took_s))


def _show(reply: bytes, took_s: float) -> None:
    print(reply.decode())
    say(("delivered", "bold green"), (f" in {duration(took_s)}", ""))
