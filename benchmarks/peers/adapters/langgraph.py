"""LangGraph's SqliteStore: documents in SQLite, vectors by sqlite-vec, every one compared."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import pysqlite3 as sqlite3

# Python's own module cannot load extensions on every system, and sqlite-vec is one.
sys.modules["sqlite3"] = sqlite3

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from benchmarks.peers.adapters.given import GivenEmbeddings
from benchmarks.peers.store import DIMENSIONS, Item, Question, VectorsByText

VERSION = metadata.version("langgraph-checkpoint-sqlite")

_SPACE = ("texts",)


class Peer:
    """One namespace; the connection as `from_conn_string` makes it."""

    def __init__(self, folder: Path, vectors: VectorsByText) -> None:
        folder.mkdir(exist_ok=True)
        self._base = sqlite3.connect(
            folder / "store.db", check_same_thread=False, isolation_level=None
        )
        self._store = SqliteStore(
            self._base,
            index={"dims": DIMENSIONS, "embed": GivenEmbeddings(vectors), "text_fields": ["text"]},
        )
        self._store.setup()

    def add(self, items: Sequence[Item]) -> None:
        """Store texts in one batch."""
        self._store.batch([PutOp(_SPACE, str(item.number), {"text": item.said}) for item in items])

    def settle(self) -> None:
        """Nothing is left to do."""

    def ask(self, question: Question, count: int) -> list[int]:
        """Return the nearest vectors."""
        match = self._store.search(_SPACE, query=question.text, limit=count)
        return [int(item.key) for item in match]

    def close(self) -> None:
        """Close the database."""
        self._base.close()
