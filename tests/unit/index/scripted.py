"""What the tests of the index are made of: an embedder and a feed that do as they are told."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from recollect.core.clock import Clock, SystemClock
from recollect.core.scope import Scope
from recollect.core.settings import SearchSettings, Settings, StoreSettings
from recollect.core.settings.embedding import CacheSettings, EmbeddingSettings
from recollect.index.embedding.cache import EmbeddingCache, space_of
from recollect.index.index import Index
from recollect.index.model.document import (
    Document,
    DocumentBatch,
    DocumentSource,
    Removal,
    SourceState,
)
from recollect.index.model.locks import IndexLocks
from recollect.index.query.hit import SearchResult
from recollect.index.query.search_service import SearchOptions
from recollect.models.embedding.embedder import Embedder, Progress, Vectors
from recollect.store.sqlite.database import open_index

CLOCK = SystemClock()
DAY = 86_400_000
NOON = 1_770_724_800_000
"""2026-02-10 12:00 UTC in ms."""


def unchanged(vectors: Vectors) -> Vectors:
    """Return the vectors as they are."""
    return vectors


class ScriptedEmbedder:
    """Words become unit vectors by their hash, and a text the direction of their sum.

    Args:
        model: Its name; another name is another space.
        before: Called with the texts before documents are embedded; may raise.
        after: Changes the vectors of documents.
        query: Changes the vector of a question; may raise.
    """

    dimensions = 256
    is_remote = False

    def __init__(
        self,
        model: str = "scripted:words",
        *,
        before: Callable[[Sequence[str]], None] = lambda _: None,
        after: Callable[[Vectors], Vectors] = unchanged,
        query: Callable[[Vectors], Vectors] = unchanged,
    ) -> None:
        self.model = model
        self.fingerprint = hashlib.sha256(model.encode()).hexdigest()
        self.before, self.after, self.query = before, after, query
        self.texts: list[str] = []
        """Every text that was embedded."""
        self.closed = 0

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one vector a text, after the script had its say."""
        self.before(texts)
        self.texts += texts
        return self.after(np.stack([self._vector(text) for text in texts]))

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, changed by the script."""
        return self.query(self._vector(text))

    def close(self) -> None:
        """Count the calls."""
        self.closed += 1

    def _vector(self, text: str) -> Vectors:
        words = [self._word(word.strip(".,?!'").lower()) for word in text.split()] or [
            self._word("")
        ]
        total = np.sum(words, axis=0)
        unit: Vectors = (total / np.linalg.norm(total)).astype(np.float32)
        return unit

    def _word(self, word: str) -> Vectors:
        seed = hashlib.sha256(f"{self.model} {word}".encode()).digest()[:8]
        draw = np.random.default_rng(list(seed))
        return draw.standard_normal(self.dimensions, np.float32)


class PaidEmbedder(ScriptedEmbedder):
    """One that a provider bills for; without a network."""

    is_remote = True
    is_paid = True


class ScriptedFeed:
    """An outbox that a test fills: documents and removals in order."""

    name = "scripted"
    source = "sessions"
    tenant: str | None = None

    def __init__(self, *entries: Document | Removal) -> None:
        self.entries: list[Document | Removal] = list(entries)

    def is_behind(self, cursor: int) -> bool:
        """Return whether something was added."""
        return len(self.entries) > cursor

    def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
        """Yield all that is new as one batch."""
        new = {(entry.source, entry.ref): entry for entry in self.entries[state.cursor :]}
        if new:
            yield DocumentBatch(
                documents=tuple(e for e in new.values() if isinstance(e, Document)),
                removals=tuple(e for e in new.values() if isinstance(e, Removal)),
                cursor=len(self.entries),
            )


class ScriptedIndex:
    """An index over a scripted feed, in a folder."""

    def __init__(
        self,
        folder: Path,
        feed: DocumentSource,
        embedder: ScriptedEmbedder | None = None,
        search: SearchSettings | None = None,
        *,
        fallback: ScriptedEmbedder | None = None,
        was_found: bool = False,
        embedding: EmbeddingSettings | None = None,
        clock: Clock = CLOCK,
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.database = open_index(folder, StoreSettings(), CLOCK)
        self.index = Index(
            self.database,
            [feed],
            Settings(search=search or SearchSettings(), embedding=embedding or EmbeddingSettings()),
            clock=clock,
            embedder=embedder,
            fallback=fallback,
            was_found=was_found,
            locks=IndexLocks(folder, clock),
        )

    def __enter__(self) -> ScriptedIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.database.close()

    def ask(self, query: str, scope: Scope | None = None, **options: Any) -> SearchResult:
        """Search as the facade does, with every hit if not told otherwise."""
        search_options = SearchOptions(limit=1_000, min_score=0.0, sources=None, mode="hybrid")
        search_options = msgspec.structs.replace(search_options, **options)
        return self.index.search(query, scope or Scope(), search_options, embed_at_most=10_000)

    def refs(self, query: str, scope: Scope | None = None, **options: Any) -> list[str]:
        """Return the refs of the hits, best first."""
        return [hit.ref for hit in self.ask(query, scope, **options).hits]


def cache_of(embedder: Embedder, settings: CacheSettings | None = None) -> EmbeddingCache:
    """Return the cache of an embedder."""
    return EmbeddingCache(space_of(embedder), settings or CacheSettings())


def said(
    ref: str,
    text: str,
    *,
    name: str | None = None,
    role: str = "user",
    at: int = NOON,
    session: str | None = None,
    scope: Scope | None = None,
) -> Document:
    """Return a message; in a session of its own, so that it has no neighbours, if none is given.

    The order in the session is the number at the end of the ref.
    """
    digits = ref[len(ref.rstrip("0123456789")) :]
    return Document(
        source="sessions",
        ref=ref,
        group=session or f"session of {ref}",
        order=int(digits or 0),
        text=text,
        at=at,
        scope=scope or Scope(),
        role=role,
        name=name,
    )


def note(ref: str, text: str, *, at: int = NOON, scope: Scope | None = None) -> Document:
    """Return a memory file."""
    return Document(
        source="memory",
        ref=ref,
        group=ref,
        order=0,
        text=text,
        at=at,
        scope=scope or Scope(),
        markdown=True,
    )
