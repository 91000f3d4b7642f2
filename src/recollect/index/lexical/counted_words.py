"""The words of the chunks a caller may hear, counted here where the back end counts all chunks.

The rarity of a word, the length of texts and the spelling of words would reveal what others said.
So such a back end is only asked how often a term is in the chunks that are heard; the scores are
ours.
"""

from __future__ import annotations

import numpy as np

from recollect.index.lexical import bm25
from recollect.index.lexical.bm25 import Impacts, LexicalScores, QueryTerm
from recollect.index.lexical.port import Asked, WordReader
from recollect.index.lexical.postings import Postings, pack
from recollect.index.model.chunk_arrays import ChunkArrays
from recollect.index.model.chunk_record import Ints
from recollect.store.engine import Transaction


class CountedWords:
    """Implements `recollect.index.lexical.port.Words`.

    Args:
        reader: Counts terms.
        arrays: The chunks that are heard, numbered from 0.
        numbers: Their numbers in the partition, ascending; None where they are the same.
    """

    def __init__(self, reader: WordReader, arrays: ChunkArrays, numbers: Ints | None) -> None:
        self._reader = reader
        self._impacts = Impacts(arrays)
        living = np.flatnonzero(arrays.alive[: arrays.count])
        self._numbers_of = living
        self._numbers = living if numbers is None else numbers

    def score(self, tx: Transaction, query: Asked) -> LexicalScores:
        """Score each of the chunks, and each group."""
        terms = [self.find(tx, term) for term in query.terms]
        return bm25.score(self._impacts, terms, query.budget, {})

    def find(self, tx: Transaction, term: str) -> QueryTerm:
        """Return a term with what it is in; in the head of a chunk as far as that is all of it."""
        counts = self._reader.find(tx, term).counts(self._numbers).astype(np.int64)
        rows = np.flatnonzero(counts)
        numbers, columns = self._numbers_of[rows], self._impacts.arrays.columns
        is_head = columns["length"][numbers] == columns["head"][numbers]
        packed = pack(counts[rows], counts[rows] * is_head)
        return QueryTerm(term, Postings(numbers.astype(np.uint32), packed))
