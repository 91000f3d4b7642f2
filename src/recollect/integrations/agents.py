"""The table of agent programs: where each integration is, imported when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from recollect.core.errors import NotFound
from recollect.integrations.installing import Integration

AGENTS: Mapping[str, str] = {
    "claude-code": "claude_code.install:ClaudeCode",
}
"""Name of an agent program -> module in `recollect.integrations` and class, in alphabetical order
of what most people have."""


def integration_of(name: str) -> Integration:
    """Return what puts recollect into an agent program.

    Raises:
        NotFound: it is not known.
    """
    if name not in AGENTS:
        raise NotFound(
            "there is no integration of this name", hint=f"use one of {', '.join(AGENTS)}"
        )
    module, _, kind = AGENTS[name].partition(":")
    made = getattr(import_module(f"recollect.integrations.{module}"), kind)()
    return cast(Integration, made)
