"""Chroma: vectors with their texts, an HNSW index kept in files, records in SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import chromadb
from chromadb.config import Settings

from benchmarks.peers.store import Item, Question, VectorsByText

VERSION = chromadb.__version__


class Peer:
    """One collection by cosine."""

    def __init__(self, folder: Path, vectors: VectorsByText) -> None:
        self._client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
        self._texts = self._client.get_or_create_collection(
            "texts", metadata={"hnsw:space": "cosine"}, embedding_function=None
        )

    def add(self, items: Sequence[Item]) -> None:
        """Store texts with their vectors."""
        self._texts.add(
            ids=[str(item.number) for item in items],
            documents=[item.said for item in items],
            embeddings=[item.vector for item in items],
        )

    def settle(self) -> None:
        """Nothing is left to do."""

    def ask(self, question: Question, count: int) -> list[int]:
        """Return the nearest vectors."""
        found = self._texts.query(
            query_embeddings=[question.vector], n_results=count, include=["documents", "distances"]
        )
        return [int(number) for number in found["ids"][0]]

    def close(self) -> None:
        """Leave it to the end of the process; the client has no other way."""
