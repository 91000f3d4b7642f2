"""Installs recollect into Windsurf: hooks in its hooks.json, the MCP server in mcp_config.json."""

from __future__ import annotations

import shlex

from recollect.core.settings import client_folders
from recollect.integrations.commands import hook_command, missing_packages
from recollect.integrations.installing import Installation, Setup, TokenOrder, installation_of
from recollect.integrations.json_text import JsonEntry
from recollect.integrations.mcp_clients.install import server_entries
from recollect.integrations.windsurf.payloads import EVENTS, WindsurfHooks

_NOTES = (
    "Start Windsurf again: it reads its hooks when it starts.",
    "Its hooks give the model nothing: Cascade asks the memory by the tools.",
)


class Windsurf:
    """Hooks and the MCP server for Cascade, the agent of Windsurf."""

    name = WindsurfHooks.name
    title = "Windsurf"

    def is_here(self) -> bool:
        """Return whether Windsurf has settings of this user."""
        return (client_folders()["home"] / ".codeium" / "windsurf").is_dir()

    def installation(self, setup: Setup) -> Installation:
        """Return the changes to its two files.

        Raises:
            InvalidInput: one of them is not valid; the hint has what to put into it.
        """
        file = client_folders()["home"] / ".codeium" / "windsurf" / "hooks.json"
        return installation_of(
            setup.home,
            self.name,
            entries={file: _hooks(setup), **server_entries(self.name, setup)},
            notes=[*_NOTES, *missing_packages()],
            token=TokenOrder(),
        )


def _hooks(setup: Setup) -> list[JsonEntry]:
    return [
        JsonEntry(
            path=("hooks", event),
            value={
                "command": shlex.join(hook_command(setup, Windsurf.name, event)),
                "show_output": False,
            },
            is_item=True,
        )
        for event in EVENTS
    ]
