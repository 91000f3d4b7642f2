"""Scripted documents as a source, and an index in a folder over them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from recollect.core.clock import SystemClock
from recollect.core.decoding import convert_value
from recollect.core.scope import Scope
from recollect.core.settings import Settings
from recollect.index.embedding.service import Embedders
from recollect.index.index import Index
from recollect.index.model.document import Document, DocumentBatch, Removal, SourceState
from recollect.index.model.locks import IndexLocks
from recollect.index.query.hit import Hit, SearchResult
from recollect.index.query.question_vectors import QuestionVectors
from recollect.index.query.search_service import SearchOptions, SearchService
from recollect.models.embedding.embedder import Embedder
from recollect.store.engine import Database
from recollect.store.sqlite.database import SqliteDatabase, open_index

Change = Document | Removal

NOON = 1_770_724_800_000
"""2026-02-10 12:00 UTC in ms."""
EVERYTHING = SearchOptions(limit=1_000, min_score=0.0, sources=None, mode="hybrid")


def said(ref: str, text: str, **more: object) -> Document:
    """Return a message; ``more`` are fields of `Document`."""
    fields = {"group": "s1", "order": 0, "at": NOON, "scope": Scope(), "role": "user"} | more
    return convert_value({"source": "sessions", "ref": ref, "text": text, **fields}, Document)


def note(ref: str, text: str, **more: object) -> Document:
    """Return a memory file."""
    return said(
        ref, text, **({"source": "memory", "group": ref, "role": None, "markdown": True} | more)
    )


def gone(document: Document) -> Removal:
    """Return the removal of a document."""
    return Removal(source=document.source, ref=document.ref, tenant=document.scope.tenant)


class ScriptedFeed:
    """An outbox in memory."""

    name = "scripted"
    source = "sessions"
    tenant: str | None = None

    def __init__(self, *changes: Change, batch: int = 1_000) -> None:
        self.batch = batch
        self.changes: list[Change] = list(changes)

    def add(self, *changes: Change) -> None:
        """Append changes."""
        self.changes += changes

    def living(self) -> list[Document]:
        """Return the documents that exist after all changes, in the order of their versions."""
        latest: dict[tuple[str, str, str], Change] = {}
        for change in self.changes:
            latest.pop(_key(change), None)
            latest[_key(change)] = change
        return [change for change in latest.values() if isinstance(change, Document)]

    def is_behind(self, cursor: int) -> bool:
        """Return whether something is new."""
        return cursor < len(self.changes)

    def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
        """Yield what is new."""
        for start in range(state.cursor, len(self.changes), self.batch):
            part = self.changes[start : start + self.batch]
            latest = {_key(change): change for change in part}
            yield DocumentBatch(
                documents=tuple(c for c in latest.values() if isinstance(c, Document)),
                removals=tuple(c for c in latest.values() if isinstance(c, Removal)),
                cursor=start + len(part),
                left=len(self.changes) - start - len(part),
            )


def _key(change: Change) -> tuple[str, str, str]:
    tenant = change.scope.tenant if isinstance(change, Document) else change.tenant
    return tenant, change.source, change.ref


class OpenIndex:
    """An index in a folder over one feed."""

    def __init__(
        self,
        folder: Path,
        feed: ScriptedFeed,
        embedder: Embedder | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.folder = folder
        self.feed = feed
        self.settings = settings or Settings()
        self.database: SqliteDatabase = open_index(folder, self.settings.store, SystemClock())
        self.index = self.index_over(self.database, embedder)

    def index_over(self, database: Database, embedder: Embedder | None) -> Index:
        """Return an index like this one over another view of its database."""
        clock = SystemClock()
        return Index(
            database,
            [self.feed],
            self.settings,
            clock=clock,
            embedder=embedder,
            locks=IndexLocks(self.folder, clock),
        )

    def ask(
        self, query: str, scope: Scope | None = None, options: SearchOptions = EVERYTHING
    ) -> SearchResult:
        """Search without limits, after making missing vectors."""
        return self.index.search(query, scope or Scope(), options, embed_at_most=1_000_000)

    def hits(
        self, query: str, scope: Scope | None = None, options: SearchOptions = EVERYTHING
    ) -> list[Hit]:
        """Return every hit."""
        return self.ask(query, scope, options).hits

    def reader(self) -> SearchService:
        """Return a reader that never writes."""
        return SearchService(self.database, self.settings.search, QuestionVectors(Embedders(), 3.0))

    def refs(self, query: str, scope: Scope | None = None) -> list[str]:
        """Return the refs of the hits, best first."""
        return [hit.ref for hit in self.hits(query, scope)]

    def close(self) -> None:
        """Close the file."""
        self.database.close()
