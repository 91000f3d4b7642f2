"""A sync of the index, as ``--json`` answers it; HTTP answers the `SyncReport` alone."""

from __future__ import annotations

from recollect.index.model.sync_report import SyncReport


class ShownSync(SyncReport, frozen=True, kw_only=True):
    """What a sync did, and what it took.

    Attributes:
        spooled: Events of hooks that were taken in before it.
        took_ms: Of the sync alone.
    """

    spooled: int
    took_ms: float
