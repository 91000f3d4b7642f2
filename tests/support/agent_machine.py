"""A machine with an agent program, for what is written into its files.

Imports no test tool: processes that are killed start it dozens of times.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from recollect.integrations.installing import Installation, installation_of
from recollect.integrations.json_text import JsonEntry

SETTINGS = '{\n    "model": "opus",\n    "hooks": {"Stop": [{"hooks": []}]}\n}\n'
TOML = 'model = "x"\n\n[tools]\nweb = true'


class Machine:
    """A home of recollect and the folder of an agent program beside it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir(exist_ok=True)
        self.agent = folder / "agent"
        self.settings = self.agent / "settings.json"
        self.toml = self.agent / "config.toml"
        self.plugin = self.agent / "plugins" / "recollect" / "hooks.json"

    def wanted(self, version: str = "1") -> Installation:
        """Return an installation with every kind of file."""
        return installation_of(
            self.home,
            "agent",
            own={self.plugin: f"hooks {version}".encode()},
            entries={
                self.settings: [
                    JsonEntry(path=("hooks", "Stop"), value={"run": version}, is_item=True),
                    JsonEntry(path=("mcpServers", "recollect"), value={"command": version}),
                ]
            },
            tables={self.toml: f'[mcp]\ncommand = "{version}"'},
        )

    def fill(self) -> None:
        """Write the settings of a user."""
        self.agent.mkdir()
        self.settings.write_text(SETTINGS, encoding="utf-8")
        self.toml.write_text(TOML, encoding="utf-8")

    def files(self) -> dict[str, tuple[int, bytes]]:
        """Return mode and content of every file, and the folders, below the agent and the home."""
        root = self.home.parent
        return {
            str(path.relative_to(root)): (
                path.stat().st_mode,
                path.read_bytes() if path.is_file() else b"",
            )
            for path in root.rglob("*")
        }

    def settings_now(self) -> Any:
        """Return what the settings say."""
        return json.loads(self.settings.read_text(encoding="utf-8"))
