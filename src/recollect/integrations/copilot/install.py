"""Installs recollect into GitHub Copilot CLI: a hooks file of its own, and the MCP server."""

from __future__ import annotations

import shlex
from typing import Any

from recollect.core.settings import client_folders
from recollect.integrations.commands import hook_command, hook_timeout_s, missing_packages
from recollect.integrations.copilot.payloads import EVENTS, CopilotHooks
from recollect.integrations.installing import Installation, Setup, TokenOrder, installation_of
from recollect.integrations.json_text import json_file
from recollect.integrations.mcp_clients.install import server_entries

_FORMAT = 1
_AGAIN = "Start Copilot CLI again: sessions that run now do not have the hooks yet."


class Copilot:
    """Hooks and the MCP server for GitHub Copilot CLI."""

    name = CopilotHooks.name
    title = "GitHub Copilot CLI"

    def is_here(self) -> bool:
        """Return whether Copilot CLI has settings of this user."""
        return client_folders()["copilot"].is_dir()

    def installation(self, setup: Setup) -> Installation:
        """Return its hooks file, and the change of the one that names its MCP servers.

        Raises:
            InvalidInput: that one is not valid; the hint has what to put into it.
        """
        file = client_folders()["copilot"] / "hooks" / "recollect.json"
        return installation_of(
            setup.home,
            self.name,
            own={file: json_file({"version": _FORMAT, "hooks": _hooks(setup)})},
            entries=server_entries(self.name, setup),
            notes=[_AGAIN, *missing_packages()],
            token=TokenOrder(),
        )


def _hooks(setup: Setup) -> dict[str, Any]:
    return {
        event: [
            {
                "type": "command",
                "bash": shlex.join(hook_command(setup, Copilot.name, event)),
                "timeoutSec": hook_timeout_s(setup, event),
            }
        ]
        for event in EVENTS
    }
