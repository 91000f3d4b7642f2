"""Removed chunks of one transaction: taken out of every table, with all that only they needed.

Rows that hold a removed text, its terms or its vector are deleted or written anew, and the
database overwrites what it deletes (secure_delete). Only copies that SQLite leaves in the free
space of a page when it moves rows to another one are out of reach; VACUUM removes them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

import numpy as np

from recollect.index.document_rows import Key, remove_document
from recollect.index.embedding_cache import remove_cached
from recollect.index.layout import chunk_id
from recollect.index.lexical.dictionary import Dictionary
from recollect.index.lexical.segments import is_sealed, remove_postings, sealed_end
from recollect.index.lexical.tail import entries_of, read_tail
from recollect.index.register import Register
from recollect.index.vectors.code_rows import forget_codes
from recollect.store.cell import blob, text
from recollect.store.engine import Transaction
from recollect.text.terms import terms


class Clearance:
    """Takes documents out of a partition.

    Args:
        partition: The row of `partitions`.
        dictionary: Numbers of the terms.
        register: Counts names and groups off.
    """

    def __init__(self, partition: int, dictionary: Dictionary, register: Register) -> None:
        self._partition = partition
        self._dictionary = dictionary
        self._register = register
        self._numbers: list[int] = []
        self._chunks_of: dict[int, list[int]] = defaultdict(list)
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
        if not self._numbers:
            return
        end = sealed_end(tx, self._partition)
        sealed = {t: [n for n in held if n < end] for t, held in self._chunks_of.items()}
        remove_postings(tx, {term: held for term, held in sealed.items() if held})
        ids = [(chunk_id(self._partition, number),) for number in self._numbers]
        tx.executemany("DELETE FROM tail WHERE id = ?", ids)
        tx.executemany("DELETE FROM vectors WHERE id = ?", ids)
        tx.executemany("DELETE FROM vector_queue WHERE id = ?", ids)
        tx.executemany("DELETE FROM vector_refused WHERE id = ?", ids)
        forget_codes(tx, self._partition, self._numbers)
        tx.executemany(
            "INSERT INTO removals (partition_id, chunk) VALUES (?, ?)",
            [(self._partition, number) for number in self._numbers],
        )

    def sweep(self, tx: Transaction, kept: Collection[bytes]) -> None:
        """Remove terms that stand nowhere any more, and the texts' vectors from the cache.

        Call it when the new chunks of the transaction are stored.

        Args:
            tx: The write transaction.
            kept: Hashes of texts that came back in this transaction.
        """
        unsealed = [term for term in self._chunks_of if not is_sealed(tx, term)]
        if unsealed:
            waiting = np.unique(entries_of(read_tail(tx, self._partition, 0)).terms)
            self._dictionary.remove(tx, np.setdiff1d(unsealed, waiting).tolist())
        remove_cached(tx, self._hashes.difference(kept))

    def _take_chunk(self, tx: Transaction, number: int) -> None:
        key = chunk_id(self._partition, number)
        row = tx.row("DELETE FROM chunks WHERE id = ? RETURNING hash, text", (key,))
        if row is None:
            return
        self._numbers.append(number)
        self._hashes.add(blob(row[0]))
        for term in self._dictionary.find(tx, set(terms(text(row[1])))).values():
            self._chunks_of[term].append(number)
