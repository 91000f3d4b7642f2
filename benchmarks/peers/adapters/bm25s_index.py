"""bm25s: a matrix of BM25 scores, made once from all texts; words only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bm25s
import Stemmer

from benchmarks.peers.store import Item, Question, VectorsByText

VERSION = bm25s.__version__


class Peer:
    """Stop words left out and words stemmed, as its documentation shows it."""

    def __init__(self, folder: Path, vectors: VectorsByText) -> None:
        self._folder = folder
        self._texts: list[str] = []
        self._stemmer = Stemmer.Stemmer("english")
        self._index = bm25s.BM25.load(folder, mmap=False) if folder.exists() else None

    def add(self, items: Sequence[Item]) -> None:
        """Keep the texts until the index is made."""
        self._texts += [item.said for item in items]

    def settle(self) -> None:
        """Make the index of every text, and save it."""
        self._index = bm25s.BM25()
        self._index.index(self._words(self._texts), show_progress=False)
        self._index.save(self._folder, corpus=self._texts)

    def ask(self, question: Question, count: int) -> list[int]:
        """Return the best texts by words."""
        assert self._index is not None, "settle first"  # noqa: S101 - for the type checker
        found, _ = self._index.retrieve(
            self._words([question.text]), k=count, show_progress=False, n_threads=0
        )
        return [int(number) for number in found[0]]

    def close(self) -> None:
        """Nothing is held."""

    def _words(self, texts: list[str]) -> bm25s.tokenization.Tokenized:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)
