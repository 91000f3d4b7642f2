"""Installs recollect into Gemini CLI: an extension in its own folder, the settings unchanged.

Tested with Gemini CLI 0.61: a folder with a manifest below ``~/.gemini/extensions`` is loaded at
the next start, with its hooks and its MCP server.
"""

from __future__ import annotations

import shlex
from typing import Any

from recollect import __version__
from recollect.core.settings import client_folders
from recollect.integrations.commands import (
    has_mcp,
    hook_command,
    hook_timeout_ms,
    missing_packages,
    server_command,
)
from recollect.integrations.gemini.payloads import EVENTS, GeminiHooks
from recollect.integrations.installing import (
    Installation,
    Setup,
    TokenOrder,
    checkpointed,
    installation_of,
)
from recollect.integrations.json_text import json_file

_BEFORE, _AFTER = "BeforeTool", "AfterTool"
"""The event after the call has all of the one before it, which is only needed where files are kept
before tools change them."""
_AGAIN = "Start Gemini CLI again: sessions that run now do not have the extension yet."


class Gemini:
    """An extension for Gemini CLI: hooks, and the MCP server."""

    name = GeminiHooks.name
    title = "Gemini CLI"

    def is_here(self) -> bool:
        """Return whether Gemini CLI has settings of this user."""
        return client_folders()["gemini"].is_dir()

    def installation(self, setup: Setup) -> Installation:
        """Return the files of the extension."""
        folder = client_folders()["gemini"] / "extensions" / "recollect"
        own = {
            folder / "gemini-extension.json": json_file(_manifest(setup)),
            folder / "hooks" / "hooks.json": json_file({"hooks": _hooks(setup)}),
        }
        return installation_of(
            setup.home,
            self.name,
            own=own,
            notes=[_AGAIN, *missing_packages()],
            token=TokenOrder(),
            roots=checkpointed(setup),
        )


def _manifest(setup: Setup) -> dict[str, Any]:
    manifest = {"name": "recollect", "version": __version__}
    if not has_mcp():
        return manifest
    program, *arguments = server_command(setup, "owner")
    return {**manifest, "mcpServers": {"recollect": {"command": program, "args": arguments}}}


def _hooks(setup: Setup) -> dict[str, Any]:
    is_kept = bool(checkpointed(setup))
    return {
        event: [
            {"hooks": [_hook(setup, event, keeps_files=is_kept and event in {_BEFORE, _AFTER})]}
        ]
        for event in EVENTS
        if is_kept or event != _BEFORE
    }


def _hook(setup: Setup, event: str, *, keeps_files: bool) -> dict[str, Any]:
    command = hook_command(setup, Gemini.name, event, keeps_files=keeps_files)
    return {
        "type": "command",
        "name": "recollect",
        "command": shlex.join(command),
        "timeout": hook_timeout_ms(setup, event, keeps_files=keeps_files),
    }
