"""Generations: what is outdated, who may rebuild, and what a killed rebuild leaves."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recollect.core.clock import SystemClock
from recollect.core.errors import EmbeddingError, ProviderError, StoreBusy
from recollect.core.settings import ChunkingSettings, Settings
from recollect.index.embedding import queue
from recollect.index.indexing import indexer
from recollect.index.model.document import Document, DocumentBatch, SourceState
from recollect.index.model.generation import (
    Identity,
    create_generation,
    find_generation,
    flip,
    live_identity,
)
from recollect.index.model.locks import REINDEX, TIDYING, IndexLocks
from recollect.index.model.sync_report import Watch
from recollect.store.engine import Transaction
from recollect.store.locks import OwnerLock
from tests.unit.index.conftest import Open
from tests.unit.index.corpus import (
    OpenIndex,
    ScriptedFeed,
    UnsureDatabase,
    WordEmbedder,
    gone,
    note,
    said,
)

PLAIN = Identity(terms=1, pieces=1, tokens=400, overlap=80)
OTHER_VERSION = "the index was built by another version, with other rules for"
OTHER_CHUNKS = Settings(chunking=ChunkingSettings(tokens=40, overlap=0))
TABLES = (
    "partitions", "names", "chunk_groups", "documents", "chunks", "terms", "tail", "segments",
    "postings", "removals", "vectors", "vector_queue", "code_rows", "code_blocks", "cursors",
)  # fmt: skip


class Died(BaseException):
    """What a kill looks like to the code that it hits."""


class FeedOfOneLife(ScriptedFeed):
    """Dies after some batches."""

    lives = 1_000

    def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
        """Yield what is new until it dies."""
        for batch in super().batches(state):
            self.lives -= 1
            if self.lives < 0:
                raise Died
            yield batch


def rows(opened: OpenIndex) -> dict[str, int]:
    """Return how many rows each table holds."""

    def count(tx: Transaction) -> dict[str, int]:
        return {t: len(list(tx.rows(f"SELECT 1 FROM {t}"))) for t in TABLES}  # noqa: S608  # names of ours

    return opened.database.read(count)


def messages(first: int, last: int) -> list[Document]:
    """Return messages."""
    return [said(f"m{n}", f"tea number{n}", order=n, name="Zoe") for n in range(first, last)]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, None),
        ({"terms": 2}, f"{OTHER_VERSION} words"),
        ({"pieces": 2}, f"{OTHER_VERSION} chunks"),
        ({"terms": 2, "pieces": 2}, f"{OTHER_VERSION} words and chunks"),
        ({"entries": True}, "the cutting of curated files was changed"),
        ({"lexical": "fts5"}, "the lexical back end was changed"),
        ({"dimensions": 4}, "the size of the vectors was changed"),
        ({"dimensions": 0}, None),
        ({"tokens": 40}, "the size of chunks was changed"),
        ({"overlap": 0}, "the size of chunks was changed"),
        (
            {"embedder": "b"},
            "the embedder was changed: other settings, address or weights of the same model",
        ),
        (
            {"embedder": "b", "model": "p:n"},
            "the embedder was changed: model m before, n now",
        ),
        (
            {"embedder": "b", "model": "q:m"},
            "the embedder was changed: provider p before, q now",
        ),
        ({"embedder": ""}, None),
    ],
)
def test_an_index_says_why_it_is_outdated(change: dict[str, Any], reason: str | None) -> None:
    """Without an embedder any vectors fit: they are only not used."""
    built = msgspec.structs.replace(PLAIN, embedder="a", model="p:m", dimensions=8)
    assert built.incompatibility(msgspec.structs.replace(built, **change)) == reason
    assert PLAIN.incompatibility(built) is None
    unnamed = msgspec.structs.replace(built, model="")
    other = msgspec.structs.replace(built, embedder="b")
    assert unnamed.incompatibility(other) == "the embedder was changed", "an old one has no name"


def test_a_generation_that_was_given_up_never_answers(open_index: Open) -> None:
    """Else there would be none that serves, and answers would be empty."""
    opened = open_index(ScriptedFeed())
    opened.index.sync()

    def give_up_and_flip(tx: Transaction) -> tuple[bool, object]:
        building = create_generation(tx, PLAIN, "building", 0)
        tx.execute("UPDATE generations SET status = 'retired' WHERE id = ?", (building.number,))
        return flip(tx, building.number), live_identity(tx, building.number)

    assert opened.database.write(give_up_and_flip) == (False, None)
    assert opened.database.read(lambda tx: find_generation(tx, "serving")) is not None


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("lives", range(9))
def test_a_killed_rebuild_is_finished_by_the_next_sync(lives: int, open_index: Open) -> None:
    """It goes on where it was; no text is embedded twice; nothing of the old one is left."""
    feed, embedder = FeedOfOneLife(*messages(0, 30), batch=4), WordEmbedder()
    opened = open_index(feed, embedder)
    opened.index.sync()
    before = rows(opened)
    embedded = len(embedder.texts)
    feed.lives = lives
    killed = lives < 8
    if killed:
        with pytest.raises(Died):
            opened.index.rebuild()
        assert opened.index.status().rebuilding
    feed.lives = 1_000
    assert opened.refs("number7")[0] == "m7"
    feed.add(*messages(30, 33), gone(feed.living()[0]))
    report = opened.index.sync()
    assert report.rebuilt == killed
    assert opened.refs("number31")[0] == "m31"
    assert "m0" not in opened.refs("number0 tea")
    feed.add(feed.changes[0], *[gone(document) for document in messages(30, 33)])
    opened.index.rebuild()
    after = rows(opened)
    for moving in ("tail", "segments", "postings", "removals", "code_rows", "code_blocks"):
        before.pop(moving)
        after.pop(moving)
    assert after == before
    assert len(embedder.texts) - embedded == 3 + 1


def test_a_rebuild_for_settings_that_are_not_wanted_any_more_is_dropped(open_index: Open) -> None:
    """Killed, and then the setting was changed back."""
    feed = FeedOfOneLife(*messages(0, 30), batch=4)
    opened = open_index(feed)
    opened.index.sync()
    before = rows(opened)
    feed.lives = 3
    with pytest.raises(Died):
        open_index(feed, settings=OTHER_CHUNKS).index.sync()
    feed.lives = 1_000
    assert rows(opened) != before
    assert not opened.index.sync().rebuilt
    assert rows(opened) == before
    assert not opened.index.status().rebuilding


def test_only_one_process_rebuilds(open_index: Open, tmp_path: Path) -> None:
    """Another one is told; its sync still brings the words up to date."""
    feed = ScriptedFeed(*messages(0, 3))
    open_index(feed).index.sync()
    feed.add(*messages(3, 5))
    changed = open_index(feed, settings=OTHER_CHUNKS)
    other = OwnerLock(tmp_path / "home" / "reindex.lock", SystemClock())
    assert other.acquire(REINDEX)
    with pytest.raises(StoreBusy) as raised:
        changed.index.rebuild()
    assert raised.value.hint
    report = changed.index.sync()
    assert (report.put, report.rebuilt) == (2, False)
    assert report.warnings == (indexer.REBUILDING,)
    other.release()
    assert changed.index.sync().rebuilt


def test_a_rebuild_waits_for_a_process_that_only_tidies_up(
    open_index: Open, tmp_path: Path
) -> None:
    """It looks whether a rebuild is due, or drops what no longer answers: that is soon over."""
    opened = open_index(ScriptedFeed(*messages(0, 3)))
    other = OwnerLock(tmp_path / "home" / "reindex.lock", SystemClock())
    assert other.acquire(TIDYING)
    noticed = threading.Timer(0.1, other.release)
    noticed.start()
    assert opened.index.rebuild().rebuilt
    noticed.join()


def test_two_threads_do_not_rebuild_at_once(open_index: Open) -> None:
    """The lock of the process is one object; threads have another one between them."""
    feed, embedder = ScriptedFeed(*messages(0, 3)), WordEmbedder()
    opened = open_index(feed, embedder)
    refused: list[StoreBusy] = []

    def rebuild_too(_: object) -> None:
        embedder.before = lambda _: None

        def attempt() -> None:
            try:
                opened.index.rebuild()
            except StoreBusy as error:
                refused.append(error)

        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()

    embedder.before = rebuild_too
    assert opened.index.rebuild().rebuilt
    assert len(refused) == 1


def test_what_is_said_during_a_rebuild_is_in_the_new_index(open_index: Open) -> None:
    """And is found in the old one before."""
    feed, embedder = ScriptedFeed(*messages(0, 9)), WordEmbedder()
    opened = open_index(feed, embedder)
    reader = open_index(feed)
    answers: list[list[str]] = []

    def speak(_: object) -> None:
        embedder.before = lambda _: None
        feed.add(*messages(9, 12))
        answers.append(reader.refs("number10")[:1])

    opened.index.sync()
    embedder.before = speak
    feed.add(*messages(0, 1), said("m0", "another text", order=0))
    assert opened.index.rebuild().rebuilt
    assert answers == [["m10"]]
    assert reader.refs("number11")[:1] == ["m11"]


def test_a_rebuild_whose_embedder_fails_leaves_the_old_index_and_goes_on_later(
    open_index: Open,
) -> None:
    """Nothing that was made is lost."""
    feed, embedder = ScriptedFeed(*messages(0, 9)), WordEmbedder("old")
    open_index(feed, embedder).index.sync()
    changed = WordEmbedder("new")
    opened = open_index(feed, changed)

    def fail(_: object) -> None:
        raise EmbeddingError("down", hint="try later")

    changed.before = fail
    with pytest.raises(ProviderError):
        opened.index.sync()
    assert opened.refs("number4")[:1] == ["m4"]
    changed.before = lambda _: None
    assert opened.index.sync().rebuilt
    assert len(changed.texts) == 9


def test_the_words_of_another_version_take_no_new_texts(
    open_index: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Terms by old rules and by new ones would not meet; the answer says what to do."""
    feed = ScriptedFeed(*messages(0, 3))
    opened = open_index(feed)
    opened.index.sync()
    monkeypatch.setattr(indexer, "TERMS_VERSION", 10_000)
    feed.add(*messages(3, 6))
    newer = open_index(feed, WordEmbedder())
    result = newer.ask("tea")
    assert len(result.hits) == 3
    assert any("reindex" in warning for warning in result.warnings)
    assert newer.index.sync(Watch(mode="background")).put == 0
    assert newer.index.sync().rebuilt
    assert len(newer.hits("tea")) == 6


