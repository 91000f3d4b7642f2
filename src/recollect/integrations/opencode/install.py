"""Installs recollect into OpenCode: a plugin in its folder of plugins, and the MCP server."""

from __future__ import annotations

import json
from importlib.resources import files

from recollect.core.settings import client_folders
from recollect.integrations.commands import hook_command, missing_packages
from recollect.integrations.installing import Installation, Setup, TokenOrder, installation_of
from recollect.integrations.mcp_clients.install import server_entries
from recollect.integrations.opencode.payloads import OpenCodeHooks

PLUGIN = "recollect.js"
_COMMAND = "const COMMAND = [];"
"""The line of the plugin that the command of the hook client takes the place of."""
_EVENT = "EVENT"
_AGAIN = "Start OpenCode again: it loads plugins when it starts."


class OpenCode:
    """A plugin and the MCP server for OpenCode 1 and 2."""

    name = OpenCodeHooks.name
    title = "OpenCode"

    def is_here(self) -> bool:
        """Return whether OpenCode has settings of this user."""
        return (client_folders()["config"] / "opencode").is_dir()

    def installation(self, setup: Setup) -> Installation:
        """Return the plugin, and the change of its settings.

        Raises:
            InvalidInput: they are not valid; the hint has what to put into them.
        """
        file = client_folders()["config"] / "opencode" / "plugins" / PLUGIN
        return installation_of(
            setup.home,
            self.name,
            own={file: _plugin(setup)},
            entries=server_entries(self.name, setup),
            notes=[_AGAIN, *missing_packages()],
            token=TokenOrder(),
        )


def _plugin(setup: Setup) -> bytes:
    source = (files(__package__) / "plugin" / PLUGIN).read_text(encoding="utf-8")
    command = json.dumps(hook_command(setup, OpenCode.name, _EVENT))
    return source.replace(_COMMAND, f"const COMMAND = {command};").encode()
