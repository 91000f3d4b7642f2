"""The cache of vectors by the text's hash and the embedder, so that none is made twice.

A row goes when its text goes (see `clearance`). A rebuild with other chunks leaves rows behind that
belong to no chunk; `sweep` finds them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from recollect.store.cell import blob, integer
from recollect.store.engine import Database, Transaction

SWEPT_ROWS = 5_000
"""Rows that are read, or deleted, in one transaction of a sweep."""


def find_cached(
    tx: Transaction, fingerprint: str, hashes: Collection[bytes]
) -> dict[bytes, NDArray[np.float32]]:
    """Return the vectors of those of ``hashes`` that an embedder has seen."""
    found = {}
    for digest in hashes:
        row = tx.row(
            "SELECT data FROM embedding_cache WHERE hash = ? AND fingerprint = ?",
            (digest, fingerprint),
        )
        if row:
            found[digest] = np.frombuffer(blob(row[0]), "<f2").astype(np.float32)
    return found


def add_cached(
    tx: Transaction, fingerprint: str, digest: bytes, vector: NDArray[np.float16]
) -> None:
    """Keep a half-precision vector."""
    tx.execute(
        "INSERT INTO embedding_cache (hash, fingerprint, data) VALUES (?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (digest, fingerprint, vector.tobytes()),
    )


def remove_cached(tx: Transaction, hashes: Collection[bytes]) -> None:
    """Forget the vectors of texts, whoever made them."""
    tx.executemany("DELETE FROM embedding_cache WHERE hash = ?", [(digest,) for digest in hashes])


def sweep(database: Database) -> int:
    """Remove the vectors of texts that no chunk holds, and return of how many texts.

    Works in small transactions, so that nobody waits for it. A text that comes back meanwhile may
    lose its row; that costs one embedding.
    """
    used = np.unique(np.fromiter((_prefix(h) for h in _chunk_hashes(database)), np.uint64))
    swept = 0
    for page in _cached_hashes(database):
        prefixes = np.fromiter(map(_prefix, page), np.uint64, len(page))
        unused = [page[place] for place in np.flatnonzero(~np.isin(prefixes, used)).tolist()]
        database.write(partial(remove_cached, hashes=unused))
        swept += len(unused)
    return swept


def _prefix(digest: bytes) -> int:
    """Eight bytes tell a million texts apart; two that share them only keep a row for longer."""
    return int.from_bytes(digest[:8])


def _chunk_hashes(database: Database) -> Iterator[bytes]:
    after = -1
    while rows := database.read(partial(_chunk_page, after=after)):
        yield from (digest for _, digest in rows)
        after = rows[-1][0]


def _chunk_page(tx: Transaction, after: int) -> Sequence[tuple[int, bytes]]:
    rows = tx.rows(
        "SELECT id, hash FROM chunks WHERE id > ? ORDER BY id LIMIT ?", (after, SWEPT_ROWS)
    )
    return [(integer(key), blob(digest)) for key, digest in rows]


def _cached_hashes(database: Database) -> Iterator[list[bytes]]:
    after = b""
    while page := database.read(partial(_cached_page, after=after)):
        yield page
        after = page[-1]


def _cached_page(tx: Transaction, after: bytes) -> list[bytes]:
    rows = tx.rows(
        "SELECT DISTINCT hash FROM embedding_cache WHERE hash > ? ORDER BY hash LIMIT ?",
        (after, SWEPT_ROWS),
    )
    return [blob(digest) for (digest,) in rows]
