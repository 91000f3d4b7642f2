"""Corrects misspelled words: those that no chunk holds are looked up among those of the chunks.

Read from the dictionary in a few narrow ranges of its index, so nothing is kept in memory, nothing
is built, and a question whose words are all known costs nothing (docs/experiments.md, spelling).
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.store.columns import text
from recollect.store.engine import Transaction
from recollect.text.terms import is_unspaced

LEAST_LETTERS = 5
"""Shorter words have too many others one letter away."""
TWO_EDITS_FROM = 8
"""Words of this many letters may differ by two."""
TIME_NAMES = frozenset({"thursday", "junho", "julho"})
"""Names of days and months, which are as near to each other as misspellings ("tuesday")."""
LEAST_PART, LEAST_REST = 4, 3
"""Letters of a part of a compound, and of its remainder."""
MOST_READ = 4_000
"""Words read of each range."""
MOST_WORDS = 3
"""Unknown words of a question that are looked up, the first ones."""


def may_be_mistyped(term: str) -> bool:
    """Return whether a term that no chunk holds may be a misspelling: letters alone."""
    is_word = len(term) >= LEAST_LETTERS and term.isalpha() and not is_unspaced(term)
    return is_word and term not in TIME_NAMES


def near_terms(tx: Transaction, partition: int, term: str, most_read: int) -> list[list[str]]:
    """Return the terms of a partition that are one edit away from ``term``, and those two away.

    An edit is a letter more, less or other, or two that are swapped; two edits are allowed in long
    words only. One of the first two letters must be unchanged, or both are swapped.

    Args:
        tx: The snapshot.
        partition: The row of `partitions`.
        term: Letters alone, see `may_be_mistyped`.
        most_read: Terms read for each way it may begin.
    """
    most = 2 if len(term) >= TWO_EDITS_FROM else 1
    nearby: set[str] = set()
    for prefix in {term[:2], term[1] + term[0], term[0] + term[2], term[1:3]}:
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        bounds = (partition, prefix, end, len(term) - most, len(term) + most, most_read)
        nearby.update(text(row[0]) for row in tx.all(_NEAR, bounds))
    if not nearby:
        return []
    others = sorted(nearby)
    edits = edits_to(term, others)
    away = range(1, most + 1)
    return [[others[n] for n in np.flatnonzero(edits == each)] for each in away]


def parts_of(tx: Transaction, partition: int, term: str) -> list[str]:
    """Return the terms of a partition that ``term`` begins or ends with, the longest first.

    Compounds are written as one word: a chunk about a *Chor* answers a question about its
    *Chorprobe*.
    """
    cuts = range(LEAST_PART, len(term) - LEAST_REST + 1)
    parts = json.dumps([part for length in cuts for part in (term[:length], term[-length:])])
    return [text(row[0]) for row in tx.all(_PARTS, (partition, parts))]


def edits_to(term: str, others: Sequence[str]) -> NDArray[np.int16]:
    """Return the number of edits between each of ``others`` and ``term``, (n,).

    The optimal string alignment distance, for all of them at once, a row of the table at a time.
    """
    width = max(map(len, others))
    letters = np.array(others, dtype=f"U{width}").view(np.uint32).reshape(len(others), width)
    table = np.zeros((len(term) + 1, width + 1, len(others)), np.int16)
    table[:, 0] = np.arange(len(term) + 1)[:, None]
    table[0] = np.arange(width + 1)[:, None]
    typed = np.array([ord(letter) for letter in term], np.uint32)
    same = typed[:, None, None] == letters.T[None]
    for row in range(1, len(term) + 1):
        for column in range(1, width + 1):
            best = table[row - 1, column - 1] + np.int16(1) - same[row - 1, column - 1]
            np.minimum(best, table[row - 1, column] + 1, out=best)
            np.minimum(best, table[row, column - 1] + 1, out=best)
            if row > 1 and column > 1:
                swapped = same[row - 1, column - 2] & same[row - 2, column - 1]
                moved = np.where(swapped, table[row - 2, column - 2] + 1, best)
                np.minimum(best, moved, out=best)
            table[row, column] = best
    lengths = np.fromiter(map(len, others), np.int64)
    distances: NDArray[np.int16] = table[len(term), lengths, np.arange(len(others))]
    return distances


_NEAR = (
    "SELECT term FROM terms WHERE partition_id = ? AND term >= ? AND term < ?"
    " AND length(term) BETWEEN ? AND ? LIMIT ?"
)
_PARTS = (
    "SELECT term FROM terms WHERE partition_id = ? AND term IN (SELECT value FROM json_each(?))"
    " ORDER BY length(term) DESC, term"
)
