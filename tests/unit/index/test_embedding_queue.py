"""The queue of missing vectors: nothing is made twice, nothing wrong is kept, nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from recollect.core.errors import DimensionMismatch, ProviderError, ProviderUnavailable
from recollect.core.scope import Scope
from recollect.index.embedding.cache import sweep
from recollect.index.embedding.queue import CHUNKS_AT_ONCE, EmbeddingQueue, count_waiting
from recollect.index.model.document import Removal
from recollect.index.model.sync_report import NOBODY_WATCHES, Progress, Watch
from recollect.index.query.search_service import SearchOptions
from recollect.models.embedding.embedder import Vectors
from recollect.store.columns import first_integer
from recollect.store.locks import WriteQueue
from tests.unit.index.old_index import fill_cache
from tests.unit.index.scripted import ScriptedEmbedder, ScriptedFeed, ScriptedIndex, cache_of, said


def _cached(home: ScriptedIndex) -> int:
    return home.database.read(
        lambda tx: first_integer(tx.row("SELECT count(*) FROM embedding_cache"))
    )


def _counts(home: ScriptedIndex) -> tuple[int, int]:
    status = home.index.status()
    return status.vectors, status.waiting


def test_an_embedder_that_fails_midway_is_resumed(tmp_path: Path) -> None:
    """What was made before is kept, words are found meanwhile, the rest follows."""
    calls: list[int] = []

    def fail_second(texts: Sequence[str]) -> None:
        calls.append(len(texts))
        if len(calls) == 2:
            raise ProviderUnavailable("the provider is down", hint="try later")

    embedder = ScriptedEmbedder(before=fail_second)
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(CHUNKS_AT_ONCE + 50)))
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        with pytest.raises(ProviderUnavailable):
            home.index.sync()
        assert _counts(home) == (CHUNKS_AT_ONCE, 50)
        assert home.refs("number299", mode="lexical") == ["m299"]
        assert home.index.sync().vectors == 50, "a lexical search makes none"
        assert _counts(home) == (CHUNKS_AT_ONCE + 50, 0)
    assert calls == [CHUNKS_AT_ONCE, 50, 50]
    assert len(embedder.texts) == len(set(embedder.texts))


@pytest.mark.parametrize(
    ("after", "error"),
    [
        (lambda made: made[:, :8], DimensionMismatch),
        (lambda made: made * np.float32("nan"), ProviderError),
        (lambda made: made * np.float32("inf"), ProviderError),
        (lambda made: made * np.float32(2), ProviderError),
        (lambda made: made[:-1], ProviderError),
        (lambda made: made.ravel(), ProviderError),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_vectors_that_cannot_be_right_are_refused(
    tmp_path: Path, after: Callable[[Vectors], Vectors], error: type[ProviderError]
) -> None:
    """Nothing of them is stored; the chunks go on waiting."""
    embedder = ScriptedEmbedder(after=after)
    feed = ScriptedFeed(said("a", "apple"), said("b", "bread"))
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        with pytest.raises(error) as caught:
            home.index.sync()
        assert caught.value.hint
        assert (_counts(home), _cached(home)) == ((0, 2), 0)
        embedder.after = lambda made: made
        home.index.sync()
        assert (_counts(home), _cached(home)) == ((2, 0), 0)


def test_no_text_is_embedded_twice(tmp_path: Path) -> None:
    """Neither in one batch nor later, nor for another tenant, nor in a rebuild."""
    embedder = ScriptedEmbedder()
    feed = ScriptedFeed(said("a", "apple"), said("b", "apple"), said("c", "bread"))
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        home.index.sync()
        feed.entries += [said("d", "apple"), said("e", "bread", scope=Scope(tenant="other"))]
        home.index.sync()
        assert home.index.rebuild().vectors == 5
        assert _counts(home) == (5, 0)
    assert sorted(embedder.texts) == ["apple", "bread"]


def test_the_first_embedder_embeds_what_is_there(tmp_path: Path) -> None:
    """An index that was made for words gets its vectors without a rebuild."""
    feed = ScriptedFeed(said("a", "apple"), said("b", "bread", scope=Scope(tenant="other")))
    with ScriptedIndex(tmp_path, feed) as home:
        home.index.sync()
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder()) as home:
        assert home.index.sync().vectors == 2
        assert home.index.status().generation == 1


def test_a_chunk_that_went_while_its_vector_was_made_leaves_nothing(tmp_path: Path) -> None:
    """No vector, no code and no row of the cache."""
    feed = ScriptedFeed(said("a", "apple"), said("b", "bread"))
    embedder = ScriptedEmbedder()
    with ScriptedIndex(tmp_path, feed, embedder) as home:

        def remove(texts: Sequence[str]) -> None:
            embedder.before = lambda _: None
            feed.entries.append(Removal(source="sessions", ref="a", tenant="local"))
            options = SearchOptions(limit=1, min_score=0.0, sources=None, mode="lexical")
            home.index.search("bread", Scope(), options)

        embedder.before = remove
        home.index.sync()
        assert (_counts(home), _cached(home)) == ((1, 0), 0)
        (codes,) = home.database.read(lambda tx: list(tx.rows("SELECT chunk FROM code_rows")))
        assert codes == (1,)
        assert home.refs("bread") == ["b"]


def test_two_at_a_time_embed_no_text_twice(tmp_path: Path) -> None:
    """Regression: the background and a sync took the same waiting chunks, each its own copy."""
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(3 * CHUNKS_AT_ONCE)))
    with ScriptedIndex(tmp_path, feed) as home:
        home.index.sync()
    embedder = ScriptedEmbedder()
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        home.index.sync(Watch(mode="background", stopping=lambda: True))
        queues = [
            EmbeddingQueue(
                home.database, embedder, WriteQueue(tmp_path / "turns"), cache_of(embedder)
            )
            for _ in range(2)
        ]
        with ThreadPoolExecutor(2) as pool:
            count = sum(pool.map(lambda queue: queue.sync(1, NOBODY_WATCHES).vectors, queues))
    assert count == 3 * CHUNKS_AT_ONCE
    assert len(embedder.texts) == 3 * CHUNKS_AT_ONCE


def test_progress_is_told_and_a_stop_is_obeyed(tmp_path: Path) -> None:
    """After each batch; what was made stays."""
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(CHUNKS_AT_ONCE + 10)))
    reports: list[Progress] = []
    with ScriptedIndex(tmp_path, feed) as home:
        home.index.sync()
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder()) as home:
        watch = Watch(tell=reports.append, stopping=lambda: bool(reports))
        home.index.sync(Watch(mode="background", stopping=lambda: True))
        embedder = ScriptedEmbedder()
        turns = WriteQueue(tmp_path / "turns")
        queue = EmbeddingQueue(home.database, embedder, turns, cache_of(embedder))
        assert queue.sync(1, watch).vectors == CHUNKS_AT_ONCE
        assert home.database.read(lambda tx: count_waiting(tx, 1)) == 10
        assert home.database.read(lambda tx: count_waiting(tx, 1, 3)) == 3
        assert queue.sync(1, NOBODY_WATCHES).vectors == 10
    assert reports == [Progress(stage="embedding", done=CHUNKS_AT_ONCE, left=10)]


def test_the_cache_forgets_texts_that_no_chunk_holds(tmp_path: Path) -> None:
    """A rebuild with another embedder leaves the rows of texts that are still there."""
    feed = ScriptedFeed(said("a", "apple"), said("b", "bread"))
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder()) as home:
        home.index.sync()
        fill_cache(home.database)
        assert _cached(home) == 3
        assert sweep(home.database) == 1
        assert sweep(home.database) == 0
        feed.entries.append(said("a", "grape"))
        home.index.sync()
        assert _cached(home) == 1, "the row of a text goes with the text"


class Telling(ScriptedEmbedder):
    """Tells after each text."""

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> Vectors:
        """Return vectors."""
        for _ in texts:
            assert progress is not None
            progress(1)
        return super().embed_documents(texts)


def test_progress_is_told_within_a_batch_too(tmp_path: Path) -> None:
    """A batch takes seconds; without it nothing would move for so long."""
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(4)))
    reports: list[Progress] = []
    with ScriptedIndex(tmp_path, feed, Telling()) as home:
        home.index.sync(Watch(tell=reports.append))
    embedded = [(each.done, each.left) for each in reports if each.stage == "embedding"]
    assert embedded == [(1, 3), (2, 2), (3, 1), (4, 0), (4, 0)]
