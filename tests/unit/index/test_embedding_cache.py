"""The cache of vectors: its key of four, what counts as a miss, and what goes first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from recollect.core.settings import EmbeddingSettings, StoreSettings
from recollect.core.settings.embedding import CacheSettings
from recollect.index.embedding import cache as embedding_cache
from recollect.index.embedding import queue
from recollect.index.embedding.cache import EmbeddingCache, Half, Space, evict
from recollect.index.model.generation import find_generation
from recollect.index.model.sync_report import NOBODY_WATCHES, Watch
from recollect.store.columns import first_integer, integer
from recollect.store.engine import Database
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import open_database, open_index
from recollect.store.sqlite.home import INDEX_ID
from recollect.store.sqlite.schema import load_schema
from tests.unit.index.scripted import (
    CLOCK,
    DAY,
    ScriptedEmbedder,
    ScriptedFeed,
    ScriptedIndex,
    cache_of,
    said,
)

OPENAI = Space(provider="openai", model="small", provider_key="k1")
SIZE = 8


class ScriptedClock:
    """Tells what it is told."""

    def __init__(self, now: int = 1_770_724_800_000) -> None:
        self.now = now

    def now_ms(self) -> int:
        """Return the time."""
        return self.now


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty index."""
    opened = open_index(tmp_path, StoreSettings(), CLOCK)
    yield opened
    opened.close()


def vector(seed: int) -> Half:
    """Return a unit vector."""
    drawn = np.random.default_rng(seed).standard_normal(SIZE)
    half: Half = (drawn / np.linalg.norm(drawn)).astype("<f2")
    return half


def digest(number: int) -> bytes:
    """Return a hash."""
    return number.to_bytes(32)


def cache(
    space: Space = OPENAI, clock: ScriptedClock | None = None, **more: object
) -> EmbeddingCache:
    """Return a cache; ``more`` are its settings."""
    return EmbeddingCache(space, msgspec.convert(more, CacheSettings), clock or ScriptedClock())


def fill(database: Database, kept: EmbeddingCache, numbers: range) -> None:
    """Keep a vector for each number."""
    database.write(lambda tx: kept.add(tx, {digest(n): vector(n) for n in numbers}))


def found(database: Database, kept: EmbeddingCache, numbers: range) -> list[int]:
    """Return which numbers are known."""
    hashes = [digest(n) for n in numbers]
    known = database.read(lambda tx: kept.find(tx, hashes, SIZE)).vectors
    return sorted(int.from_bytes(each) for each in known)


def count(database: Database) -> int:
    """Return the rows of all spaces."""
    return database.read(lambda tx: first_integer(tx.row("SELECT count(*) FROM embedding_cache")))


@pytest.mark.parametrize("part", ["provider", "model", "provider_key"])
def test_a_vector_is_found_by_all_four_parts_of_its_key(database: Database, part: str) -> None:
    """Another provider, model or provider key is another space."""
    fill(database, cache(), range(3))
    other = msgspec.structs.replace(OPENAI, **{part: "other"})
    assert found(database, cache(), range(1, 5)) == [1, 2]
    assert found(database, cache(other), range(3)) == []
    fill(database, cache(other), range(1))
    assert (found(database, cache(other), range(3)), count(database)) == ([0], 4)


def test_more_hashes_than_one_statement_takes_are_found(database: Database) -> None:
    """Lookups go in groups of 400."""
    kept = cache()
    fill(database, kept, range(950))
    assert found(database, kept, range(1_000)) == list(range(950))
    hashes = [digest(n) for n in range(940, 960)]
    known, missing = database.read(
        lambda tx: (kept.known(tx, hashes), kept.missing(tx, hashes, SIZE))
    )
    assert known == set(hashes[:10])
    assert missing == set(hashes[10:])
    two = database.read(lambda tx: kept.find(tx, [digest(7), digest(8)], SIZE)).vectors
    assert np.array_equal(two[digest(7)], vector(7).astype(np.float32))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        vector(1).tobytes()[:-2],
        np.zeros(SIZE, "<f2").tobytes(),
        (vector(1) * 3).astype("<f2").tobytes(),
        np.full(SIZE, np.nan, "<f2").tobytes(),
        np.full(SIZE, np.inf, "<f2").tobytes(),
    ],
)
def test_a_row_that_cannot_be_right_is_a_miss(database: Database, data: bytes) -> None:
    """It is made again, and then replaced."""
    kept = cache()
    fill(database, kept, range(2))
    database.write(
        lambda tx: tx.execute(
            "UPDATE embedding_cache SET data = ? WHERE hash = ?", (data, digest(1))
        )
    )
    assert found(database, kept, range(2)) == [0]
    fill(database, kept, range(1, 2))
    assert (found(database, kept, range(2)), count(database)) == ([0, 1], 2)


