"""The home: its status, and the agent programs around it. For its operator."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.caller import Caller
from recollect.integrations.agent_finding import AgentState, agent_states
from recollect.server.home.status import ShownStatus, status_of
from recollect.server.route import Fields, Nothing, Routes

ROUTES = Routes()


class StatusFields(Fields, frozen=True, kw_only=True):
    """How closely the status is looked at.

    Attributes:
        probe: Also ask the embedder and the vector store, which may cost a request.
    """

    probe: bool = False


class ClientList(msgspec.Struct, frozen=True, kw_only=True):
    """The agent programs that recollect knows.

    Attributes:
        clients: Those that report what they do first.
        paused: Whether nothing of any of them is captured now.
    """

    clients: Sequence[AgentState]
    paused: bool


@ROUTES.add("GET", "/api/status", "read")
def status(caller: Caller, fields: StatusFields) -> ShownStatus:
    """Show what the memory holds, and the state of each part of it."""
    caller.require_operator("home")
    return status_of(caller.memory, probe=fields.probe)


@ROUTES.add("GET", "/api/clients", "read")
def clients(caller: Caller, _fields: Nothing) -> ClientList:
    """List the agent programs that recollect knows, and which are connected."""
    caller.require_operator("home")
    pauses = caller.memory.capture.pauses()
    paused = any(each.project_id is None for each in pauses)
    return ClientList(clients=agent_states(caller.memory.home), paused=paused)
