"""txtai: BM25 and vectors side by side, added up; durable once it is saved."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from txtai import Embeddings

from benchmarks.peers.store import Item, Question, VectorsByText

VERSION = metadata.version("txtai")


class Peer:
    """Its hybrid index with the texts."""

    def __init__(self, folder: Path, vectors: VectorsByText) -> None:
        self._folder = folder

        def transform(texts: list[str]) -> Any:
            return np.array([vectors(text) for text in texts])

        self._texts = Embeddings(method="external", transform=transform, hybrid=True, content=True)
        self._is_new = not self._texts.exists(str(folder))
        if not self._is_new:
            self._texts.load(str(folder), config={"transform": transform})

    def add(self, items: Sequence[Item]) -> None:
        """Index texts."""
        rows = [(item.number, item.said, None) for item in items]
        (self._texts.index if self._is_new else self._texts.upsert)(rows)
        self._is_new = False

    def settle(self) -> None:
        """Save everything."""
        self._texts.save(str(self._folder))

    def ask(self, question: Question, count: int) -> list[int]:
        """Return the best of both."""
        return [int(found["id"]) for found in self._texts.search(question.text, count)]

    def close(self) -> None:
        """Close the index."""
        self._texts.close()
