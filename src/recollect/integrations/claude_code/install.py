"""Installs recollect into Claude Code: a plugin in its folder of skills, its settings unchanged.

Claude Code, from 2.1.157 on, loads a folder of ``~/.claude/skills`` that has a plugin's manifest as
a plugin: hooks, MCP server and skill. See docs/adr/0008 for the alternatives, which leave more
behind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from recollect import __version__
from recollect.checkpoints.files.tools import SERVERS, FileTools
from recollect.core.errors import InvalidInput
from recollect.core.settings import transcript_folders
from recollect.integrations.claude_code.payloads import EVENTS
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
    token_file,
)

NAME = "claude-code"
TOKEN_VARIABLE = "CLAUDE_RECOLLECT_TOKEN"  # noqa: S105 - the name of a variable
"""The variable with the token of HTTP hooks. Not ``RECOLLECT_…``, the prefix of settings."""
WAITED_FOR: Mapping[str, str | None] = {
    "SessionStart": None,
    "UserPromptSubmit": None,
    "PreToolUse": "Write|Edit|MultiEdit|NotebookEdit|Bash",
}
"""Events whose hook Claude Code waits for, and the tools concerned."""
_NEVER_BY_HTTP = "SessionStart"
"""At the start of a session, Claude Code only calls commands."""
_AFTER = ("PostToolUse", "PostToolUseFailure")
"""The events of a tool that ran: where files are kept, Claude Code waits for them, too, so that
nothing else changes the files before they are looked at."""


class ClaudeCode:
    """The plugin for Claude Code.

    Options: ``deadline_ms``, the longest a hook may take; ``http``, whether Claude Code calls the
    worker directly where it can; ``checkpoints``, the folder whose files are kept before tools
    change them; ``tools``, more tools that do.
    """

    name = NAME
    title = "Claude Code"

    def is_here(self) -> bool:
        """Return whether Claude Code has settings of this user."""
        return _folder().is_dir()

    def installation(self, setup: Setup) -> Installation:
        """Return the files of the plugin.

        Raises:
            InvalidInput: HTTP hooks are requested, and the worker has no fixed port.
            Conflict: another home, or a skill of the same name, uses its folder.
        """
        target = _folder() / "skills" / "recollect"
        own = {target / path: content for path, content in _rendered(setup)}
        return installation_of(
            setup.home,
            NAME,
            own=own,
            notes=list(_notes(setup)),
            follows=(NAME,),
            token=TokenOrder(),
            roots=checkpointed(setup),
        )


def _folder() -> Path:
    return transcript_folders()[NAME].parent


def _rendered(setup: Setup) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the plugin, rendered for this machine, by path in its folder."""
    for path, template in _templates(files(__package__) / "plugin"):
        yield path, template.read_text(encoding="utf-8").replace("{version}", __version__).encode()
    yield "hooks/hooks.json", _json({"hooks": _hooks(setup)})
    if has_mcp():
        command, *arguments = server_command(setup, "owner")
        yield (
            ".mcp.json",
            _json({"mcpServers": {"memory": {"command": command, "args": arguments}}}),
        )


def _templates(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            yield from _templates(each, f"{prefix}{each.name}/")
        else:
            yield prefix + each.name, each


def _hooks(setup: Setup) -> dict[str, Any]:
    handler = _by_http if setup.options.get("http") else _by_command
    hooks: dict[str, Any] = {}
    for event in EVENTS:
        group: dict[str, Any] = {"hooks": [handler(event, setup)]}
        matcher = WAITED_FOR.get(event)
        hooks[event] = [group if matcher is None else {"matcher": matcher, **group}]
    if setup.options.get("checkpoints"):
        hooks |= _keeping_hooks(setup, hooks)
    return hooks


def _keeping_hooks(setup: Setup, hooks: Mapping[str, Any]) -> dict[str, Any]:
    """Return the hooks around tools that change files: commands, since a tool runs on without one.

    A worker that cannot be reached takes nothing over HTTP, and the tool changes what was not seen.
    """
    names = map(re.escape, FileTools(setup.options.get("tools", ())).names())
    tools = "|".join([*names, *(f"{re.escape(prefix)}.*" for prefix in SERVERS)])
    waited = {"matcher": f"^(?:{tools})$"}
    others = {"matcher": f"^(?!(?:{tools})$)"}
    before = {**waited, "hooks": [_by_command("PreToolUse", setup, keeps_files=True)]}
    return {"PreToolUse": [before]} | {
        event: [
            {**waited, "hooks": [_by_command(event, setup, keeps_files=True)]},
            {**others, **hooks[event][0]},
        ]
        for event in _AFTER
    }


def _by_command(event: str, setup: Setup, *, keeps_files: bool = False) -> dict[str, Any]:
    command, *arguments = hook_command(setup, NAME, event, keeps_files=keeps_files)
    return {
        "type": "command",
        "command": command,
        "args": arguments,
        "timeout": hook_timeout_s(setup, event, keeps_files=keeps_files),
        **({} if keeps_files or event in WAITED_FOR else {"async": True}),
    }


def _by_http(event: str, setup: Setup) -> dict[str, Any]:
    if setup.url is None:
        raise InvalidInput(
            "HTTP hooks need a fixed port of the worker",
            hint="set one with `recollect config set server.port 37778`, then try again",
        )
    if event == _NEVER_BY_HTTP:
        return _by_command(event, setup)
    return {
        "type": "http",
        "url": f"{setup.url}/api/hooks/{NAME}?event={event}",
        "headers": {"Authorization": f"Bearer ${TOKEN_VARIABLE}"},
        "allowedEnvVars": [TOKEN_VARIABLE],
        "timeout": hook_timeout_s(setup, event),
    }


def _notes(setup: Setup) -> Iterator[str]:
    yield "Start Claude Code again: sessions that run now do not have the plugin yet."
    if setup.options.get("http"):
        token = token_file(setup.home, NAME)
        yield f'Start it with the token: export {TOKEN_VARIABLE}="$(cat {token})"'
    yield from missing_packages()


def _json(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"
