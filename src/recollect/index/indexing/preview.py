"""The cost of a sync or a rebuild, determined by reading alone: documents, texts, tokens, money.

Nothing is written and nothing is sent; the feeds are read as the sync would read them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import LiteralString

import msgspec

from recollect.index.embedding.agreed import OF_AGREED, as_json
from recollect.index.embedding.cache import LOOKUP_GROUP, EmbeddingCache
from recollect.index.indexing.ingestor import feed_states
from recollect.index.indexing.prepared_chunk import prepare
from recollect.index.indexing.writer import find_digests
from recollect.index.model.chunk_record import chunk_ids
from recollect.index.model.document import SOURCES, Document, DocumentSource, SourceState
from recollect.index.model.generation import (
    Generation,
    Identity,
    partition_number,
    partition_numbers,
)
from recollect.store.columns import typed_rows
from recollect.store.engine import Database, Transaction
from recollect.text.tokens import estimate_tokens


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of a sync or a rebuild.

    Attributes:
        rebuild: Why everything is rebuilt, or None.
        consent_needed: Why a sync needs consent before it does so, or None.
        documents: Messages and files that would be read.
        chunks: Chunks that they are cut into.
        texts: Distinct texts that would be embedded: no cache holds their vector.
        tokens: Their estimated tokens.
        model: The ``provider:model`` that would embed them, or None.
        is_paid: Whether it is billed.
        usd: The cost; 0 where it is free, None where the price is not known.
        tokens_left_today: The rest of the daily limit; None without one, or where nothing is
            billed.
    """

    rebuild: str | None
    consent_needed: str | None
    documents: int
    chunks: int
    texts: int
    tokens: int
    model: str | None
    is_paid: bool
    usd: float | None
    tokens_left_today: int | None = None


class Survey:
    """Counts the documents that a generation would take in. Used once; counts as in `Preview`.

    Args:
        database: index.db.
        identity: How documents would be cut.
        generation: Their generation; None for a new one.
        cache: Vectors that are there; None when nothing would be embedded.
        withheld: Kinds of memory that the embedder does not get.
    """

    def __init__(
        self,
        database: Database,
        identity: Identity,
        generation: Generation | None,
        cache: EmbeddingCache | None,
        withheld: Collection[str] = (),
    ) -> None:
        self._withheld = frozenset(withheld)
        self._database = database
        self._identity = identity
        self._generation = generation
        self._cache = cache
        self._seen: set[bytes] = set()
        self._pending: dict[bytes, str] = {}
        self.documents = self.chunks = self.texts = self.tokens = 0

    def count_new(self, feeds: Sequence[DocumentSource]) -> None:
        """Read everything that is new, and what waits for a vector."""
        states = [SourceState(0, {}, answers=False)] * len(feeds)
        if self._generation is not None:
            number = self._generation.number
            look = partial(feed_states, generation=number, feeds=feeds, answers=False)
            states = [feed_state.state for feed_state in self._database.read(look)]
        for feed, state in zip(feeds, states, strict=True):
            for batch in feed.batches(state):
                self._take(batch.documents)
        if self._generation is not None and self._cache is not None:
            for digest, content in self._waiting(self._generation):
                self._need(digest, content)
        self._settle()

    def _take(self, documents: Sequence[Document]) -> None:
        by_tenant: dict[str, list[Document]] = defaultdict(list)
        for document in documents:
            by_tenant[document.scope.tenant].append(document)
        for tenant, members in by_tenant.items():
            digests = self._database.read(partial(self._digests, tenant=tenant, documents=members))
            for document in members:
                digest = document.digest()
                if digests.get((document.source, document.ref)) == digest:
                    continue
                pieces = prepare(document, digest, self._identity).pieces
                self.documents += 1
                self.chunks += len(pieces)
                for piece in () if document.source in self._withheld else pieces:
                    self._need(piece.hash, piece.text)

    def _digests(
        self, tx: Transaction, tenant: str, documents: Sequence[Document]
    ) -> dict[tuple[str, str], bytes]:
        if self._generation is None:
            return {}
        number = partition_number(tx, self._generation.number, tenant)
        keys = [(document.source, document.ref) for document in documents]
        return {} if number is None else find_digests(tx, number, keys)

    def _need(self, digest: bytes, content: str) -> None:
        """Note a text that needs a vector."""
        if self._cache is None or digest in self._seen:
            return
        self._seen.add(digest)
        self._pending[digest] = content
        if len(self._pending) >= LOOKUP_GROUP:
            self._settle()

    def _settle(self) -> None:
        """Count the noted texts that are not in the cache."""
        pending, self._pending, cache = self._pending, {}, self._cache
        if cache is None or not pending:
            return
        cached = self._database.read(lambda tx: cache.known(tx, pending.keys()))
        missing = [content for digest, content in pending.items() if digest not in cached]
        self.texts += len(missing)
        self.tokens += sum(map(estimate_tokens, missing))

    def _waiting(self, generation: Generation) -> Iterator[tuple[bytes, str]]:
        """Yield the texts of a generation that wait; all of one that has no embedder yet."""
        sql = _UNMADE if generation.identity.embedder else _EVERY
        agreed = as_json([kind for kind in SOURCES if kind not in self._withheld])
        for partition in self._database.read(lambda tx: partition_numbers(tx, generation.number)):
            first, last = chunk_ids(partition)
            while rows := self._database.read(partial(_page, sql=sql, keys=(first, last, agreed))):
                yield from ((digest, content) for _, digest, content in rows)
                first = rows[-1][0] + 1


_EVERY: LiteralString = (
    "SELECT c.id, c.hash, c.text FROM chunks c WHERE c.id BETWEEN ? AND ?"  # noqa: S608  # literals
    + OF_AGREED
    + " ORDER BY c.id LIMIT 1000"
)
_UNMADE: LiteralString = (
    "SELECT c.id, c.hash, c.text FROM chunks c WHERE c.id BETWEEN ? AND ?"  # noqa: S608  # literals
    " AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.id = c.id)"
    " AND NOT EXISTS (SELECT 1 FROM vector_refused r WHERE r.id = c.id)"
    + OF_AGREED
    + " ORDER BY c.id LIMIT 1000"
)


def _page(
    tx: Transaction, sql: LiteralString, keys: tuple[int, int, str]
) -> list[tuple[int, bytes, str]]:
    return typed_rows(tx.all(sql, keys), tuple[int, bytes, str])