def test_a_message_of_a_process_without_embedder_waits_for_one_that_has_it(
    open_index: Open,
) -> None:
    """Whether chunks wait for vectors is read in the transaction, not remembered."""
    feed, embedder = ScriptedFeed(*messages(0, 3)), WordEmbedder()
    without = open_index(feed)
    without.index.sync()
    owner = open_index(feed, embedder)
    owner.index.sync()
    feed.add(*messages(3, 5))
    without.index.sync()
    assert owner.index.status().waiting == 2
    owner.index.sync()
    assert owner.index.status().vectors == 5


def test_the_first_embedder_wins(open_index: Open) -> None:
    """Two processes with different ones look at once; vectors of two spaces never meet."""
    opened = open_index(ScriptedFeed(*messages(0, 3)))
    opened.index.sync()
    early, late = WordEmbedder("early", 64), WordEmbedder("late", 32)

    def overtake() -> None:
        open_index(opened.feed, early).index.sync()

    overtaken = UnsureDatabase(opened.database, before=overtake)
    opened.index_over(overtaken, late).sync(Watch(mode="background"))
    assert (len(early.texts), late.texts) == (3, [])
    assert open_index(opened.feed, early).ask("tea").mode == "hybrid"
    result = open_index(opened.feed, late).ask("tea")
    assert (len(result.hits), result.mode) == (3, "lexical")
    assert any("embedder was changed" in warning for warning in result.warnings)


