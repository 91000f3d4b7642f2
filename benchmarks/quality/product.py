"""The part of the product that a benchmark uses, and the one call that opens it.

A benchmark talks to the public names only, as a user's program would. The protocols say which;
tests give a small scripted memory of the same shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol

import recollect
from recollect.core.scope import Scope
from recollect.models.embedding.embedder import Embedder

Mode = Literal["lexical", "vector", "hybrid"]

Overrides = Mapping[str, object]
"""Settings by dotted key."""


class Hit(Protocol):
    """One result of a search."""

    @property
    def session_id(self) -> str | None:
        """The session of the matched message; None for a memory file."""

    @property
    def seq(self) -> int | None:
        """The place of the matched message in its session."""

    @property
    def path(self) -> str | None:
        """The memory file, relative to the workspace; None for a message."""

    @property
    def snippet(self) -> str:
        """The text shown of the hit."""


class Answer(Protocol):
    """What a search returned, best hit first; ``mode`` is the one that was really used."""

    @property
    def hits(self) -> Sequence[Hit]:
        """The hits, best first."""

    @property
    def mode(self) -> str:
        """The mode that was really used."""

    @property
    def warnings(self) -> Sequence[str]:
        """Why the answer is less than what was asked for."""


class StoredSession(Protocol):
    """A session that was created."""

    @property
    def id(self) -> str:
        """The id of the session."""


class StoredMessage(Protocol):
    """A message that was appended."""

    @property
    def seq(self) -> int:
        """The place of the message in its session."""


class Sessions(Protocol):
    """Where transcripts go in."""

    def create(self, *, key: str) -> StoredSession:
        """Start a session."""

    def append(
        self,
        session_id: str,
        role: str,
        content: str,
        *,
        name: str | None = None,
        at: int | None = None,
    ) -> StoredMessage:
        """Store one message; returns when it is durable."""

    def append_many(
        self, session_id: str, messages: Sequence[Mapping[str, object]]
    ) -> Sequence[StoredMessage]:
        """Store messages in one transaction, in order."""


class Product(Protocol):
    """An open memory."""

    @property
    def sessions(self) -> Sessions:
        """The transcripts."""

    def sync(self) -> object:
        """Return when everything is indexed, embeddings included."""

    def reindex(self) -> object:
        """Build the index anew."""

    def search(
        self,
        query: str,
        *,
        limit: int,
        min_score: float | None = None,
        sources: Sequence[str] | None = None,
        scope: Scope | None = None,
        for_session: str | None = None,
        mode: Mode = "hybrid",
    ) -> Answer:
        """Return the best hits."""

    def __enter__(self) -> Product:
        """Return the memory itself."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> object:
        """Close the memory."""


class Opener(Protocol):
    """Opens a memory in a home folder, as `recollect.open` does."""

    def __call__(
        self,
        home: Path,
        *,
        workspace: Path | None = None,
        overrides: Overrides | None = None,
        embedder: Embedder | None = None,
    ) -> Product:
        """Return the memory of ``home``."""


def open_product(
    home: Path,
    *,
    workspace: Path | None = None,
    overrides: Overrides | None = None,
    embedder: Embedder | None = None,
) -> Product:
    """Return `recollect.open` on ``home``, without work in the background.

    Raises:
        RecollectError: as `recollect.open`.
    """
    return recollect.open(
        home, workspace=workspace, overrides=overrides, embedder=embedder, live=False
    )
