"""Memories of narrower scopes: whose index they share.

An agent with settings of its own has an index and models of its own. They are opened with the first
memory that is narrowed to it, over the records that are open already.
"""

from __future__ import annotations

import msgspec

from recollect.assembly.assembling import assemble_beside, assemble_narrowed
from recollect.assembly.components import Components, leave_open
from recollect.assembly.resources import given_settings, narrowed_resources
from recollect.core.errors import Denied
from recollect.core.scope import Scope
from recollect.core.settings import known_agent, load_settings


def within(parts: Components, scope: Scope) -> Components:
    """Return the parts of a memory of a narrower scope; see `Memory.within`."""
    seen = parts.resources.scope.narrowed(scope)
    if seen is None:
        hint = "narrow it to what its own scope includes"
        raise Denied("the scope is of another owner", hint=hint)
    return narrow(root_of(parts, seen), seen)


def narrow(root: Components, scope: Scope) -> Components:
    """Return the parts of a memory of a scope; closing them does nothing.

    Args:
        root: What `root_of` gives for the scope.
        scope: What is seen.
    """
    if scope == root.resources.scope:
        return msgspec.structs.replace(root, root=root, closing=leave_open)
    return assemble_narrowed(root, narrowed_resources(root.resources, scope))


def root_of(parts: Components, scope: Scope) -> Components:
    """Return the parts whose index a memory of a scope shares.

    Settings of a single agent are read again: after a change the next one has those of now.

    Args:
        parts: Of a memory that is open.
        scope: Of the same home; the caller knows that it may be seen.

    Raises:
        As `open_memory`, where the agent has settings of its own.
    """
    first = parts.root or parts
    trunk = first.beside or first
    base, agent = trunk.resources, known_agent(scope.agent)
    if agent is None or agent == known_agent(base.scope.agent):
        return trunk
    resolved = load_settings(base.home, given_settings(base.order), agent=agent)
    if agent not in resolved.agents:
        return trunk
    wide = Scope(tenant=base.scope.tenant, agent=agent)
    order = msgspec.structs.replace(base.order, scope=wide)
    return trunk.dependants.agent(agent, resolved.settings, lambda: assemble_beside(trunk, order))
