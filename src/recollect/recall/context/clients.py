"""Clients: what is known of the programs that read context blocks."""

from __future__ import annotations

from fnmatch import fnmatchcase

CLIENT_CHARS = {"claude-code": 9_500, "codex": 9_500}
"""Claude Code replaces what is longer than 10,000 characters by a preview of 2 kB; Codex has the
same hooks. What a client adds around a block is counted off."""
LOADED = {
    "claude-code": (
        *("CLAUDE.md", "*/CLAUDE.md", "CLAUDE.local.md", "*/CLAUDE.local.md"),
        "*/projects/*/memory/MEMORY.md",
    ),
    "openclaw": ("MEMORY.md", "USER.md"),
}
"""Files that a client puts into its prompts by itself, as patterns in which ``*`` is any text."""


def is_loaded(client: str | None, path: str) -> bool:
    """Return whether a client puts a memory file into its prompts by itself.

    >>> is_loaded("openclaw", "MEMORY.md"), is_loaded("openclaw", "memory/tea.md")
    (True, False)
    """
    return any(fnmatchcase(path, pattern) for pattern in LOADED.get(client or "", ()))
