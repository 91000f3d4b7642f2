"""The agent programs that recollect can be put into: name -> where its `Integration` is."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from recollect.integrations.installing import Integration
from recollect.integrations.mcp_clients.clients import client_named
from recollect.integrations.mcp_clients.install import McpEntry

AGENTS: Mapping[str, str] = {
    "gemini": "gemini.install:Gemini",
    "codex": "codex.install:Codex",
}
"""Imported when they are asked for; in the order of the help."""


def integration_of(name: str) -> Integration:
    """Return the integration of an agent of the table.

    Raises:
        KeyError: there is none of that name.
    """
    module, _, kind = AGENTS[name].partition(":")
    found = getattr(import_module(f"recollect.integrations.{module}"), kind)
    return cast("Integration", found())


def mcp_entry_of(name: str) -> McpEntry:
    """Return the integration of an MCP client.

    Raises:
        InvalidInput: there is none of that name; the hint has the nearest.
    """
    return McpEntry(client_named(name))
