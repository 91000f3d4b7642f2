"""Compares what finds words with the texts: for a sample of chunks, or for all of them.

A chunk's terms are made again from its text and looked up; of terms of its neighbours in the sample
it must be known that the chunk does not have them. Rows that are lost on the way from a document to
its chunks count as well: a rebuild repairs either.
"""

from __future__ import annotations

from collections import defaultdict

import msgspec
import numpy as np

from recollect.core.errors import StoreCorrupt
from recollect.index.lexical.choice import backend
from recollect.index.lexical.port import WordReader
from recollect.index.lexical.segments import read_tail
from recollect.index.model.chunk_record import NUMBER_MASK, Ints, chunk_ids
from recollect.index.repair.vector_check import Living
from recollect.store.columns import first_integer, integer, text
from recollect.store.engine import Database, Transaction
from recollect.text.terms import terms

SAMPLE = 100
"""Chunks of a partition that are looked at: where 3 in 100 are wrong, .97 ** 100 of all looks, one
in 20, miss it."""
TOGETHER = 5_000
"""Chunks that are compared at once, so that a term of several is read once."""


class WordFaults(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong in one partition.

    Attributes:
        looked_at: Chunks whose words were compared.
        wrong: Those of them whose words are not what their text says.
        lost: Chunks without their document, and documents without all their chunks.
    """

    looked_at: int
    wrong: int
    lost: int


def find_word_faults(tx: Transaction, living: Living, *, deep: bool) -> WordFaults:
    """Return what is wrong with the words of a partition.

    Args:
        tx: Any transaction.
        living: The partition.
        deep: Look at every chunk.
    """
    bounds = chunk_ids(living.number)
    rows = tx.rows("SELECT id FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id", bounds)
    keys = [integer(key) for (key,) in rows]
    if not deep and len(keys) > SAMPLE:
        places = np.linspace(0, len(keys) - 1, SAMPLE).astype(np.int64)
        keys = [keys[place] for place in places.tolist()]
    wrong = _count_all_wrong(tx, living, keys)
    return WordFaults(looked_at=len(keys), wrong=wrong, lost=_count_lost(tx, living.number))


def count_damage(database: Database, living: Living) -> int:
    """Return how many rows of words are not what was written."""
    return backend(living.identity.lexical).count_damage(database, living.number)


def _count_all_wrong(tx: Transaction, living: Living, keys: list[int]) -> int:
    reader = backend(living.identity.lexical).reader(living.number)
    try:
        reader.hold(read_tail(tx, living.number, 0))
    except StoreCorrupt:
        return len(keys)  # nothing of this partition can be searched
    return sum(
        _count_wrong(tx, reader, keys[start : start + TOGETHER])
        for start in range(0, len(keys), TOGETHER)
    )


def _count_wrong(tx: Transaction, reader: WordReader, keys: list[int]) -> int:
    """Return how many chunks differ from what finds their words."""
    places_of: dict[str, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        row = tx.row("SELECT text FROM chunks WHERE id = ?", (key,))
        for term in set(terms(text(row[0]))) if row else ():
            places_of[term].append(place)
    numbers: Ints = np.array([key & NUMBER_MASK for key in keys], np.int64)
    wrong = np.zeros(len(keys), np.bool_)
    for term in sorted(places_of):
        expected = np.zeros(len(keys), np.bool_)
        expected[places_of[term]] = True
        wrong |= (reader.find(tx, term).counts(numbers) > 0) != expected
    return int(np.count_nonzero(wrong))


def _count_lost(tx: Transaction, partition: int) -> int:
    chunks = first_integer(tx.row(_CHUNKS_WITHOUT, chunk_ids(partition)))
    return chunks + first_integer(tx.row(_DOCUMENTS_WITHOUT, (partition,)))


_CHUNKS_WITHOUT = (
    "SELECT count(*) FROM chunks c WHERE c.id BETWEEN ? AND ?"
    " AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = c.document)"
)
_DOCUMENTS_WITHOUT = (
    "SELECT count(*) FROM documents d WHERE d.partition_id = ? AND d.chunk_count <>"
    " (SELECT count(*) FROM chunks c WHERE c.document = d.id"
    " AND c.id BETWEEN (d.partition_id << 40 | d.first_chunk)"
    " AND (d.partition_id << 40 | d.first_chunk) + d.chunk_count - 1)"
)
