"""An import, as ``--json`` answers it: what was stored, and what was made of it."""

from __future__ import annotations

from recollect.exchange.intake import ExchangeReport
from recollect.exchange.report import ImportReport
from recollect.recall.record_counts import KnownCounts


class ImportAnswer(ImportReport, frozen=True, kw_only=True):
    """What an import of transcripts did.

    Attributes:
        made: How much more is known since.
    """

    made: KnownCounts


class RecordsAnswer(ExchangeReport, frozen=True, kw_only=True):
    """What an import of records did.

    Attributes:
        made: How much more is known since, with what the records held.
    """

    made: KnownCounts
