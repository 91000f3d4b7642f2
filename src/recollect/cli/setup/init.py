"""`recollect init`: makes a home, and a workspace if one is named; connects agent programs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import msgspec
import typer

from recollect.cli.help import App
from recollect.cli.invocation import (
    answer,
    answers_json,
    argument,
    home_of,
    invocation_of,
    is_home,
)
from recollect.cli.output.screen import next_steps, show
from recollect.cli.setup.service import Service, service_of
from recollect.core.errors import InvalidInput, RecollectError
from recollect.integrations.agents import AGENTS, MCP, integration_of
from recollect.server.presence import is_served

if TYPE_CHECKING:  # they bring the database, which the help does without
    from recollect.cli.setup.connecting import Connected, PastedEntry, Started
    from recollect.integrations.installing import Integration

MEMORY_FILE = "MEMORY.md"
MEMORY_FOLDER = "memory"
FIRST_MEMORY = """\
# Memory

What should be known in every conversation. Notes of a day go into memory/, such as
memory/2026-05-12.md.
"""

CHECKPOINTED = ("claude-code", "codex", "gemini")
"""Agents that report a tool before it runs."""
_OF_AGENT = {"http": "claude-code", "mcp": "openclaw", "as": MCP}
"""Option -> the agent that it is for; what --print is for says `entry_of`."""

app = App()


_Workspace: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="The folder of MEMORY.md and memory/; created if it does not exist.",
        metavar="DIR",
        show_default=False,
    ),
]
_Fresh: TypeAlias = Annotated[
    bool, typer.Option("--fresh", help="Start over; the old files are moved to the folder aside.")
]
_WithService: TypeAlias = Annotated[
    bool,
    typer.Option("--service", help="Write a service that starts the worker when you log in."),
]
_Remove: TypeAlias = Annotated[
    bool, typer.Option("--remove", help="Disconnect the memory from AGENT.")
]
_Http: TypeAlias = Annotated[
    bool, typer.Option("--http", help="AGENT calls the worker itself; needs server.port.")
]
_DryRun: TypeAlias = Annotated[
    bool,
    typer.Option("--dry-run", help="Only show every file, or the service; nothing is made."),
]
_Mcp: TypeAlias = Annotated[
    bool, typer.Option("--mcp", help="With openclaw: only an MCP entry, no plugin.")
]
_Client: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--client",
        help="With mcp: which program, such as cursor or vscode.",
        metavar="NAME",
        show_default=False,
    ),
]
_Audience: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--as",
        help="With mcp: whose conversations it sees, owner, shared or session:KEY.",
        metavar="AUDIENCE",
        show_default=False,
    ),
]
_NoStart: TypeAlias = Annotated[
    bool,
    typer.Option("--no-start", help="The worker does not start by itself with the first event."),
]
_Checkpoints: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--checkpoints",
        help=f"Keep files before AGENT changes them: {', '.join(CHECKPOINTED)}.",
    ),
]
_Root: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--root",
        help="With --checkpoints: the folder of these files; the current one by default.",
        metavar="DIR",
        show_default=False,
    ),
]
_Printed: TypeAlias = Annotated[
    bool, typer.Option("--print", help="With mcp: only print the entry, to paste it.")
]
_Languages: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--languages",
        help="Which are spoken, such as en,de,zh; asked, or the locale's, by default.",
        metavar="CODES",
        show_default=False,
    ),
]


@app.command(rich_help_panel="Begin")
def init(
    context: typer.Context,
    agent: Annotated[
        str | None,
        argument(metavar="AGENT", help=f"Connect the memory to it: {', '.join((*AGENTS, MCP))}."),
    ] = None,
    *,
    workspace: _Workspace = None,
    fresh: _Fresh = False,
    languages: _Languages = None,
    service: _WithService = False,
    remove: _Remove = False,
    http: _Http = False,
    mcp: _Mcp = False,
    client: _Client = None,
    audience: _Audience = None,
    no_start: _NoStart = False,
    checkpoints: _Checkpoints = False,
    root: _Root = None,
    is_printed: _Printed = False,
    dry_run: _DryRun = False,
) -> None:
    """Create the home, with a commented config.yaml. It is safe to run it again."""
    from recollect.cli.setup.languages import spoken
    from recollect.core.settings import user_path
    from recollect.integrations.agent_finding import found_agents

    home = home_of(context)
    options = {"http": http, "mcp": mcp, "as": audience, "no_start": no_start, "print": is_printed}
    options["checkpoints"] = _root(root, is_wanted=checkpoints)
    codes = None if languages is None else spoken(languages, is_asked=False)
    integration = None
    if agent is not None:
        integration = integration_of(agent, client)
        only_alone = {"fresh": fresh, "service": service, "languages": languages}
        _check_options(agent, options, only_alone)
    elif remove or client is not None or any(options.values()):
        names = ", ".join((*AGENTS, MCP))
        raise InvalidInput("these options are for an agent", hint=f"name one: {names}")
    paths = _missing(home)
    if integration is not None and (remove or dry_run or is_printed):
        _agent(context, home, integration, options, paths, remove=remove, dry_run=dry_run)
        return
    offered = service_of(home)
    if dry_run:
        answer(context, offered, lambda: _show_service(offered))
        return
    chosen_folder = workspace or invocation_of(context).workspace
    folder = None if chosen_folder is None else user_path(chosen_folder).absolute()
    started = _start(home, folder, fresh=fresh)
    if integration is not None:
        _agent(context, home, integration, options, paths, remove=False, dry_run=False)
        return
    if service or (not offered.is_written and _wants(context, offered)):
        started = _with_service(started, offered)
    _offer(context, home)
    codes = codes or spoken(None, is_asked=_is_asked(context))
    started = msgspec.structs.replace(started, agents=found_agents(home), languages=codes)
    answer(context, started, lambda: _show(started))


def _check_options(agent: str, options: dict[str, Any], only_alone: dict[str, Any]) -> None:
    """Refuse what an agent would not do: it must not look as if it were done."""
    for name, of in _OF_AGENT.items():
        if options[name] and agent != of:
            hint = f"leave it out, or use `recollect init {of}`"
            raise InvalidInput(f"--{name} must go with {of}", hint=hint)
    if options["checkpoints"] and agent not in CHECKPOINTED:
        hint = f"leave it out, or use `recollect init {CHECKPOINTED[0]} --checkpoints`"
        raise InvalidInput(f"--checkpoints must go with {', '.join(CHECKPOINTED)}", hint=hint)
    for name in (name for name, value in only_alone.items() if value):
        hint = f"run `recollect init --{name}` first, then `recollect init {agent}`"
        raise InvalidInput(f"--{name} must not be combined with an agent", hint=hint)


def _root(root: Path | None, *, is_wanted: bool) -> str | None:
    """Return the folder whose files are to be kept; None where none are.

    Raises:
        InvalidInput: a folder is named without --checkpoints, or is none.
    """
    if root is not None and not is_wanted:
        raise InvalidInput("--root must go with --checkpoints", hint="add it, or leave --root out")
    if not is_wanted:
        return None
    folder = os.path.realpath(Path.cwd() if root is None else root.expanduser())
    if not os.path.isdir(folder):
        raise InvalidInput("the root must be a folder", hint="check the path", path=folder)
    return folder


def _agent(
    context: typer.Context,
    home: Path,
    integration: Integration,
    options: dict[str, Any],
    paths: list[str],
    *,
    remove: bool,
    dry_run: bool,
) -> None:
    """Put the memory into an agent program, or take it out, or print what goes into its file."""
    from recollect.cli.setup.connecting import connect, disconnect, entry_of

    if options["print"]:
        entry = entry_of(home, integration, options)
        answer(context, entry, lambda: _show_entry(entry))
        return
    if remove:
        connected = disconnect(home, integration.name, dry_run=dry_run)
    else:
        connected = connect(home, integration, options, dry_run=dry_run, new_files=paths)
    answer(context, connected, lambda: _show_agent(connected, home))


def _offer(context: typer.Context, home: Path) -> None:
    """Ask a person for each agent that is here whether it gets the memory."""
    from recollect.cli.setup.connecting import connect, show_connected
    from recollect.integrations.agent_finding import found_agents

    if not _is_asked(context):
        return
    for agent in found_agents(home):
        if agent.remembers and typer.confirm(f"Put the memory into {agent.title}?", err=True):
            try:
                show_connected(connect(home, integration_of(agent.name), {}, dry_run=False))
            except RecollectError as error:  # the others are still offered
                show((f"{agent.title}: {error.message}", "yellow"))
                show((f"  {error.hint}", ""))


def _show_entry(entry: PastedEntry) -> None:
    show((f"goes into {entry.path}:", "bold green"))
    show((entry.text, ""))


def _show_agent(connected: Connected, home: Path) -> None:
    from recollect.cli.setup.connecting import command_of, show_connected
    from recollect.core.settings import load_settings

    show_connected(connected)
    if connected.dry_run or connected.is_removal:
        return
    steps = [(f"{command_of(connected.client)} --remove", "take it out again")]
    starts = load_settings(home).settings.worker.autostart
    if connected.has_hooks and not starts and not is_served(home):
        steps.insert(0, ("recollect serve --daemon", "start the worker that the hooks report to"))
    next_steps([*steps, ("recollect status", "see what is remembered")])


def _is_asked(context: typer.Context) -> bool:
    """Return whether a person can answer: never asks without a terminal."""
    return not answers_json(context) and sys.stdin.isatty()


def _wants(context: typer.Context, offered: Service) -> bool:
    """Ask a person whether the worker is to start by itself."""
    if not _is_asked(context):
        return False
    question = f"Start the worker when you log in, by {offered.path}?"
    return typer.confirm(question, err=True)


def _with_service(started: Started, offered: Service) -> Started:
    from recollect.store.failures import os_errors
    from recollect.store.files import write_file

    path = Path(offered.path)
    paths = [] if offered.is_written else [offered.path]
    with os_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, offered.text.encode("utf-8", "surrogateescape"))
    return msgspec.structs.replace(started, service=offered, made=[*started.made, *paths])


def _show_service(offered: Service) -> None:
    show((f"would be written to {offered.path}:", "bold green"))
    show((offered.text, ""))
    next_steps([("recollect init --service", "write it"), (offered.start, "then start it")])


def _start(home: Path, workspace: Path | None, *, fresh: bool) -> Started:
    from recollect.cli.setup.connecting import Started
    from recollect.core.clock import SystemClock
    from recollect.governance.aside import set_home_aside
    from recollect.memory import open_memory
    from recollect.store.files import private_folder
    from recollect.store.sqlite.home import refuse_lost

    is_home(home)  # refuses a file in its place
    aside = set_home_aside(home, SystemClock()) if fresh else None
    refuse_lost(home)
    paths = [] if home.is_dir() else [str(home)]
    private_folder(home)
    if workspace is not None:
        paths += _make_workspace(workspace)
    paths += _write_config(home, workspace)
    paths += [] if (home / "records.db").exists() else [str(home / "records.db")]
    with open_memory(home, live=False) as memory:
        status = memory.status()
    return Started(
        home=str(home),
        workspace=status.workspace,
        made=paths,
        embedder=status.embedder,
        withheld=list(status.index.withheld),
        aside=None if aside is None else str(aside),
    )


def _missing(home: Path) -> list[str]:
    """Return which of its files a home does not have yet."""
    return [
        str(home / name) for name in ("config.yaml", "records.db") if not (home / name).exists()
    ]


def _make_workspace(folder: Path) -> list[str]:
    """Make a workspace where there is none; what exists is left as it is."""
    from recollect.store.failures import translate_os

    if folder.exists() and not folder.is_dir():
        raise InvalidInput(
            "the workspace is a file", hint="name a folder with --workspace", path=str(folder)
        )
    if folder.is_dir() and any(folder.iterdir()):
        return []
    try:
        (folder / MEMORY_FOLDER).mkdir(parents=True, exist_ok=True)
        (folder / MEMORY_FILE).write_text(FIRST_MEMORY, encoding="utf-8")
    except OSError as error:
        raise translate_os(error, folder) from error
    return [str(folder)]


def _write_config(home: Path, workspace: Path | None) -> list[str]:
    """Write config.yaml when it is missing or names another workspace."""
    from recollect.core.settings import load_settings
    from recollect.core.settings.config_file import first_config, with_setting
    from recollect.core.settings.sources import FILE_NAME
    from recollect.store.files import write_file

    path = home / FILE_NAME
    before = path.read_text("utf-8-sig") if path.exists() else ""
    if before:
        load_settings(home)  # a file that cannot be understood is not touched
    text = before or first_config()
    if workspace is not None:
        text = with_setting(text, "workspace.path", os.fspath(workspace))
    if text == before:
        return []
    write_file(path, text.encode())
    return [str(path)]


def _show(started: Started) -> None:
    from recollect.cli.setup.languages import model_steps

    if started.aside:
        show(("set aside", "bold green"), (f"  {started.aside}", ""))
    if started.made:
        show(("made", "bold green"), (f"  {started.made[0]}", ""))
        for path in started.made[1:]:
            show((f"      {path}", ""))
    else:
        show(("all there", "bold green"), (f"  {started.home}", ""))
    steps = [] if started.service is None else [(started.service.start, "start the worker")]
    steps += [("recollect import claude-code", "your conversations; or: openclaw, jsonl FILE")]
    gets = {True: "remember what {} does", False: "let {} search the memory"}
    steps += [(each.command, gets[each.remembers].format(each.title)) for each in started.agents]
    steps += _left_by_others()
    if started.workspace is None:
        steps.append(("recollect init --workspace DIR", "your notes: MEMORY.md and memory/"))
    steps += model_steps(Path(started.home), started.languages, started.embedder)
    if started.withheld:
        kinds = ",".join(("memory", "sessions", *started.withheld))
        question = f"let {started.embedder} get these kinds too"
        steps.append((f"recollect config set embedding.sources {kinds}", question))
    next_steps([*steps, ('recollect search "…"', "ask")])


def _left_by_others() -> list[tuple[str, str]]:
    """Return the commands that import data of similar programs on this machine."""
    from recollect.core.settings import claude_mem_database, openclaw_mem_settings

    lines = []
    if claude_mem_database().is_file():
        lines.append(("recollect import claude-mem", "what claude-mem kept"))
    if openclaw_mem_settings().is_file():
        lines.append(("recollect config import", "the settings of OpenClaw-Mem"))
    return lines
