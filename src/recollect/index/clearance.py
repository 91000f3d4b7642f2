"""Removed chunks of one transaction: taken out of every table, with all that only they needed.

Rows that hold a removed text, its terms or its vector are deleted or written anew, and the
database overwrites what it deletes (secure_delete). Only copies that SQLite leaves in the free
space of a page when it moves rows to another one are out of reach; VACUUM removes them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from recollect.index.document_rows import Key, remove_document
from recollect.index.embedding_cache import remove_cached
from recollect.index.layout import chunk_id
from recollect.index.lexical.port import WordWriter
from recollect.index.register import Register
from recollect.index.vectors.code_rows import forget_codes
from recollect.store.cell import blob, text
from recollect.store.engine import Transaction


class Clearance:
    """Takes documents out of a partition.

    Args:
        partition: The row of `partitions`.
        words: Takes the words out.
        register: Counts names and groups off.
    """

    def __init__(self, partition: int, words: WordWriter, register: Register) -> None:
        self._partition = partition
        self._words = words
        self._register = register
        self._texts: dict[int, str] = {}
        self._left: Collection[int] = ()
        self._hashes: set[bytes] = set()

    def take(self, tx: Transaction, keys: Iterable[Key]) -> int:
        """Remove the rows of documents and their texts; return how many documents there were."""
        removed = [remove_document(tx, self._partition, key) for key in keys]
        there = [document for document in removed if document is not None]
        for document in there:
            self._register.leave(document.belonging)
            for number in range(document.first, document.first + document.count):
                self._take_chunk(tx, number)
        return len(there)

    def store(self, tx: Transaction) -> None:
        """Remove terms, vectors and codes of the chunks, and note that they are gone."""
        if not self._texts:
            return
        self._left = self._words.remove(tx, self._texts)
        ids = [(chunk_id(self._partition, number),) for number in self._texts]
        tx.executemany("DELETE FROM tail WHERE id = ?", ids)
        tx.executemany("DELETE FROM annotations WHERE id = ?", ids)
        tx.executemany("DELETE FROM vectors WHERE id = ?", ids)
        tx.executemany("DELETE FROM vector_queue WHERE id = ?", ids)
        tx.executemany("DELETE FROM vector_refused WHERE id = ?", ids)
        forget_codes(tx, self._partition, list(self._texts))
        tx.executemany(
            "INSERT INTO removals (partition_id, chunk) VALUES (?, ?)",
            [(self._partition, number) for number in self._texts],
        )

    def sweep(self, tx: Transaction, kept: Collection[bytes]) -> None:
        """Remove terms that stand nowhere any more, and the texts' vectors from the cache.

        Call it when the new chunks of the transaction are stored.

        Args:
            tx: The write transaction.
            kept: Hashes of texts that came back in this transaction.
        """
        self._words.sweep(tx, self._left)
        remove_cached(tx, self._hashes.difference(kept))

    def _take_chunk(self, tx: Transaction, number: int) -> None:
        key = chunk_id(self._partition, number)
        row = tx.row("DELETE FROM chunks WHERE id = ? RETURNING hash, text", (key,))
        if row is None:
            return
        self._hashes.add(blob(row[0]))
        self._texts[number] = text(row[1])
