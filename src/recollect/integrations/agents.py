"""The table of agent programs: the module of each integration, imported on first use."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, cast

from recollect.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:  # it imports the database, and `recollect --help` only names the agents
    from recollect.integrations.installing import Integration

AGENTS: Mapping[str, str] = {
    "claude-code": "claude_code.install:ClaudeCode",
    "codex": "codex.install:Codex",
    "copilot": "copilot.install:Copilot",
    "cursor": "cursor.install:Cursor",
    "gemini": "gemini.install:Gemini",
    "openclaw": "openclaw.install:OpenClaw",
    "opencode": "opencode.install:OpenCode",
    "windsurf": "windsurf.install:Windsurf",
}
"""Name of an agent program -> module in `recollect.integrations` and class, ordered by name."""
MCP = "mcp"
"""Instead of an agent: any program that speaks MCP, which gets tools and reports nothing."""


def integration_of(agent: str, client: str | None = None) -> Integration:
    """Return the integration of an agent program.

    Args:
        agent: Of `AGENTS`, or `MCP`.
        client: For `MCP` the name of the program.

    Raises:
        NotFound: the agent is unknown.
        InvalidInput: the client is unknown, or missing.
    """
    if (agent == MCP) != (client is not None):
        raise InvalidInput(
            "a client must be named with mcp, and only there",
            hint="use `recollect init mcp --client NAME`, such as cursor or vscode",
        )
    if client is not None:
        return _mcp_entry(client)
    if agent not in AGENTS:
        near = difflib.get_close_matches(agent, AGENTS, 1) or [*AGENTS, MCP]
        hint = f"name {' or '.join(near)}; `recollect init mcp --client NAME` is for all others"
        if agent in (clients := mcp_names()):
            hint = f"use `recollect init mcp --client {agent}`: it has no hooks"
        elif close := difflib.get_close_matches(agent, clients, 1):
            hint = f"name {near[0]}, or use `recollect init mcp --client {close[0]}`"
        raise NotFound("recollect does not know this agent", hint=hint)
    module, _, kind = AGENTS[agent].partition(":")
    package = import_module(f"recollect.integrations.{module}")
    return cast("Integration", getattr(package, kind)())


def mcp_names() -> list[str]:
    """Return the names of the MCP clients."""
    from recollect.integrations.mcp_clients.clients import CLIENTS

    return [each.name for each in CLIENTS]


def _mcp_entry(client: str) -> Integration:
    from recollect.integrations.mcp_clients.clients import client_named
    from recollect.integrations.mcp_clients.install import McpEntry

    if client in AGENTS and client not in mcp_names():
        raise InvalidInput(
            "this agent is put in by its own name",
            hint=f"use `recollect init {client}`: it gets tools, and remembers by itself",
        )
    return McpEntry(client_named(client))
