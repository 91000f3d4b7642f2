"""Installs recollect into Codex: hooks in its hooks.json, the MCP server in its config.toml."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from recollect.core.settings import client_folders
from recollect.integrations.codex.payloads import EVENTS, CodexHooks
from recollect.integrations.commands import (
    has_mcp,
    hook_command,
    hook_timeout_s,
    missing_packages,
    server_command,
)
from recollect.integrations.installing import (
    Installation,
    Setup,
    TokenOrder,
    checkpointed,
    installation_of,
)
from recollect.integrations.json_text import JsonEntry

HOOKS_FILE, CONFIG_FILE = "hooks.json", "config.toml"
_BEFORE, _AFTER = "PreToolUse", "PostToolUse"
_NEEDLESS = frozenset({_BEFORE, "PostCompact"})
"""They are ignored: the event after a call has more, and a compaction has no text. Where files are
kept before tools change them, the event before a call is not."""
_BRIEF = frozenset({"SessionEnd", "Interrupt"})
_MOST_BRIEF_S = 3
"""Codex allows these no more, and warns at each start if more is configured."""


class Codex:
    """Hooks and the MCP server for Codex.

    Codex waits for every hook. It kills those that it does not wait for when it ends: with 0.169,
    ``codex exec`` lost the hooks of the last tools.
    """

    name = CodexHooks.name
    title = "Codex"

    def is_here(self) -> bool:
        """Return whether Codex has settings of this user."""
        return client_folders()["codex"].is_dir()

    def installation(self, setup: Setup) -> Installation:
        """Return the changes to its two files.

        Raises:
            InvalidInput: one of them is not valid; the hint has what to put into it.
        """
        folder = client_folders()["codex"]
        hooks = [
            JsonEntry(path=("hooks", event), value=_group(setup, event), is_item=True)
            for event in EVENTS
            if event not in _NEEDLESS or (event == _BEFORE and checkpointed(setup))
        ]
        tables = {folder / CONFIG_FILE: server_table(setup, "owner")} if has_mcp() else {}
        return installation_of(
            setup.home,
            self.name,
            entries={folder / HOOKS_FILE: hooks},
            tables=tables,
            notes=list(_notes(folder)),
            token=TokenOrder(),
            roots=checkpointed(setup),
        )


def server_table(setup: Setup, audience: str) -> str:
    """Return the table of the MCP server for Codex's config.toml."""
    program, *arguments = server_command(setup, audience)
    return (
        "[mcp_servers.recollect]\n"
        f"command = {_toml(program)}\n"
        f"args = [{', '.join(map(_toml, arguments))}]\n"
    )


def _toml(text: str) -> str:
    """Return a TOML string: a JSON string without surrogate escapes."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _group(setup: Setup, event: str) -> dict[str, Any]:
    keeps_files = bool(checkpointed(setup)) and event in {_BEFORE, _AFTER}
    timeout = hook_timeout_s(setup, event, keeps_files=keeps_files)
    command = hook_command(setup, Codex.name, event, keeps_files=keeps_files)
    return {
        "hooks": [
            {
                "type": "command",
                "command": shlex.join(command),
                "timeout": min(timeout, _MOST_BRIEF_S) if event in _BRIEF else timeout,
            }
        ]
    }


def _notes(folder: Path) -> Iterator[str]:
    yield "Start Codex and trust the hooks, with /hooks: until then it leaves them out."
    yield from missing_packages()
    if _has_hooks(folder / CONFIG_FILE):
        yield f"Codex warns of hooks in two files: move those of {CONFIG_FILE} to {HOOKS_FILE}."


def _has_hooks(config: Path) -> bool:
    with suppress(OSError, ValueError, RecursionError):
        hooks = tomllib.loads(config.read_text(encoding="utf-8")).get("hooks")
        return isinstance(hooks, dict) and any(isinstance(each, list) for each in hooks.values())
    return False
