"""The input of the index: one searchable document, whatever kind of memory it came from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

import msgspec

from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope

SOURCES = ("memory", "sessions", "observations", "facts", "episodes")
"""Kinds of memory that can be searched; the position is stored, so only append."""
FILES, SESSIONS, OBSERVATIONS, FACTS, EPISODES = SOURCES
"""The kinds of memory files, messages, observations, facts and summaries of sessions."""
DERIVED = (FACTS, EPISODES)
"""Those that repeat messages: they must not make the words of these more frequent."""
FOUND = SOURCES
"""Those that can be searched today."""


class Document(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One indexed thing: a memory file or a message.

    Attributes:
        source: One of `SOURCES`.
        ref: Unique within the source and tenant: a path, a message id.
        group: The group of its neighbours: the session's id, the file's path.
        order: Position in the group, ascending, not negative: the seq of a message, 0 for a file.
        text: What is searched and shown.
        at: When it was said or last changed, milliseconds UTC.
        scope: The owner of the row.
        role: Who spoke by role (``user``, ``assistant`` ...), where that applies.
        name: Who spoke by name, where it is known.
        markdown: Cut into line chunks (a file) instead of one chunk (a message).
        visibility_group: Who hears of it, see `index.model.visibility`; None: as its source.
        mentions: Of a file the lines that name an observation, each with the number of that.
        is_covered: Whether something else that is searched says the same: it is found only where
            its kind of memory is asked for.
        stamp: What the source needs to see that nothing changed without reading (size and mtime).
    """

    source: str
    ref: str
    group: str
    order: int
    text: str
    at: int
    scope: Scope
    role: str | None = None
    name: str | None = None
    markdown: bool = False
    visibility_group: str | None = None
    mentions: tuple[tuple[int, int], ...] = ()
    is_covered: bool = False
    stamp: str | None = None

    def digest(self) -> bytes:
        """Return the SHA-256 over everything that ranking or display depends on."""
        owner = (self.scope.agent, self.scope.user, self.scope.project)
        facts = (self.group, self.order, self.at, owner, self.role, self.name, self.markdown)
        state = hashlib.sha256(repr(facts).encode())
        state.update(self.text.encode("utf-8", "surrogatepass"))
        if self.mentions:  # they may be on lines that are not searched
            state.update(repr(self.mentions).encode())
        if self.is_covered:
            state.update(b"covered")
        return state.digest()


class Removal(msgspec.Struct, frozen=True, kw_only=True):
    """A document that is gone from its source."""

    source: str
    ref: str
    tenant: str


class SourceState(msgspec.Struct, frozen=True):
    """The state of a feed in the index: its cursor, and the stamps of its documents by ref.

    ``changed`` names the files that changed since, where all are known. Without ``answers`` the
    documents do not go into the serving index: a search reads them again.
    """

    cursor: int
    stamps: Mapping[str, str]
    changed: frozenset[str] | None = None
    answers: bool = True


class DocumentBatch(msgspec.Struct, frozen=True, kw_only=True):
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


class DocumentSource(Protocol):
    """A source of documents.

    Attributes:
        name: The name of its cursor.
        source: The source of its documents.
        tenant: For a scan, the tenant whose stamps it needs; None for an outbox, which needs only a
            cursor.
    """

    name: str
    source: str
    tenant: str | None

    def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
        """Yield the changes since ``state``, oldest first; nothing when all is known."""

    def is_behind(self, cursor: int) -> bool:
        """Return, cheaply, whether there may be something new after ``cursor``."""


def source_names(sources: object) -> tuple[str, ...]:
    """Return the sources that a caller gives, checked to be names.

    Raises:
        InvalidInput: it is not a list of texts; a single text is one too, but surely a mistake.
    """
    if isinstance(sources, Iterable) and not isinstance(sources, str):
        names = tuple(sources)
        if all(isinstance(name, str) for name in names):
            return names
    raise InvalidInput("sources must be a list of names", hint=f"use some of {', '.join(SOURCES)}")