def test_a_sync_follows_a_rebuild_that_flips_while_it_reads(open_index: Open) -> None:
    """What it has read goes into the generation that answers now."""
    opened = open_index(ScriptedFeed(*messages(0, 3)))
    opened.index.sync()
    rebuilt: list[bool] = []

    def overtake() -> None:
        if not rebuilt:
            rebuilt.append(open_index(opened.feed).index.rebuild().rebuilt)
            opened.feed.add(*messages(6, 7))

    opened.feed.add(*messages(3, 6))
    report = opened.index_over(UnsureDatabase(opened.database, before=overtake), None).sync()
    assert (rebuilt, report.put) == ([True], 1)
    assert len(opened.hits("tea")) == 7


def test_an_embedding_that_takes_long_elsewhere_costs_no_answer(
    open_index: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search does not wait for another process's batch for long."""
    monkeypatch.setattr(queue, "SEARCH_PATIENCE_S", 0.01)
    opened = open_index(ScriptedFeed(*messages(0, 3)), WordEmbedder())
    opened.index.status()
    with IndexLocks(tmp_path / "home", SystemClock()).embedding.turn(1.0):
        result = opened.ask("tea")
    assert len(result.hits) == 3
    assert any("being embedded" in warning for warning in result.warnings)
    assert opened.ask("tea").warnings == []


def test_files_are_cut_by_the_settings_of_their_generation(open_index: Open) -> None:
    """Until the rebuild, old and new chunks of one index are of one size."""
    text = "\n".join(f"line {number} of a file" for number in range(200))
    feed = ScriptedFeed(note("memory/a.md", text))
    open_index(feed).index.sync()
    before = open_index(feed).index.status().chunks
    feed.add(note("memory/b.md", text))
    changed = open_index(feed, settings=OTHER_CHUNKS)
    changed.hits("line")
    assert changed.index.status().chunks == 2 * before
    changed.index.sync()
    assert changed.index.status().chunks > 4 * before
