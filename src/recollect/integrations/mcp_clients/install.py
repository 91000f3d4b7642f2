"""Adds the MCP server to the file of a program that speaks MCP: tools, and nothing captured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from recollect.governance.tokens import SHARED, check_audience
from recollect.integrations.codex.install import server_table
from recollect.integrations.commands import has_mcp, server_command
from recollect.integrations.installing import Installation, Setup, installation_of
from recollect.integrations.json_text import JsonEntry, with_entries
from recollect.integrations.mcp_clients.clients import SERVER, McpClient, client_named


class McpEntry:
    """The entry of one client.

    Options: ``as``, its audience, ``shared`` by default.
    """

    def __init__(self, client: McpClient) -> None:
        self.client = client
        self.name = f"mcp-{client.name}"
        self.title = client.title

    def is_here(self) -> bool:
        """Return whether the client was used on this machine by this user."""
        return self.client.is_here()

    def installation(self, setup: Setup) -> Installation:
        """Return the changes to the client's file.

        Raises:
            InvalidInput: the audience or the file is not valid.
        """
        file = self.client.file
        if self._is_toml:
            return installation_of(
                setup.home, self.name, tables={file: _table(setup)}, notes=self._notes()
            )
        entries = {file: [self._entry(setup)]}
        return installation_of(setup.home, self.name, entries=entries, notes=self._notes())

    def text(self, setup: Setup) -> str:
        """Return the text that a person puts into the file by hand.

        Raises:
            InvalidInput: the audience is not valid.
        """
        return _table(setup) if self._is_toml else with_entries("{}\n", [self._entry(setup)])[0]

    @property
    def _is_toml(self) -> bool:
        return self.client.file.suffix == ".toml"

    def _entry(self, setup: Setup) -> JsonEntry:
        return _server_entry(self.client, setup, _audience(setup))

    def _notes(self) -> list[str]:
        return [f"Start {self.title} again: it reads the file when it starts."]


def server_entries(name: str, setup: Setup) -> Mapping[Path, Sequence[JsonEntry]]:
    """Return the entry of the owner's server in a client's JSON file; none without its package."""
    client = client_named(name)
    return {client.file: [_server_entry(client, setup, "owner")]} if has_mcp() else {}


def _server_entry(client: McpClient, setup: Setup, audience: str) -> JsonEntry:
    program, *arguments = server_command(setup, audience)
    return JsonEntry(path=(*client.key_path, SERVER), value=client.entry(program, arguments))


def _table(setup: Setup) -> str:
    return server_table(setup, _audience(setup))


def _audience(setup: Setup) -> str:
    return check_audience(str(setup.options.get("as") or SHARED))
