"""The cache of vectors: its key of four, what counts as a miss, and what goes first."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from recollect.core.settings import EmbeddingSettings, StoreSettings
from recollect.core.settings.embedding import CacheSettings
from recollect.index.embedding import cache as embedding_cache
from recollect.index.embedding.cache import ADD_SPACE, EmbeddingCache, Half, Space, evict, space_of
from recollect.index.model.document import Removal
from recollect.index.model.generation import find_generation, retire_all
from recollect.index.model.sync_report import NOBODY_WATCHES, Watch
from recollect.store.columns import first_integer
from recollect.store.engine import Database, Transaction
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import open_database, open_index
from recollect.store.sqlite.home import INDEX_ID
from recollect.store.sqlite.schema import load_schema
from tests.unit.index.old_index import make_old
from tests.unit.index.scripted import (
    CLOCK,
    DAY,
    NOON,
    ScriptedEmbedder,
    ScriptedFeed,
    ScriptedIndex,
    cache_of,
    said,
)

OPENAI = Space(provider="openai", model="small", provider_key="k1")
SIZE = 8
APPLE = hashlib.sha256(b"apple").digest()


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


def cache(space: Space = OPENAI, **more: object) -> EmbeddingCache:
    """Return a cache; ``more`` are its settings."""
    return EmbeddingCache(space, msgspec.convert(more, CacheSettings))


def fill(database: Database, numbers: range, space: Space = OPENAI, at: int = NOON) -> None:
    """Keep a vector for each number, as if its chunk had gone."""
    key = msgspec.structs.astuple(space)

    def unit(tx: Transaction) -> None:
        tx.execute(ADD_SPACE, key)
        tx.executemany(
            "INSERT INTO embedding_cache (hash, space, updated_at, data)"
            " SELECT ?, id, ?, ? FROM embedding_spaces"
            " WHERE provider = ? AND model = ? AND provider_key = ?"
            " ON CONFLICT DO UPDATE SET data = excluded.data",
            [(digest(n), at, vector(n).tobytes(), *key) for n in numbers],
        )

    database.write(unit)


def found(database: Database, kept: EmbeddingCache, numbers: range) -> list[int]:
    """Return which numbers are known."""
    hashes = [digest(n) for n in numbers]
    vectors = database.read(lambda tx: kept.find(tx, hashes, SIZE))
    return sorted(int.from_bytes(each) for each in vectors)


def count(database: Database) -> int:
    """Return the rows of all spaces."""
    return database.read(lambda tx: first_integer(tx.row("SELECT count(*) FROM embedding_cache")))


@pytest.mark.parametrize("part", ["provider", "model", "provider_key"])
def test_a_vector_is_found_by_all_four_parts_of_its_key(database: Database, part: str) -> None:
    """Another provider, model or provider key is another space."""
    fill(database, range(3))
    other = msgspec.structs.replace(OPENAI, **{part: "other"})
    assert found(database, cache(), range(1, 5)) == [1, 2]
    assert found(database, cache(other), range(3)) == []
    fill(database, range(1), other)
    assert (found(database, cache(other), range(3)), count(database)) == ([0], 4)


def test_more_hashes_than_one_statement_takes_are_found(database: Database) -> None:
    """Lookups go in groups of 400."""
    embedding_cache = cache()
    fill(database, range(950))
    assert found(database, embedding_cache, range(1_000)) == list(range(950))
    hashes = [digest(n) for n in range(940, 960)]
    vectors, missing = database.read(
        lambda tx: (embedding_cache.known(tx, hashes), embedding_cache.missing(tx, hashes, SIZE))
    )
    assert vectors == set(hashes[:10])
    assert missing == set(hashes[10:])
    two = database.read(lambda tx: embedding_cache.find(tx, [digest(7), digest(8)], SIZE))
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
    embedding_cache = cache()
    fill(database, range(2))
    database.write(
        lambda tx: tx.execute(
            "UPDATE embedding_cache SET data = ? WHERE hash = ?", (data, digest(1))
        )
    )
    assert found(database, embedding_cache, range(2)) == [0]
    fill(database, range(1, 2))
    assert (found(database, embedding_cache, range(2)), count(database)) == ([0, 1], 2)


def test_the_oldest_rows_go_beyond_the_cap(database: Database) -> None:
    """Of whatever embedder: those of a replaced one are bounded too."""
    fill(database, range(250))
    voyage = Space(provider="voyage", model="m", provider_key="k")
    new = cache(voyage, max_entries=120)
    fill(database, range(300, 370), voyage, NOON + DAY)
    assert evict(database, new, NOBODY_WATCHES) == 200
    assert count(database) == 120
    assert found(database, new, range(300, 370)) == list(range(300, 370))
    assert found(database, cache(), range(250)) == list(range(200, 250))
    assert evict(database, new, NOBODY_WATCHES) == 0
    assert evict(database, cache(max_entries=0), NOBODY_WATCHES) == 0, "no cap"


def test_an_eviction_stops_when_it_is_told(database: Database) -> None:
    """After a group; the next sync goes on."""
    capped = cache(max_entries=10)
    fill(database, range(300))
    calls: list[bool] = []

    def stopping() -> bool:
        calls.append(True)
        return len(calls) > 1

    assert evict(database, capped, Watch(stopping=stopping)) == embedding_cache.EVICTED_ROWS
    assert count(database) == 200


def test_a_cache_that_is_switched_off_keeps_nothing(database: Database) -> None:
    """What it kept before goes."""
    fill(database, range(150))
    off = cache(enabled=False)
    assert found(database, off, range(150)) == []
    hashes = [digest(1)]
    assert database.read(lambda tx: off.known(tx, hashes)) == set()
    assert evict(database, off, NOBODY_WATCHES) == 150
    assert count(database) == 0


def test_a_switched_off_cache_embeds_every_text_anew(tmp_path: Path) -> None:
    """Also a text whose vector another chunk has."""
    embedder = ScriptedEmbedder()
    settings = EmbeddingSettings(cache=CacheSettings(enabled=False))
    feed = ScriptedFeed(said("m1", "apple"))
    with ScriptedIndex(tmp_path, feed, embedder, embedding=settings) as home:
        home.index.sync()
        home.index.rebuild()
        assert embedder.texts == ["apple", "apple"]
        assert count(home.database) == 0


def test_a_vector_is_stored_once(tmp_path: Path) -> None:
    """With its chunk: after a sync, a rebuild, and a change of the text the cache is empty."""
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(9)))
    embedder = ScriptedEmbedder()
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        home.index.sync()
        assert (home.index.status().vectors, count(home.database)) == (9, 0)
        home.index.rebuild()
        assert (home.index.status().vectors, count(home.database)) == (9, 0)
        feed.entries.append(said("m3", "pear"))
        home.index.sync()
        assert (home.index.status().vectors, count(home.database)) == (9, 0)
    assert len(embedder.texts) == 10


def test_the_vectors_of_a_replaced_embedder_are_kept(tmp_path: Path) -> None:
    """Of the texts that are there: to go back costs nothing, and then the other ones are kept."""
    feed = ScriptedFeed(said("m1", "apple"), said("m2", "bread"))
    first, second = ScriptedEmbedder("paid:one"), ScriptedEmbedder("paid:two")
    with ScriptedIndex(tmp_path, feed, first) as home:
        home.index.sync()
    feed.entries.append(Removal(source="sessions", ref="m2", tenant="local"))
    for embedder in (second, first, second):
        with ScriptedIndex(tmp_path, feed, embedder) as home:
            home.index.sync()
            assert home.refs("apple") == ["m1"]
            assert (home.index.status().vectors, count(home.database)) == (1, 1)
    assert (first.texts, second.texts) == (["apple", "bread"], ["apple"])


@pytest.mark.parametrize("has_space", [True, False])
def test_the_cache_says_whose_vectors_a_generation_without_a_model_has(
    tmp_path: Path, *, has_space: bool
) -> None:
    """Older generations did not note it; where the cache does not know either, none are kept."""
    feed = ScriptedFeed(said("m1", "apple"))
    first = ScriptedEmbedder("paid:one")
    with ScriptedIndex(tmp_path, feed, first) as home:
        home.index.sync()

        def forget(tx: Transaction) -> None:
            tx.execute("UPDATE generations SET identity = json_remove(identity, '$.model')")
            if has_space:
                tx.execute(ADD_SPACE, msgspec.structs.astuple(space_of(first)))

        home.database.write(forget)
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder("paid:two")) as home:
        home.index.sync()
        assert (home.index.status().vectors, count(home.database)) == (1, int(has_space))
        assert len(home.database.read(lambda tx: cache_of(first).known(tx, [APPLE]))) == has_space


def test_a_removed_text_takes_the_kept_vector_of_another_embedder_with_it(tmp_path: Path) -> None:
    """Nothing of it stays."""
    feed = ScriptedFeed(said("m1", "apple"), said("m2", "bread"))
    for embedder in (ScriptedEmbedder("paid:one"), ScriptedEmbedder("paid:two")):
        with ScriptedIndex(tmp_path, feed, embedder) as home:
            home.index.sync()
    feed.entries.append(Removal(source="sessions", ref="m2", tenant="local"))
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder("paid:two")) as home:
        assert count(home.database) == 2
        home.index.sync()
        assert count(home.database) == 1


def test_a_generation_that_was_given_up_hands_its_vectors_on(tmp_path: Path) -> None:
    """Damaged words retire it; what is built anew embeds nothing, whichever way it is found."""
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(9)))
    embedder = ScriptedEmbedder()
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        home.index.sync()
        home.database.write(retire_all)
        home.index.sync(Watch(mode="background"))
        assert home.index.status().vectors == 9
        home.database.write(retire_all)
        home.index.sync()
        assert (home.index.status().vectors, count(home.database)) == (9, 0)
        generations = home.database.read(lambda tx: tx.all("SELECT status FROM generations"))
        assert generations == [("serving",)]
    assert len(embedder.texts) == 9


def test_a_sync_keeps_the_cache_at_its_cap(tmp_path: Path) -> None:
    """A search removes nothing; the vectors of chunks do not count."""
    settings = EmbeddingSettings(cache=CacheSettings(max_entries=12))
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(40)))
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder("paid:one"), embedding=settings) as home:
        home.index.sync()
        assert (home.index.status().vectors, count(home.database)) == (40, 0)
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder("paid:two"), embedding=settings) as home:
        home.index.sync()
        assert (home.index.status().vectors, count(home.database)) == (40, 12)
        fill(home.database, range(9))
        home.refs("apple")
        assert count(home.database) == 21
        home.index.sync()
        assert count(home.database) == 12


def test_a_home_that_kept_every_vector_twice_gives_the_copies_up(tmp_path: Path) -> None:
    """It answers as before, and nothing is embedded: neither by a sync nor by a rebuild."""
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(9)))
    embedder = ScriptedEmbedder()
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        home.index.sync()
        answers = [(hit.ref, hit.score) for hit in home.ask("apple number3").hits]
    make_old(tmp_path / "index.db", embedder)
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        assert count(home.database) == 1, "of a text that no chunk has"
        assert [(hit.ref, hit.score) for hit in home.ask("apple number3").hits] == answers
        home.index.sync()
        home.index.rebuild()
        assert (home.index.status().vectors, count(home.database)) == (9, 0)
        assert [(hit.ref, hit.score) for hit in home.ask("apple number3").hits] == answers
    assert len(embedder.texts) == 9


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
