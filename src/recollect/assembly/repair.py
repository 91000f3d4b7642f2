"""Checks whether the parts of a memory answer and are sound, and repairs them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from recollect.assembly.components import Components

if TYPE_CHECKING:  # imported on first use
    from recollect.index.repair.checkup import IndexCheckup
    from recollect.recall.probe import Probe


class RepairFacade:
    """The part of the facade that `recollect doctor` works with."""

    _parts: Components

    def probe_embedding(self) -> Probe:
        """Return whether the embedder answers: one word is embedded, at most twice a minute."""
        return self._parts.probe().ask()

    def probe_vectors(self) -> bool:
        """Return whether the vector back end of the settings can be reached."""
        return self._parts.index.near.status(self._parts.index.status().dimensions).available

    def checkup(self) -> IndexCheckup:
        """Return the checkup that examines the rows of the index and repairs them."""
        from recollect.index.repair.checkup import IndexCheckup

        return IndexCheckup(self._parts.resources.index_database, self._parts.index)

    def forgive_batches(self) -> int:
        """Allow the provider's batches again; return the number of failures that are forgotten."""
        return self._parts.index.forgive_batches()

    def heal_mirrors(self) -> Mapping[str, int]:
        """Make every readable transcript equal to the database; return counts by earlier state."""
        mirror = self._parts.mirror
        return {} if mirror is None else {str(k): n for k, n in mirror.heal_all().items()}

    def set_stray_mirrors_aside(self) -> int:
        """Rename mirrors of sessions that the database does not have."""
        mirror = self._parts.mirror
        return 0 if mirror is None else mirror.set_strays_aside()
