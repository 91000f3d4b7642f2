"""Who hears an observation: the visibility group of its session, in whose turn it happened."""

from __future__ import annotations

import msgspec

from recollect.audience.owner import Owner
from recollect.audience.visibility import VisibilityGroup, group_at
from recollect.core.scope import Place
from recollect.recall.audience import Asked


class ObservationHearer(msgspec.Struct, frozen=True, kw_only=True):
    """Implements `recollect.observations.observation.Hearer` for a session.

    Attributes:
        group: Its visibility group.
        owner: Whose agent it is.
        shared: Whether guests and groups hear what the agent did for them.
    """

    group: VisibilityGroup
    owner: Owner
    shared: bool

    def hears(self, place: Place) -> bool:
        """Return whether they hear what was observed there."""
        return (self.group.is_owners or self.shared) and self.hears_words(place)

    def hears_words(self, place: Place) -> bool:
        """Return whether they hear what was said there."""
        return group_at(place, self.owner).name == self.group.name

    @property
    def sees_payload(self) -> bool:
        """Whether they see input and output, too: those are the owner's."""
        return self.group.is_owners


def hearer_of(
    sessions: Asked, session_id: str, sender: str | None, *, shared: bool
) -> ObservationHearer:
    """Return what a session may hear of observations.

    Raises:
        NotFound: the scope lacks the session.
        InvalidInput: the sender cannot be an account.
    """
    found = sessions()
    group = found.visibility_group(session_id, sender)
    return ObservationHearer(group=group, owner=found.owner, shared=shared)
