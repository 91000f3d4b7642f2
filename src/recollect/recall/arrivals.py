"""What happens when messages arrive: the mirror and the index are told."""

from __future__ import annotations

from recollect.recall.upkeep import Upkeep
from recollect.sessions.mirror import TranscriptMirror


class Arrivals:
    """Tells the mirror and the upkeep that messages arrived."""

    def __init__(self, mirror: TranscriptMirror | None, upkeep: Upkeep) -> None:
        self._mirror = mirror
        self._upkeep = upkeep

    def notify(self) -> None:
        """Return at once."""
        if self._mirror is not None:
            self._mirror.notify()
        self._upkeep.notify()
