"""An index.db whose cache holds vectors: as after a change of the embedder, or from long ago."""

from __future__ import annotations

from pathlib import Path

import apsw  # noqa: TID251  # writes what recollect does not write any more
import msgspec

from recollect.index.embedding.cache import ADD_SPACE, space_of
from recollect.models.embedding.embedder import Embedder
from recollect.store.engine import Database, Transaction

_OTHER_SPACE = (
    "INSERT INTO embedding_spaces (provider, model, provider_key) VALUES ('other', 'm', 'k')"
)
_COPY_VECTORS = (
    "INSERT INTO embedding_cache (hash, space, updated_at, data)"
    " SELECT c.hash, (SELECT max(id) FROM embedding_spaces), 0, v.data"
    " FROM vectors v JOIN chunks c ON c.id = v.id WHERE true ON CONFLICT DO NOTHING"
)
_COPY_OF_A_LOST_TEXT = (
    "INSERT INTO embedding_cache (hash, space, updated_at, data)"
    " SELECT zeroblob(32), space, 0, data FROM embedding_cache LIMIT 1"
)
_BEFORE = 8
"""The version of the schema before vectors were stored once."""


OTHERS = (_OTHER_SPACE, _COPY_VECTORS)
"""Statements that give the cache a vector of another embedder for each text."""


def fill_cache(database: Database) -> None:
    """Do so, and give it one of a text that no chunk holds."""

    def unit(tx: Transaction) -> None:
        for statement in (*OTHERS, _COPY_OF_A_LOST_TEXT):
            tx.execute(statement)

    database.write(unit)


def make_old(path: Path, embedder: Embedder) -> None:
    """Give the cache a copy of every vector, and one of a text that went, and the schema of then.

    Args:
        path: An index.db that is closed.
        embedder: Who made the vectors.
    """
    connection = apsw.Connection(str(path))
    connection.execute(ADD_SPACE, msgspec.structs.astuple(space_of(embedder)))
    for statement in (_COPY_VECTORS, _COPY_OF_A_LOST_TEXT, "DROP INDEX chunks_by_text"):
        connection.execute(statement)
    connection.execute("DELETE FROM schema_steps WHERE version > ?", (_BEFORE,))
    connection.pragma("user_version", _BEFORE)
    connection.close()
