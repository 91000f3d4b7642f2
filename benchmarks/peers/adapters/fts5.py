"""SQLite's FTS5 with its porter stemmer, every word of a question joined by OR: the naive way."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.store import Item, Question, VectorsByText

VERSION = sqlite3.sqlite_version

_WORD = re.compile(r"\w+")


class Peer:
    """One table; a log that is written at each commit and not waited for."""

    def __init__(self, folder: Path, vectors: VectorsByText) -> None:
        folder.mkdir(exist_ok=True)
        self._base = sqlite3.connect(folder / "texts.db", isolation_level=None)
        self._base.execute("PRAGMA journal_mode=WAL")
        self._base.execute("PRAGMA synchronous=NORMAL")
        self._base.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(text, tokenize='porter unicode61')"
        )

    def add(self, items: Sequence[Item]) -> None:
        """Store texts in one transaction."""
        self._base.execute("BEGIN")
        self._base.executemany(
            "INSERT INTO texts(rowid, text) VALUES (?, ?)",
            [(item.number + 1, item.said) for item in items],
        )
        self._base.execute("COMMIT")

    def settle(self) -> None:
        """Bring the log into the database."""
        self._base.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def ask(self, question: Question, count: int) -> list[int]:
        """Return the best texts by FTS5's own BM25."""
        words = " OR ".join(f'"{word}"' for word in _WORD.findall(question.text))
        found = self._base.execute(
            "SELECT rowid, text FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?",
            (words, count),
        )
        return [number - 1 for number, _ in found]

    def close(self) -> None:
        """Close the database."""
        self._base.close()
