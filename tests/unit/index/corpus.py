"""Documents from a script, an embedder made of words, and an index over a folder and both."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.core.errors import StoreError
from recollect.index.query.hit import Hit
from recollect.store.engine import Transaction
from recollect.store.sqlite.database import SqliteDatabase
from recollect.testing.scripted_index import (
    EVERYTHING,
    NOON,
    OpenIndex,
    ScriptedFeed,
    gone,
    note,
    said,
)

__all__ = [
    "DAY",
    "EVERYTHING",
    "NOON",
    "Key",
    "OpenIndex",
    "Refused",
    "ScriptedFeed",
    "UnsureDatabase",
    "WordEmbedder",
    "gone",
    "key_of",
    "note",
    "said",
]

T = TypeVar("T")
Key = tuple[str, str, int]

DAY = 86_400_000


class WordEmbedder:
    """Adds up a random vector for each word; remembers the texts that it was given."""

    is_remote = False

    def __init__(self, name: str = "words", dimensions: int = 64) -> None:
        self.model = f"test:{name}"
        self.fingerprint = f"{name}-{dimensions}"
        self.dimensions = dimensions
        self.texts: list[str] = []
        self.before: Callable[[Sequence[str]], None] = lambda _: None
        self._words: dict[str, NDArray[np.float64]] = {}

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Return one unit vector a text."""
        self.before(texts)
        self.texts += texts
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return one unit vector."""
        words = [self.fingerprint, *text.lower().split()]
        total = np.sum([self._word(word) for word in words], axis=0)
        unit: NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
        return unit

    def close(self) -> None:
        """Hold nothing."""

    def _word(self, word: str) -> NDArray[np.float64]:
        if word not in self._words:
            random = np.random.default_rng(zlib.crc32(word.encode()))
            self._words[word] = random.normal(size=self.dimensions)
        return self._words[word]


class Refused(Exception):
    """Rolls an attempt back."""


class UnsureDatabase:
    """A database whose commits fail as the script says: ``again``, ``failed``, or ``fine``.

    Args:
        database: Does the work.
        script: What happens to each write; when it ends all is fine.
        before: Called before each write.
    """

    def __init__(
        self,
        database: SqliteDatabase,
        script: str = "",
        before: Callable[[], object] = lambda: None,
    ) -> None:
        self._database = database
        self._script = script.split()
        self._before = before

    def write(self, unit: Callable[[Transaction], T]) -> T:
        """Run a unit; before, perhaps, run it in vain."""
        self._before()
        outcome = self._script.pop(0) if self._script else "fine"
        if outcome != "fine":
            self._run_in_vain(unit)
        if outcome == "failed":
            raise StoreError("the disk refused", hint="try again")
        return self._database.write(unit)

    def submit(self, unit: Callable[[Transaction], T]) -> Future[T]:
        """Queue a unit."""
        return self._database.submit(unit)

    def read(self, unit: Callable[[Transaction], T]) -> T:
        """Read."""
        return self._database.read(unit)

    def close(self) -> None:
        """Close it."""
        self._database.close()

    def _run_in_vain(self, unit: Callable[[Transaction], object]) -> None:
        def refused(tx: Transaction) -> None:
            unit(tx)
            raise Refused

        with pytest.raises(Refused):
            self._database.write(refused)


def key_of(hit: Hit) -> Key:
    """Return what a hit is of, whatever it scored."""
    return hit.source, hit.ref, hit.start_line or 0
