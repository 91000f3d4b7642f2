"""Stores that hold many transcripts of another program: the second port, beside the line formats.

What a transcript in a store says is read by a line format; a store finds the transcripts, tells
which of their lines count, and which sessions a person ended. The importer knows no store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path, PurePath
from typing import Literal, Protocol, TypeAlias

import msgspec

from recollect.sessions.exchange.import_source import LineSource
from recollect.sessions.exchange.transcript_format import Continuation, Record


class StoredTranscript(LineSource, Protocol):
    """One transcript of a store; a line that does not count has an empty body.

    Attributes:
        place: Where it would lie as a file, for the format.
        companion: What the store tells of sessions, as the companion file would.
        title: What it is called there.
    """

    place: PurePath
    companion: Record
    title: str | None

    @property
    def continues(self) -> Continuation | None:
        """The transcript that it went on from, where it was copied."""


class ForeignEnding(msgspec.Struct, frozen=True, kw_only=True):
    """A session that a person ended there.

    Attributes:
        session: Its id.
        at: When, ms UTC.
        status: What became of it.
    """

    session: str
    at: int
    status: Literal["deleted", "archived"] = "deleted"


class OpenStore(Protocol):
    """A store that is open."""

    def transcripts(self, *, include_deleted: bool) -> Sequence[StoredTranscript]:
        """Return what is in it, the oldest first.

        Raises:
            ForeignStoreError: it cannot be read.
        """

    def endings(self) -> Sequence[ForeignEnding]:
        """Return which sessions were deleted or archived on purpose."""


Storable: TypeAlias = Callable[[str], str]
"""Returns a foreign id as it is stored: without a secret, and the same for the same id."""


def as_it_is(identifier: str) -> str:
    """Return an id as it came, for who stores none."""
    return identifier


class TranscriptStore(Protocol):
    """Opens a store read-only."""

    def __call__(
        self, path: Path, storable: Storable = as_it_is
    ) -> AbstractContextManager[OpenStore]:
        """Return the store at ``path``, which tells its ids as they are stored.

        Raises:
            ForeignStoreError: it cannot be read, or its version is none that is known.
        """
