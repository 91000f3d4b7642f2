"""`recollect serve`: the worker, in the foreground or in the background; its end and its state."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from recollect.answers.error import FAILED
from recollect.cli.help import App
from recollect.cli.invocation import answer, answers_json, require_home
from recollect.cli.output.formatting import moment
from recollect.cli.output.screen import next_steps, say, show, show_pairs, warn
from recollect.core.errors import ConfigError, InvalidInput
from recollect.server.presence import LOG_FILE, LOGS, TOKEN_FILE, Presence

if TYPE_CHECKING:  # for a name only
    from recollect.server.worker.daemon import WorkerState

app = App()
group = App(help="Serve the memory to other programs over HTTP.", invoke_without_command=True)
app.add_typer(group, name="serve", rich_help_panel="Set up")


class StartedWorker(msgspec.Struct, frozen=True, kw_only=True):
    """A worker that started."""

    home: str
    worker: Presence
    token: str


class Stopped(msgspec.Struct, frozen=True, kw_only=True):
    """The worker that was stopped; null where none ran."""

    stopped: Presence | None


@group.callback()
def serve(
    context: typer.Context,
    *,
    daemon: Annotated[
        bool, typer.Option("--daemon", help="Run in the background; returns as soon as it answers.")
    ] = False,
    by_event: Annotated[
        bool, typer.Option("--by-event", hidden=True, help="As a hook that finds no worker.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(help="Listen there, instead of at server.port.", show_default=False),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(help="The address to listen on, instead of server.host.", show_default=False),
    ] = None,
) -> None:
    """Serve the memory to other programs over HTTP, until Ctrl-C."""
    options: dict[str, int | str | None] = {"port": port, "host": host}
    listen_options = {name: value for name, value in options.items() if value is not None}
    if context.invoked_subcommand is not None:
        if listen_options:
            raise InvalidInput("--port and --host are for the start", hint="leave them out")
        return
    home = require_home(context)
    if by_event:
        from recollect.core.clock import SystemClock
        from recollect.hook.keeping import start_worker
        from recollect.server.worker.daemon import look_at

        start_worker(str(home), SystemClock().now_ms() * 1_000_000, b"{}")
        state = look_at(home)
        answer(context, state, lambda: _show_state(state))
        return
    if daemon:
        from recollect.server.worker.daemon import start

        there = start(home, listen_options)
        _tell_start(context, home, there)
        return
    _run(context, home, listen_options)


@group.command()
def stop(context: typer.Context) -> None:
    """Stop the worker of this home; requests in progress are answered first."""
    from recollect.server.worker.daemon import stop as stop_worker

    there = stop_worker(require_home(context))
    remark = "no worker runs" if there is None else f"stopped process {there.pid}"
    answer(context, Stopped(stopped=there), lambda: show((remark, "bold green")))


@group.command()
def status(context: typer.Context) -> None:
    """Show whether a worker serves this home, where, and whether commands use it."""
    from recollect.server.worker.daemon import look_at

    state = look_at(require_home(context))
    answer(context, state, lambda: _show_state(state))
    if not state.running:
        raise typer.Exit(FAILED)


def _run(context: typer.Context, home: Path, listen_options: Mapping[str, int | str]) -> None:
    """Serve in this process until it is stopped."""
    try:
        from recollect.server.worker.home_worker import HomeWorker
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "recollect":
            raise
        raise ConfigError(
            f"the HTTP server needs {error.name}, which is not installed",
            hint="run pip install 'recollect[server]'",
        ) from error
    overrides = {f"server.{name}": value for name, value in listen_options.items()}
    HomeWorker(home, overrides).run(lambda there: _tell_start(context, home, there))
    if not answers_json(context):
        say(("stopped", "dim"))


def _tell_start(context: typer.Context, home: Path, there: Presence) -> None:
    document = StartedWorker(home=str(home), worker=there, token=str(home / TOKEN_FILE))
    answer(context, document, lambda: _show_start(home, there))


def _show_start(home: Path, there: Presence) -> None:
    where = "this machine and others" if there.is_open else "this machine"
    show(("serves", "bold green"), (f"  {there.address}", "bold"))
    pairs = [
        ("home", str(home)),
        ("who may call", f"programs of {where}, with a token"),
        ("token", str(home / TOKEN_FILE)),
        ("socket", there.socket or ""),
        ("log", str(home / LOGS / LOG_FILE)),
        ("process", str(there.pid)),
    ]
    show_pairs((pair for pair in pairs if pair[1]), indent=2)


def _show_state(state: WorkerState) -> None:
    if not state.running:
        show(("no worker runs", "bold"))
        next_steps([("recollect serve --daemon", "start one")])
        return
    there = state.worker
    if there is None:
        show(("a worker starts or stops", "bold"))
        return
    show(("serves" if state.answers else "hangs", "bold green" if state.answers else "bold red"))
    pairs = [
        ("address", there.address),
        ("socket", there.socket or ""),
        ("process", str(there.pid)),
        ("since", moment(there.started_at)),
        ("version", f"{there.version}, protocol {there.protocol}"),
    ]
    show_pairs((pair for pair in pairs if pair[1]), indent=2)
    if state.unused_because:
        warn(f"commands do not use it: {state.unused_because}")
        next_steps([("recollect serve stop", "end it; then start it again")])
