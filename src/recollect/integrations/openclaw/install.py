"""Installs recollect into OpenClaw: its plugin in the memory slot, or only an MCP server.

The plugin is copied into the home, so that it moves with it, and named in ``openclaw.json``. The
plugin does not report messages: the worker follows OpenClaw's store.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from recollect.core.errors import InvalidInput, NotFound
from recollect.core.settings import openclaw_config, transcript_folders
from recollect.governance.tokens import ANY_SESSION
from recollect.integrations.commands import start_command
from recollect.integrations.installing import (
    Installation,
    Setup,
    TokenOrder,
    installation_of,
)
from recollect.integrations.json_text import JsonEntry, object_of

PLUGIN_FILES = ("index.js", "openclaw.plugin.json", "package.json")
_ID = "recollect"
_RESTART = "restart OpenClaw, so that it takes its new settings: `openclaw gateway restart`"
_PEOPLE = (
    "OpenClaw tells an MCP server neither the conversation nor who speaks: it hears as a guest. "
    'If you alone write to your agent, change "shared" to "owner" in its entry'
)


class OpenClaw:
    """The gateway of OpenClaw 2026.9 and newer."""

    name = "openclaw"
    title = "OpenClaw"

    def is_here(self) -> bool:
        """Return whether OpenClaw was set up by this user."""
        return openclaw_config().is_file() or transcript_folders()[self.name].is_dir()

    def installation(self, setup: Setup) -> Installation:
        """Return the changes of the installation; with the option ``mcp`` an MCP server, no plugin.

        Raises:
            NotFound: OpenClaw has no settings yet.
            InvalidInput: they cannot be changed automatically; the hint has what to put into them.
            RecollectError: as `installation_of`.
        """
        config = openclaw_config()
        if not config.is_file():
            hint = "set OpenClaw up first: `openclaw onboard`"
            raise NotFound(f"{config} is missing", hint=hint, path=str(config))
        if setup.options.get("mcp"):
            return installation_of(
                setup.home,
                self.name,
                entries={config: [_server(setup)]},
                notes=(_RESTART, _PEOPLE),
                follows=(self.name,),
            )
        folder = setup.home / "integrations" / self.name
        plugin = files(__package__) / "plugin"
        return installation_of(
            setup.home,
            self.name,
            own={folder / name: (plugin / name).read_bytes() for name in PLUGIN_FILES},
            entries={config: list(_entries(config, folder, setup))},
            notes=(_RESTART,),
            follows=(self.name,),
            token=TokenOrder(audience=ANY_SESSION, rights="read"),
        )


def _entries(config: Path, folder: Path, setup: Setup) -> Iterator[JsonEntry]:
    """Yield the entries that give the plugin the memory slot."""
    yield JsonEntry(path=("plugins", "load", "paths"), value=str(folder), is_item=True)
    if "allow" in _plugins(config):  # else all plugins are allowed; our list would be all
        yield JsonEntry(path=("plugins", "allow"), value=_ID, is_item=True)
    yield JsonEntry(path=("plugins", "slots", "memory"), value=_ID, gives_way=True)
    entry: dict[str, Any] = {"enabled": True, "hooks": {"allowConversationAccess": True}}
    entry["config"] = {"home": str(setup.home), "start": start_command(setup)}
    yield JsonEntry(path=("plugins", "entries", _ID), value=entry)


def _plugins(config: Path) -> dict[str, Any]:
    """Return the section of plugins; empty where the file cannot be read as JSON."""
    try:
        section = object_of(config.read_text(encoding="utf-8-sig")).get("plugins")
    except (InvalidInput, UnicodeDecodeError):
        return {}  # `installation_of` reports what is wrong with it
    return section if isinstance(section, dict) else {}


def _server(setup: Setup) -> JsonEntry:
    command = ["-m", _ID, "--home", str(setup.home), "mcp", "--as", "shared"]
    server = {"command": setup.python, "args": command, "transport": "stdio"}
    return JsonEntry(path=("mcp", "servers", _ID), value=server)
