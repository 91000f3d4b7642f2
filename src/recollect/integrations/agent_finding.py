"""Finds the agent programs on this machine that have no memory yet.

They are found by their folders of settings and by their programs on the PATH; none is started.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from recollect.core.settings import program_path
from recollect.integrations.agents import AGENTS, integration_of
from recollect.integrations.installing import installed
from recollect.integrations.mcp_clients.clients import CLIENTS


class FoundAgent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent program that recollect can be installed into.

    Attributes:
        name: As in commands: ``claude-code``; of an MCP client ``cursor``.
        title: Its name as users write it.
        command: The command that installs recollect into it.
        remembers: Whether its actions are captured; an MCP client only gets tools.
    """

    name: str
    title: str
    command: str
    remembers: bool


class AgentState(FoundAgent, frozen=True, kw_only=True):
    """An agent program, and whether it has the memory of a home.

    Attributes:
        is_here: Whether it is on this machine.
        connected: Whether recollect was installed into it for this home.
    """

    is_here: bool
    connected: bool


PROGRAMS = {"claude-code": "claude", "openclaw": "openclaw", "gemini": "gemini", "codex": "codex"}
"""Names of agents' programs that differ from the agent's name."""


def found_agents(home: Path) -> list[FoundAgent]:
    """Return the agents on this machine that are not in ``integrations.json`` of a home.

    Those that report by hooks come first, then programs that only get tools.

    Raises:
        StoreError: the record of what was installed cannot be read.
    """
    records = installed(home)
    return [
        agent
        for agent, is_here in (*_agents(), *_mcp_clients())
        if is_here and _record(agent) not in records
    ]


def agent_states(home: Path) -> list[AgentState]:
    """Return all agents that recollect knows, and which are connected to a home.

    Those that report by hooks come first, then programs that only get tools.

    Raises:
        StoreError: the record of what was installed cannot be read.
    """
    records = installed(home)
    return [
        AgentState(
            **msgspec.structs.asdict(agent), is_here=is_here, connected=_record(agent) in records
        )
        for agent, is_here in (*_agents(), *_mcp_clients())
    ]


def _agents() -> Iterator[tuple[FoundAgent, bool]]:
    for name in AGENTS:
        agent = integration_of(name)
        program = PROGRAMS.get(name, name)
        is_here = agent.is_here() or shutil.which(program, path=program_path()) is not None
        command = f"recollect init {name}"
        yield FoundAgent(name=name, title=agent.title, command=command, remembers=True), is_here


def _mcp_clients() -> Iterator[tuple[FoundAgent, bool]]:
    for client in (each for each in CLIENTS if each.name not in AGENTS):
        command = f"recollect init mcp --client {client.name}"
        agent = FoundAgent(name=client.name, title=client.title, command=command, remembers=False)
        yield agent, client.is_here()


def _record(agent: FoundAgent) -> str:
    return agent.name if agent.remembers else f"mcp-{agent.name}"
