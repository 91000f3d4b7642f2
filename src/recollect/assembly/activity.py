"""Builds the parts for observations and context blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.assembly.resources import Resources
from recollect.assembly.sources import own_calls
from recollect.store.meta import REDACTION_SALT, persisted_random
from recollect.store.sqlite.home import BLOBS

if TYPE_CHECKING:  # imported on first use: opening a memory takes 40 ms less
    from recollect.observations.controls import CaptureControls
    from recollect.observations.recorder import ObservationParts
    from recollect.recall.context.contexts import ContextParts
    from recollect.recall.maintenance import Arrivals
    from recollect.sessions.sessions import Sessions


def observation_parts(
    resources: Resources,
    arrivals: Arrivals,
    controls: Callable[[], CaptureControls],
) -> ObservationParts:
    """Return the parts that record observations and read them."""
    from recollect.audience.visibility import group_of_turn
    from recollect.observations.draft import ObservationDrafts
    from recollect.observations.gathering import Gathering
    from recollect.observations.recorder import ObservationParts
    from recollect.store.blobs import Blobs

    return ObservationParts(
        database=resources.records,
        gathering=Gathering(),
        blobs=Blobs(resources.home / BLOBS),
        clock=resources.clock,
        drafts=ObservationDrafts(resources.clock, resources.ids, resources.redactor),
        audience=resources.audience,
        is_owners=lambda place: group_of_turn(place, resources.owner).is_owners,
        controls=controls,
        own_calls=own_calls(resources),
        arrived=arrivals.notify,
        scope=resources.scope,
    )


def context_parts(
    resources: Resources,
    sessions: Callable[[], Sessions],
    controls: Callable[[], CaptureControls],
) -> ContextParts:
    """Return the parts that make context blocks."""
    from recollect.recall.context.contexts import ContextParts
    from recollect.sessions.context.size import Sizer

    settings = resources.resolved.settings
    return ContextParts(
        database=resources.records,
        clock=resources.clock,
        ids=resources.ids,
        sessions=sessions,
        settings=settings.context,
        audience=resources.audience,
        scope=resources.scope,
        sizer=Sizer(resources.order.count_tokens),
        secret=bytes.fromhex(persisted_random(resources.records, REDACTION_SALT)),
        paths=lambda path: controls().projects.paths(path),
    )
