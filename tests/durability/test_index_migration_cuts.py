"""Power cuts while an index gives up the second copy of its vectors."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from recollect.core.settings.embedding import CacheSettings
from recollect.index.embedding.cache import EmbeddingCache, Space, count_cached
from recollect.index.model.chunk_record import chunk_id
from recollect.store.columns import first_integer
from recollect.store.engine import Transaction
from recollect.store.sqlite.database import open_database
from recollect.store.sqlite.home import INDEX_FILE, INDEX_ID
from recollect.store.sqlite.schema import load_schema
from recollect.testing.vfs_disk import DiskLog, RecordingVfs
from recollect.testing.vfs_power import cut_power
from tests.durability.ledger import CALM, CLOCK
from tests.durability.scale import SCALE, chance, report

VFS = "recording-index-migration"
NEW = load_schema("index", INDEX_ID, keep_backup=False)
OLD = msgspec.structs.replace(NEW, steps=NEW.steps[:8], golden="")
SPACE = Space(provider="paid", model="m", provider_key="k")
IDENTITY = '{"terms":1,"pieces":1,"tokens":400,"overlap":80,"embedder":"k","dimensions":64}'
TEXTS, SIZE = 120, 64
HASHES = [number.to_bytes(6) + bytes(26) for number in range(TEXTS)]


def _fill(tx: Transaction) -> None:
    """Write chunks with vectors, and the copies of these in the cache."""
    tx.execute("INSERT INTO generations VALUES (1, 'serving', ?, 0)", (IDENTITY,))
    tx.execute("INSERT INTO partitions (id, generation, tenant) VALUES (1, 1, 'local')")
    tx.execute("INSERT INTO embedding_spaces VALUES (1, 'paid', 'm', 'k')")
    data = (np.ones(SIZE) / np.sqrt(SIZE)).astype("<f2").tobytes()
    keys = [chunk_id(1, number) for number in range(TEXTS)]
    tx.executemany(
        "INSERT INTO chunks (id, document, start_line, end_line, hash, text)"
        " VALUES (?, 1, 1, 1, ?, 'text')",
        zip(keys, HASHES, strict=True),
    )
    tx.executemany("INSERT INTO vectors VALUES (?, ?)", [(key, data) for key in keys])
    tx.executemany(
        "INSERT INTO embedding_cache (hash, space, updated_at, data) VALUES (?, 1, 0, ?)",
        [(digest, data) for digest in HASHES],
    )


def _state(path: Path) -> tuple[int, int, int]:
    """Return the vectors of chunks, those that the cache finds, and those that it holds."""
    database = open_database(path, NEW, CALM, CLOCK)
    cache = EmbeddingCache(SPACE, CacheSettings())
    try:
        return database.read(
            lambda tx: (
                first_integer(tx.row("SELECT count(*) FROM vectors")),
                len(cache.find(tx, HASHES, SIZE)),
                count_cached(tx),
            )
        )
    finally:
        database.close()


def test_a_power_cut_while_copies_are_given_up_costs_no_vector(scratch: Path) -> None:
    """The next opening finishes it: every text finds its vector, which somebody may have paid."""
    log = DiskLog()
    vfs = RecordingVfs(VFS, log)
    path = scratch / "home" / INDEX_FILE
    database = open_database(path, OLD, CALM, CLOCK, vfs=VFS)
    database.write(_fill)
    database.close()
    began = len(log.calls)
    open_database(path, NEW, CALM, CLOCK, vfs=VFS).close()
    vfs.unregister()
    cuts = SCALE.cuts // 10
    after = 0
    for number, cut in enumerate(cut_power(log.calls, cuts, chance("index migration"))):
        folder = scratch / str(number)
        folder.mkdir()
        cut.write_to(folder)
        there = _state(folder / INDEX_FILE)
        assert there == (TEXTS, TEXTS, 0) or (cut.at < began and there == (0, 0, 0))
        after += cut.at >= began
    assert after
    report("power cuts while copies are given up", cuts=cuts, disk_calls=len(log.calls), lost=0)
