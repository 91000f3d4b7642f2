"""Stores that hold many transcripts of another program: the second port, beside the line formats.

The lines of a transcript in a store are read by a line format; a store finds the transcripts, and
knows which of their lines count and which sessions a person ended. The importer knows no store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path, PurePath
from typing import Literal, Protocol, TypeAlias

import msgspec

from recollect.exchange.reader import LineSource
from recollect.exchange.transcript import Continuation, Record


class StoredTranscript(LineSource, Protocol):
    """One transcript of a store; a line that does not count has an empty body.

    Attributes:
        place: Its path if it were a file, for the format.
        companion: The facts of the store about sessions, as in the companion file.
        title: Its title there.
    """

    place: PurePath
    companion: Record
    title: str | None

    @property
    def continues(self) -> Continuation | None:
        """The transcript that it went on from, if lines were copied."""


class ForeignEnding(msgspec.Struct, frozen=True, kw_only=True):
    """A session that a person ended there.

    Attributes:
        session: Its id.
        at: When, ms UTC.
        status: Its status there.
    """

    session: str
    at: int
    status: Literal["deleted", "archived"] = "deleted"


class OpenStore(Protocol):
    """A store that is open."""

    def transcripts(self, *, include_deleted: bool) -> Sequence[StoredTranscript]:
        """Return the transcripts of the store, oldest first.

        Raises:
            ForeignStoreError: it cannot be read.
        """

    def endings(self) -> Sequence[ForeignEnding]:
        """Return the sessions that were deleted or archived on purpose."""


Storable: TypeAlias = Callable[[str], str]
"""Returns a foreign id as it is stored: without a secret, and the same for the same id."""


def as_it_is(identifier: str) -> str:
    """Return an id as it came, for callers that do not store it."""
    return identifier


class TranscriptStore(Protocol):
    """Opens a store read-only."""

    def __call__(
        self, path: Path, storable: Storable = as_it_is
    ) -> AbstractContextManager[OpenStore]:
        """Return the store at ``path``, which returns ids as they are stored here.

        Raises:
            ForeignStoreError: it cannot be read, or its version is unknown.
        """
