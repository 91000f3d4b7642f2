"""Kinds of memory that an embedder may get: of a paid one, those that were agreed to.

Memory that may not be sent is searched by words alone. Its chunks do not wait for a vector; readers
of the queue leave them out all the same, because one may be added at any time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

import msgspec

from recollect.index.embedding.failure import meta_value, set_meta_value
from recollect.index.model.chunk_record import chunk_ids
from recollect.index.model.document import SOURCES
from recollect.index.model.generation import partition_numbers
from recollect.store.engine import Transaction

OF_AGREED: LiteralString = (
    " AND EXISTS (SELECT 1 FROM documents d WHERE d.id = c.document"
    " AND d.source IN (SELECT value FROM json_each(?)))"
)
"""Narrows chunks ``c`` to the kinds of a JSON list."""
_LEAVE: LiteralString = (
    "DELETE FROM vector_queue WHERE id IN (SELECT q.id FROM vector_queue q"
    " JOIN chunks c ON c.id = q.id JOIN documents d ON d.id = c.document"
    " WHERE q.id BETWEEN ? AND ? AND d.source NOT IN (SELECT value FROM json_each(?)))"
)
_JOIN: LiteralString = (
    "INSERT INTO vector_queue (id) SELECT c.id FROM chunks c WHERE c.id BETWEEN ? AND ?"  # noqa: S608  # literals
    " AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.id = c.id)"
    " AND NOT EXISTS (SELECT 1 FROM vector_refused r WHERE r.id = c.id)"
    + OF_AGREED
    + " ON CONFLICT DO NOTHING"
)
_KEY = "embedding.agreed"


class _Agreed(msgspec.Struct, frozen=True):
    generation: int
    sources: tuple[str, ...]


def as_json(sources: Sequence[str]) -> str:
    """Return kinds of memory as `OF_AGREED` takes them."""
    return msgspec.json.encode(list(sources)).decode()


def settle_queue(tx: Transaction, generation: int, sources: tuple[str, ...]) -> None:
    """Queue the chunks of a generation whose vector may be sent, and no others.

    Args:
        tx: A write transaction of index.db.
        generation: The generation of the chunks.
        sources: The kinds that may be sent.
    """
    agreed, current = meta_value(tx, _KEY, _Agreed), _Agreed(generation, sources)
    is_narrow = set(sources) != set(SOURCES)
    for partition in partition_numbers(tx, generation):
        span = (*chunk_ids(partition), as_json(sources))
        if is_narrow:
            tx.execute(_LEAVE, span)
        if agreed is not None and agreed != current:
            tx.execute(_JOIN, span)
    if (agreed is not None or is_narrow) and agreed != current:
        set_meta_value(tx, _KEY, current)
