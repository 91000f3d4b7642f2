"""Installs recollect into Cursor: hooks in its hooks.json, the MCP server in its mcp.json."""

from __future__ import annotations

import shlex

from recollect.core.settings import client_folders
from recollect.integrations.commands import hook_command, hook_timeout_s, missing_packages
from recollect.integrations.cursor.payloads import EVENTS, CursorHooks
from recollect.integrations.installing import Installation, Setup, TokenOrder, installation_of
from recollect.integrations.json_text import JsonEntry
from recollect.integrations.mcp_clients.install import server_entries

_FORMAT = 1
"""The version of the file; the only one."""
_NOTES = ("Cursor reads its hooks again at once; start it again, so that it has the tools too.",)


class Cursor:
    """Hooks and the MCP server for Cursor, the editor and its command line."""

    name = CursorHooks.name
    title = "Cursor"

    def is_here(self) -> bool:
        """Return whether Cursor has settings of this user."""
        return (client_folders()["home"] / ".cursor").is_dir()

    def installation(self, setup: Setup) -> Installation:
        """Return the changes to its two files.

        Raises:
            InvalidInput: one of them is not valid; the hint has what to put into it.
        """
        file = client_folders()["home"] / ".cursor" / "hooks.json"
        return installation_of(
            setup.home,
            self.name,
            entries={file: _hooks(setup), **server_entries(self.name, setup)},
            notes=[*_NOTES, *missing_packages()],
            token=TokenOrder(),
        )


def _hooks(setup: Setup) -> list[JsonEntry]:
    hooks = [
        JsonEntry(
            path=("hooks", event),
            value={
                "command": shlex.join(hook_command(setup, Cursor.name, event)),
                "timeout": hook_timeout_s(setup, event),
            },
            is_item=True,
        )
        for event in EVENTS
    ]
    return [JsonEntry(path=("version",), value=_FORMAT), *hooks]