def test_a_use_is_noted_once_a_day(database: Database) -> None:
    """Reading alone writes nothing; what was used goes last."""
    clock = ScriptedClock()
    kept = cache(clock=clock)
    fill(database, kept, range(3))
    clock.now += DAY // 2
    assert database.read(lambda tx: kept.find(tx, [digest(1)], SIZE)).aged == frozenset()
    clock.now += DAY
    aged = database.read(lambda tx: kept.find(tx, [digest(1), digest(9)], SIZE)).aged
    assert aged == {digest(1)}
    database.write(lambda tx: kept.touch(tx, aged))
    uses = database.read(
        lambda tx: [
            integer(used)
            for (used,) in tx.rows("SELECT updated_at FROM embedding_cache ORDER BY hash")
        ]
    )
    assert uses[1] == clock.now > uses[0] == uses[2]


def test_the_rows_not_used_for_longest_go_beyond_the_cap(database: Database) -> None:
    """Of whatever embedder: those of a replaced one are bounded too."""
    clock = ScriptedClock()
    fill(database, cache(clock=clock), range(250))
    clock.now += DAY
    new = cache(Space(provider="voyage", model="m", provider_key="k"), clock, max_entries=120)
    fill(database, new, range(300, 370))
    assert evict(database, new, NOBODY_WATCHES) == 200
    assert count(database) == 120
    assert found(database, new, range(300, 370)) == list(range(300, 370))
    assert found(database, cache(), range(250)) == list(range(200, 250))
    assert evict(database, new, NOBODY_WATCHES) == 0
    assert evict(database, cache(max_entries=0), NOBODY_WATCHES) == 0, "no cap"


def test_an_eviction_stops_when_it_is_told(database: Database) -> None:
    """After a group; the next sync goes on."""
    kept = cache(max_entries=10)
    fill(database, kept, range(300))
    asked: list[bool] = []

    def stopping() -> bool:
        asked.append(True)
        return len(asked) > 1

    assert evict(database, kept, Watch(stopping=stopping)) == embedding_cache.EVICTED_ROWS
    assert count(database) == 200


def test_a_cache_that_is_switched_off_keeps_nothing(database: Database) -> None:
    """What it kept before goes."""
    fill(database, cache(), range(150))
    off = cache(enabled=False)
    assert found(database, off, range(150)) == []
    fill(database, off, range(200, 210))
    hashes = [digest(1)]
    assert database.read(lambda tx: off.known(tx, hashes)) == set()
    assert evict(database, off, NOBODY_WATCHES) == 150
    assert count(database) == 0


def test_a_sync_keeps_the_cache_at_its_cap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it runs and at its end; a search removes nothing."""
    monkeypatch.setattr(queue, "BATCH", 5)
    monkeypatch.setattr(queue, "EVICT_EVERY", 2)
    settings = EmbeddingSettings(cache=CacheSettings(max_entries=12))
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(40)))
    sizes: list[int] = []
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder(), embedding=settings) as home:
        home.index.sync(Watch(tell=lambda _: sizes.append(count(home.database))))
        assert max(sizes) <= 12 + 2 * 5
        assert count(home.database) == 12
        feed.entries += [said(f"n{n}", f"bread number{n}") for n in range(9)]
        home.refs("bread")
        assert count(home.database) == 21
        home.index.sync()
        assert count(home.database) == 12
        assert home.index.status().vectors == 49


def test_a_cache_of_the_first_schema_is_taken_over(tmp_path: Path) -> None:
    """Its rows had no space: the local model was the only one. Its generation is given up."""
    whole = load_schema("index", INDEX_ID, keep_backup=False)
    first = msgspec.structs.replace(whole, steps=whole.steps[:1], golden="")
    path = tmp_path / "index.db"
    old = open_database(path, first, Tuning(), CLOCK)
    embedder = ScriptedEmbedder("local:all-MiniLM-L6-v2")
    embedder.dimensions = SIZE
    row = (digest(1), embedder.fingerprint, vector(1).tobytes())
    old.write(
        lambda tx: tx.execute(
            "INSERT INTO embedding_cache (hash, fingerprint, data) VALUES (?, ?, ?)", row
        )
    )
    identity = '{"terms":1,"pieces":1,"tokens":400,"overlap":80,"embedder":"","dimensions":0}'
    old.write(
        lambda tx: tx.execute(
            "INSERT INTO generations (status, identity, created_at) VALUES ('serving', ?, 0)",
            (identity,),
        )
    )
    old.close()
    opened = open_index(tmp_path, StoreSettings(), CLOCK)
    try:
        assert found(opened, cache_of(embedder), range(3)) == [1]
        assert opened.read(lambda tx: find_generation(tx, "serving")) is None
    finally:
        opened.close()
