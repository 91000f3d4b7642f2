"""One sync at a time in a process, and none that cannot be stopped."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recollect.index.embedding import queue
from recollect.index.model.locks import SyncLock
from recollect.index.model.sync_report import NOBODY_WATCHES, Progress, Watch
from tests.unit.index.scripted import ScriptedEmbedder, ScriptedFeed, ScriptedIndex, said

LONG_S = 30.0
BACKGROUND = Watch(mode="background")


def test_a_second_sync_waits_for_the_first(tmp_path: Path) -> None:
    """And finds nothing left to do; nothing is made twice."""
    embedder = ScriptedEmbedder()
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(9)))
    second_began = threading.Event()
    with ScriptedIndex(tmp_path, feed, embedder) as home, ThreadPoolExecutor(1) as pool:

        def second() -> int:
            second_began.set()
            return home.index.sync().vectors

        def begin_second(_: Sequence[str]) -> None:
            embedder.before = lambda _: None
            later.append(pool.submit(second))
            assert second_began.wait(LONG_S)

        later: list[object] = []
        embedder.before = begin_second
        assert home.index.sync().vectors == 9
        (future,) = later
        assert future.result(LONG_S) == 0  # type: ignore[attr-defined]  # a future
    assert len(embedder.texts) == 9


def test_the_background_gives_way_to_a_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After its batch; the sync does the rest and its caller sees the progress."""
    monkeypatch.setattr(queue, "CHUNKS_AT_ONCE", 3)
    embedder = ScriptedEmbedder()
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(30)))
    waits = threading.Event()
    reports: list[Progress] = []
    with ScriptedIndex(tmp_path, feed, embedder) as home, ThreadPoolExecutor(1) as pool:
        turn = home.index._indexer._locks.sync  # noqa: SLF001  # seen from outside it is only slower

        def ask(_: Sequence[str]) -> None:
            embedder.before = lambda _: None
            futures.append(pool.submit(home.index.sync, Watch(tell=reports.append)))
            while not turn._waiting:  # noqa: SLF001  # the sync has come to the door
                waits.wait(0.001)

        futures: list[object] = []
        embedder.before = ask
        assert home.index.sync(BACKGROUND).vectors == 3
        (future,) = futures
        assert future.result(LONG_S).vectors == 27  # type: ignore[attr-defined]  # a future
    assert reports[-1] == Progress(stage="embedding", done=27, left=0)


def test_who_waits_can_be_stopped() -> None:
    """Closing a memory does not wait for the sync of another thread."""
    lock = SyncLock()

    def take(watch: Watch) -> Watch | None:
        with lock.taken(watch) as mine:
            return mine

    with lock.taken(NOBODY_WATCHES) as first, ThreadPoolExecutor(1) as other:
        assert first is NOBODY_WATCHES
        stopped = Watch(stopping=lambda: True)
        assert other.submit(take, stopped).result(LONG_S) is None
        in_background = Watch(stopping=lambda: True, mode="background")
        assert other.submit(take, in_background).result(LONG_S) is None
    with lock.taken(BACKGROUND) as again:
        assert again is not None
        assert not again.stopping()


def test_who_has_it_may_take_it_for_a_step() -> None:
    """A sync of the home holds it around that of its index; others get it after the whole."""
    lock = SyncLock()
    with lock.taken(NOBODY_WATCHES), lock.taken(NOBODY_WATCHES) as inner:
        assert inner is NOBODY_WATCHES
        assert lock.is_taken
    assert not lock.is_taken


@pytest.mark.parametrize("stage", ["reading", "embedding"])
@pytest.mark.parametrize("rebuild", [False, True])
def test_an_interrupted_sync_leaves_everything_consistent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str, rebuild: bool
) -> None:
    """Ctrl-C: the old index answers, the next sync goes on, nothing is made twice."""
    monkeypatch.setattr(queue, "CHUNKS_AT_ONCE", 4)
    embedder = ScriptedEmbedder()
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(20)))

    def interrupt(progress: Progress) -> None:
        if progress.stage == stage:
            raise KeyboardInterrupt

    with ScriptedIndex(tmp_path, feed, embedder) as home:
        if rebuild:
            home.index.sync()
        with pytest.raises(KeyboardInterrupt):
            (home.index.rebuild if rebuild else home.index.sync)(Watch(tell=interrupt))
        assert home.refs("number7", mode="lexical")[0] == "m7"
        report = home.index.sync()
        status = home.index.status()
        assert report.rebuilt is rebuild
        assert (status.vectors, status.waiting, status.rebuilding) == (20, 0, False)
    assert len(embedder.texts) == len(set(embedder.texts)) == 20


def test_a_stop_during_a_rebuild_flips_nothing(tmp_path: Path) -> None:
    """Half a generation never answers."""
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(5)))
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder()) as home:
        home.index.sync()
        indexer = home.index._indexer  # noqa: SLF001  # the facade offers no stop for a rebuild
        report = indexer.rebuild([feed], Watch(stopping=lambda: True))
        assert not report.rebuilt
        status = home.index.status()
        assert (status.generation, status.vectors) == (1, 5)
