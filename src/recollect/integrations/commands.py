"""The commands that agent programs start: the hook client for an event, and the MCP server."""

from __future__ import annotations

import math
from importlib.util import find_spec

from recollect.integrations.installing import Setup

DEADLINE_MS = 300
START_MS = 1_500
"""How long the start of a session waits where the worker must be started first."""
KEEPING_MS = 5_000
"""How long a tool that may change files waits at most for what they are: the first look at 100,000
files takes as long."""
_BEGINNING = "sessionstart"
"""How programs with hooks name the start of a session, in upper and lower case."""
_SPARE_MS = 2_000
"""The time a program allows a hook beyond its own deadline, to start and to end."""


def hook_command(setup: Setup, client: str, event: str, *, keeps_files: bool = False) -> list[str]:
    """Return the program and arguments that pass an event of a client to the worker.

    Args:
        setup: The machine.
        client: The agent program.
        event: As the program calls it.
        keeps_files: Whether it is about a tool that changes files, which are kept.
    """
    start = [setup.python, "-I", "-S", setup.hook, client, event, "--home", str(setup.home)]
    own = _deadline_ms(setup)
    deadline = ["--deadline-ms", str(max(own, KEEPING_MS) if keeps_files else own)]
    return [
        *start,
        *deadline,
        *(["--start-ms", str(START_MS)] if event.lower() == _BEGINNING else []),
    ]


def hook_timeout_ms(setup: Setup, event: str, *, keeps_files: bool = False) -> int:
    """Return the timeout of a hook in its client: longer than the hook's own."""
    least = KEEPING_MS if keeps_files else START_MS if event.lower() == _BEGINNING else 0
    return max(_deadline_ms(setup), least) + _SPARE_MS


def hook_timeout_s(setup: Setup, event: str, *, keeps_files: bool = False) -> int:
    """Return the same in whole seconds."""
    return math.ceil(hook_timeout_ms(setup, event, keeps_files=keeps_files) / 1000)


def server_command(setup: Setup, audience: str) -> list[str]:
    """Return the program and arguments of the MCP server, heard as ``audience``."""
    start = [setup.python, "-m", "recollect", "--home", str(setup.home)]
    return [*start, "mcp", "--as", audience]


def start_command(setup: Setup) -> list[str]:
    """Return the program and arguments that start the worker where the settings allow it."""
    start = [setup.python, "-m", "recollect", "--home", str(setup.home)]
    return [*start, "--json", "serve", "--by-event"]


def has_mcp() -> bool:
    """Return whether the MCP server can start: its package is an extra."""
    return find_spec("mcp") is not None


def has_server() -> bool:
    """Return whether the worker can start: its packages are an extra."""
    return find_spec("uvicorn") is not None


def missing_packages() -> list[str]:
    """Return a note for the user for each part that cannot start, for want of its packages."""
    notes = []
    if not has_server():
        notes.append("No worker can start, so nothing is kept: pip install 'recollect[server]'.")
    if not has_mcp():
        notes.append("Its tools are left out: pip install 'recollect[mcp]', then run this again.")
    return notes


def _deadline_ms(setup: Setup) -> int:
    return int(setup.options.get("deadline_ms", DEADLINE_MS))
