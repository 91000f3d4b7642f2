"""Memories of narrower scopes, and the index that they share.

An agent with settings of its own has an index and models of its own. They are opened with the first
memory that is narrowed to it, over the records that are open already.
"""

from __future__ import annotations

import msgspec

from recollect.assembly.assembling import assemble_beside, assemble_narrowed
from recollect.assembly.components import Components, leave_open
from recollect.assembly.resources import (
    OpenOptions,
    given_settings,
    narrowed_resources,
    own_index_of,
)
from recollect.core.errors import Denied, RecollectError
from recollect.core.scope import Scope
from recollect.core.settings import known_agent, load_settings


def within(parts: Components, scope: Scope) -> Components:
    """Return the parts of a memory of a narrower scope; see `Memory.within`."""
    seen = parts.resources.narrowed(scope)
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
    scope = root.resources.stored(scope)
    if scope == root.resources.scope:
        return msgspec.structs.replace(root, root=root, closing=leave_open)
    return assemble_narrowed(root, narrowed_resources(root.resources, scope))


def root_of(parts: Components, scope: Scope) -> Components:
    """Return the parts whose index a memory of a scope shares.

    Settings of a single agent are read again: after a change the next memory uses the new ones.

    Args:
        parts: Of a memory that is open.
        scope: Of the same home; the caller has checked that it may be seen.

    Raises:
        The errors of `open_memory`, where the agent has settings of its own.
    """
    first = parts.root or parts
    trunk = first.beside or first
    base, agent = trunk.resources, known_agent(scope.agent)
    if agent is None or agent == known_agent(base.scope.agent):
        return trunk
    resolved = load_settings(base.home, given_settings(base.order), agent=agent)
    if agent not in resolved.agents:
        return trunk
    return _beside(trunk, agent, base.order)


def begin_others(trunk: Components) -> None:
    """Keep the other indexes of the home in step too, as long as the parts of a memory are open.

    Those of agents with settings of their own, and where the memory is of one of them, that of all
    others. What a program gave for its own memory does not apply to them, neither settings nor
    models; what a pool was given does. If one cannot be opened, the status says so.
    """
    base = trunk.resources
    if base.order.is_pooled and base.order.workspace is not None:
        return  # left to the pool's memory without a workspace
    order = base.order
    if not order.is_pooled and (order.workspace, order.overrides, order.embedder) != (None,) * 3:
        order = msgspec.structs.replace(order, workspace=None, overrides=None, embedder=None)
    for agent in {None, *base.resolved.agents} - {own_index_of(base.resolved, base.scope)}:
        try:
            _beside(trunk, agent, order).maintenance.begin()
        except RecollectError as error:
            trunk.index.tell_once(f"the index of {agent or 'the home'}: {error.message}")


def _beside(trunk: Components, agent: str | None, order: OpenOptions) -> Components:
    """Return the parts of an agent with an index of its own, or of all others, opened once."""
    base = trunk.resources
    key = (agent, order is base.order)
    wide = Scope(tenant=base.scope.tenant, agent=agent)
    order = msgspec.structs.replace(order, scope=wide)
    settings = load_settings(base.home, given_settings(order), agent=agent).settings
    return trunk.dependants.agent(key, settings, lambda: assemble_beside(trunk, order))
