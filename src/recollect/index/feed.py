"""Feeds: how the features hand their documents to the index, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

import msgspec

from recollect.index.document import Document, Removal


class FeedState(msgspec.Struct, frozen=True):
    """What the index knows of a feed: how far it read, and the stamps of its documents by ref."""

    cursor: int
    stamps: Mapping[str, str]


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Documents to put and to remove, applied in one transaction.

    Attributes:
        documents: Put these, or replace their older versions; each only once.
        removals: Remove these.
        cursor: The feed is read up to here after this batch.
        left: About how many more documents will follow, for progress.
        warnings: What could not be read, one sentence each, without user text.
    """

    documents: tuple[Document, ...] = ()
    removals: tuple[Removal, ...] = ()
    cursor: int = 0
    left: int = 0
    warnings: tuple[str, ...] = ()


class Feed(Protocol):
    """One way into the index.

    Attributes:
        name: Under which its cursor is kept.
        source: The source of its documents.
        tenant: For a scan, whose documents it needs the stamps of; None for an outbox, which needs
            only a cursor.
    """

    name: str
    source: str
    tenant: str | None

    def batches(self, state: FeedState) -> Iterator[Batch]:
        """Yield what changed since ``state``, oldest first; nothing when all is known."""

    def is_behind(self, cursor: int) -> bool:
        """Return cheaply whether there may be something new after ``cursor``."""
