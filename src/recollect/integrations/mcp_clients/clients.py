"""The table of MCP clients: name, file, and the shape of an entry in it.

From the documentation of each in autumn 2026; tested with the real program: Codex and Gemini CLI.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from recollect.core.errors import InvalidInput
from recollect.core.settings import client_folders

Shape: TypeAlias = Callable[[str, Sequence[str]], dict[str, Any]]
"""Makes the entry of a server from its program and its arguments."""
SERVER = "recollect"
"""The name of the server in every file."""
_CUTOFF = 0.4
_MOST_NEAR = 3


def _plain(program: str, arguments: Sequence[str]) -> dict[str, Any]:
    return {"command": program, "args": [*arguments]}


def _stdio(program: str, arguments: Sequence[str]) -> dict[str, Any]:
    return {"type": "stdio", **_plain(program, arguments)}


def _copilot(program: str, arguments: Sequence[str]) -> dict[str, Any]:
    return {"type": "local", **_plain(program, arguments), "tools": ["*"]}


def _opencode(program: str, arguments: Sequence[str]) -> dict[str, Any]:
    return {"type": "local", "command": [program, *arguments], "enabled": True}


class McpClient(msgspec.Struct, frozen=True):
    """A program that starts MCP servers.

    Attributes:
        name: As in commands.
        title: As its users write it.
        folder: The one of `client_folders` with its file.
        path: Of the file, relative to that. With the suffix ``.toml`` it is TOML, otherwise JSON.
        key_path: Keys to the object or table of servers.
        shape: Of an entry.
        mark: Exists if the program was used here; the folder of the file by default.
    """

    name: str
    title: str
    folder: str
    path: str
    key_path: tuple[str, ...] = ("mcpServers",)
    shape: Shape = _plain
    mark: str | None = None

    @property
    def file(self) -> Path:
        """The file that names its servers; may be missing."""
        return client_folders()[self.folder] / self.path

    def is_here(self) -> bool:
        """Return whether the program was used on this machine by this user."""
        if self.mark is None:
            return self.file.parent.is_dir()
        return (client_folders()[self.folder] / self.mark).exists()

    def entry(self, program: str, arguments: Sequence[str]) -> dict[str, Any]:
        """Return the entry of the server in a JSON file."""
        return self.shape(program, arguments)


CLIENTS: tuple[McpClient, ...] = (
    McpClient("claude-desktop", "Claude Desktop", "desktop", "Claude/claude_desktop_config.json"),
    McpClient("cursor", "Cursor", "home", ".cursor/mcp.json"),
    McpClient("windsurf", "Windsurf", "home", ".codeium/windsurf/mcp_config.json"),
    McpClient("vscode", "VS Code", "desktop", "Code/User/mcp.json", ("servers",), _stdio),
    McpClient("zed", "Zed", "config", "zed/settings.json", ("context_servers",)),
    McpClient("gemini", "Gemini CLI", "gemini", "settings.json"),
    McpClient("codex", "Codex", "codex", "config.toml", ("mcp_servers",)),
    McpClient("opencode", "OpenCode", "config", "opencode/opencode.json", ("mcp",), _opencode),
    McpClient(
        "continue", "Continue", "home", ".continue/mcpServers/recollect.json", mark=".continue"
    ),
    McpClient("copilot", "GitHub Copilot CLI", "copilot", "mcp-config.json", shape=_copilot),
    McpClient("lm-studio", "LM Studio", "home", ".lmstudio/mcp.json"),
    McpClient("kiro", "Kiro", "home", ".kiro/settings/mcp.json"),
)
"""In the order of `recollect init mcp --help`."""


def client_named(name: str) -> McpClient:
    """Return the client with a name, ignoring case.

    Raises:
        InvalidInput: there is none; the hint has the closest names, or all.
    """
    names = {_letters(each.name): each for each in CLIENTS}
    names |= {_letters(each.title): each for each in CLIENTS}
    client = names.get(_letters(name))
    if client is not None:
        return client
    near = difflib.get_close_matches(_letters(name), names, n=_MOST_NEAR, cutoff=_CUTOFF)
    names_near = dict.fromkeys(names[each].name for each in near or names)
    raise InvalidInput(
        "the MCP client must be a known one",
        hint=f"name one of {', '.join(names_near)}; for any other paste what"
        " `recollect init mcp --client cursor --print` shows",
    )


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
