"""An index.db as recollect left it before vectors were stored once."""

from __future__ import annotations

from pathlib import Path

import apsw
import msgspec

from recollect.index.embedding.cache import ADD_SPACE, space_of
from recollect.models.embedding.embedder import Embedder

_BEFORE = 8
"""The version of the schema."""


def make_copies(path: Path, embedder: Embedder) -> None:
    """Give the cache a copy of every vector, and one of a text that went, and the schema of then.

    Args:
        path: An index.db that is closed.
        embedder: Who made the vectors.
    """
    connection = apsw.Connection(str(path))
    connection.execute(ADD_SPACE, msgspec.structs.astuple(space_of(embedder)))
    connection.execute(
        "INSERT INTO embedding_cache (hash, space, updated_at, data)"
        " SELECT c.hash, (SELECT max(id) FROM embedding_spaces), 0, v.data"
        " FROM vectors v JOIN chunks c ON c.id = v.id WHERE true ON CONFLICT DO NOTHING"
    )
    connection.execute(
        "INSERT INTO embedding_cache (hash, space, updated_at, data)"
        " SELECT zeroblob(32), space, 0, data FROM embedding_cache LIMIT 1"
    )
    connection.execute("DROP INDEX chunks_by_text")
    connection.execute("DELETE FROM schema_steps WHERE version > ?", (_BEFORE,))
    connection.pragma("user_version", _BEFORE)
    connection.close()
