"""Threads of one process that search while others write."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from recollect.core.scope import Scope
from recollect.index.embedding.service import Embedders
from recollect.index.model.document import Document
from recollect.index.query.hit import Hit
from recollect.index.query.question_vectors import QuestionVectors
from recollect.index.query.search_service import SearchService
from recollect.store.engine import Database, Transaction
from tests.unit.index.conftest import Open
from tests.unit.index.corpus import EVERYTHING, ScriptedFeed, WordEmbedder, gone, said

T = TypeVar("T")
BATCHES = 40


def messages(batch: int) -> list[Document]:
    """Return the four messages of a batch."""
    return [
        said(f"m{batch}-{n}", f"tea batch{batch}", group=f"s{n}", order=batch) for n in range(4)
    ]


def together(works: list[Callable[[], None]]) -> None:
    """Run all at once; raise what any of them raised."""
    with ThreadPoolExecutor(len(works)) as pool:
        for future in [pool.submit(work) for work in works]:
            future.result()


@pytest.mark.usefixtures("tiny")
def test_every_search_sees_whole_batches_and_never_fewer_than_before(open_index: Open) -> None:
    """One snapshot for a search; memory never goes backwards, whichever thread refreshed it."""
    feed = ScriptedFeed()
    writing, reader = open_index(feed, WordEmbedder()), open_index(feed).reader()
    finished = threading.Event()

    def write() -> None:
        try:
            for batch in range(BATCHES):
                feed.add(*messages(batch))
                writing.index.sync()
                if batch == BATCHES // 2:
                    writing.index.rebuild()
        finally:
            finished.set()

    def search() -> None:
        seen = 0
        while not finished.is_set():
            count = len(found_in(reader))
            assert count >= seen
            assert count % 4 == 0
            seen = count

    together([write, search, search, search])
    assert len(found_in(reader)) == 4 * BATCHES


@pytest.mark.usefixtures("tiny")
def test_what_was_removed_before_a_search_is_in_no_hit(open_index: Open) -> None:
    """Also while others refresh the same partition."""
    feed = ScriptedFeed()
    for batch in range(BATCHES):
        feed.add(*messages(batch))
    writing, reader = open_index(feed), open_index(feed).reader()
    writing.index.sync()
    removed: set[str] = set()
    finished = threading.Event()

    def remove() -> None:
        try:
            for batch in range(BATCHES):
                there = [document for document in feed.living() if f"m{batch}-" in document.ref]
                feed.add(*map(gone, there))
                writing.index.sync()
                removed.update(document.ref for document in there)
        finally:
            finished.set()

    def search() -> None:
        while not finished.is_set():
            before = set(removed)
            assert before.isdisjoint(found_in(reader))

    together([remove, search, search])
    assert found_in(reader) == []


class PausingDatabase:
    """A database whose reads stop for a moment after their snapshot is taken.

    Args:
        database: Is read.
        pause: Called in every read of the thread that made this object.
    """

    def __init__(self, database: Database, pause: Callable[[], None]) -> None:
        self._database = database
        self._pause = pause
        self._thread = threading.current_thread()
        self.write, self.submit, self.close = database.write, database.submit, database.close

    def read(self, unit: Callable[[Transaction], T]) -> T:
        """Read; first pin the snapshot and pause."""

        def paused(tx: Transaction) -> T:
            tx.row("SELECT id FROM generations")
            if threading.current_thread() is self._thread:
                self._pause()
            return unit(tx)

        return self._database.read(paused)


def test_a_search_on_an_older_snapshot_never_meets_newer_memory(open_index: Open) -> None:
    """Regression: a slow thread took the partition after a fast one had refreshed it further."""
    feed = ScriptedFeed(*messages(0))
    writing, opened = open_index(feed), open_index(feed)
    writing.index.sync()
    counts: list[int] = []
    threads: list[threading.Thread] = []

    def overtake() -> None:
        feed.add(*messages(len(threads) + 1))
        writing.index.sync()
        threads.append(threading.Thread(target=lambda: counts.append(len(found_in(searcher)))))
        threads[-1].start()
        threads[-1].join(0.2)  # it may rightly wait for the lock

    database = PausingDatabase(opened.database, overtake)
    searcher = SearchService(database, opened.settings.search, QuestionVectors(Embedders(), 3.0))
    scores = {hit.ref: hit.score for hit in hits_of(searcher)}
    for thread in threads:
        thread.join()
    assert len(counts) == len(threads) > 1
    seen = [document for document in feed.living() if document.ref in scores]
    fresh = open_index(ScriptedFeed(*seen), folder="fresh")
    fresh.index.sync()
    assert scores == pytest.approx({hit.ref: hit.score for hit in hits_of(fresh.reader())})


def found_in(reader: SearchService) -> list[str]:
    """Return what a search finds, without indexing anything first."""
    return [hit.ref for hit in hits_of(reader)]


def hits_of(reader: SearchService) -> list[Hit]:
    """Return the hits of a search, without indexing anything first."""
    return reader.search("tea", Scope(), EVERYTHING).hits
