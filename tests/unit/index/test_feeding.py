"""Writing batches: once each, whoever else writes, however often a unit is run."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from recollect.core.errors import StoreError
from recollect.core.scope import Scope
from recollect.index.indexing.ingestor import Ingestor, Superseded
from recollect.index.lexical import own_postings, postings, segments
from recollect.index.model.document import SOURCES, Document, DocumentBatch, SourceState
from recollect.index.model.generation import Generation, find_generation
from recollect.index.model.sync_report import NOBODY_WATCHES, Watch
from tests.unit.index.conftest import Open
from tests.unit.index.corpus import (
    OpenIndex,
    ScriptedFeed,
    UnsureDatabase,
    gone,
    key_of,
    note,
    said,
)

WORDS = "tea sencha cold rain Tokyo delivery Tuesday".split()


def messages(first: int, last: int) -> list[Document]:
    """Return messages with a word of their own each, some of a speaker."""
    return [
        said(
            f"m{number}",
            f"{WORDS[number % 7]} word{number}",
            group=f"s{number % 3}",
            order=number,
            name=WORDS[number % 5].title(),
        )
        for number in range(first, last)
    ]


def answers(opened: OpenIndex, query: str) -> dict[object, float]:
    """Return the score of everything that is hit."""
    return {key_of(hit): round(hit.score, 5) for hit in opened.hits(query)}


def serving(opened: OpenIndex) -> Generation:
    """Return the generation that answers."""
    generation = opened.database.read(lambda tx: find_generation(tx, "serving"))
    assert generation is not None
    return generation


def read(feeding: Ingestor, opened: OpenIndex, watch: Watch = NOBODY_WATCHES) -> int:
    """Read the feed of an index and return how many documents were put."""
    return feeding.sync(serving(opened), [opened.feed], watch).put


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    "script", ["again", "fine again fine again", "failed", "fine failed again failed"]
)
def test_units_that_are_run_in_vain_leave_nothing_behind(script: str, open_index: Open) -> None:
    """Numbers that a writer remembers of an attempt that was rolled back are never used."""
    feed = ScriptedFeed(batch=5)
    opened = open_index(feed)
    opened.index.sync()
    feeding = Ingestor(UnsureDatabase(opened.database, script))
    for first in range(0, 30, 10):
        feed.add(*messages(first, first + 10))
        while feed.is_behind(_cursor(opened)):
            try:
                read(feeding, opened)
            except StoreError:
                continue
    fresh = open_index(ScriptedFeed(*feed.living()), folder="fresh")
    for query in (*WORDS, "word7 word19", "what did Sencha say about tea?"):
        assert answers(opened, query) == answers(fresh, query)


def _cursor(opened: OpenIndex) -> int:
    row = opened.database.read(lambda tx: tx.row("SELECT coalesce(max(seq), 0) FROM cursors"))
    assert row is not None
    return int(row[0] or 0)


@pytest.mark.usefixtures("tiny")
def test_two_processes_that_write_in_turns_use_the_same_numbers(open_index: Open) -> None:
    """What one has removed and made anew, the other must not know under its old number."""
    feed = ScriptedFeed()
    one, two = open_index(feed), open_index(feed)
    one.index.sync()
    for first in range(0, 40, 4):
        feed.add(*messages(first, first + 4))
        (one if first % 8 else two).index.sync()
        feed.add(*[gone(document) for document in feed.living()[:3]])
        (two if first % 8 else one).index.sync()
        feed.add(*messages(first, first + 2))
        one.index.sync()
    fresh = open_index(ScriptedFeed(*feed.living()), folder="fresh")
    for query in (*WORDS, "word30 word38", "what did Sencha say about tea?"):
        assert answers(one, query) == answers(two, query) == answers(fresh, query)


def test_a_batch_that_another_process_has_written_is_not_written_again(open_index: Open) -> None:
    """The cursor tells; the rest is read from where the other one stopped."""
    feed = ScriptedFeed(*messages(0, 10), batch=4)
    one, two = open_index(feed), open_index(feed)
    two.index.sync()
    feed.add(*messages(10, 20))
    states: list[int] = []

    class Overtaken(ScriptedFeed):
        def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
            states.append(state.cursor)
            for batch in super().batches(state):
                two.index.sync()
                yield batch

    overtaken = Overtaken(*feed.changes, batch=4)
    report = Ingestor(one.database).sync(serving(one), [overtaken], NOBODY_WATCHES)
    assert (report.documents, states) == (0, [10, 20])
    assert one.index.status().documents == {"sessions": 20}


def test_a_sync_returns_when_everything_is_indexed_also_beside_another_one(
    open_index: Open,
) -> None:
    """Each thread of two processes writes some batches; neither returns before all are written."""
    feed = ScriptedFeed(*messages(0, 200), batch=3)
    pair = [open_index(feed), open_index(feed)]
    seen: list[int] = []

    def sync(opened: OpenIndex) -> None:
        opened.index.sync()
        seen.append(opened.index.status().documents["sessions"])

    threads = [threading.Thread(target=sync, args=(opened,)) for opened in pair]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [200, 200]
    assert len(pair[0].hits(" ".join(f"word{n}" for n in range(200)))) == 200


def test_a_generation_that_was_retired_is_not_written(open_index: Open) -> None:
    """Its rows are being removed."""
    opened = open_index(ScriptedFeed(*messages(0, 3)))
    opened.index.sync()
    old = serving(opened)
    opened.index.rebuild()
    opened.feed.add(*messages(3, 6))
    with pytest.raises(Superseded) as raised:
        Ingestor(opened.database).sync(old, [opened.feed], NOBODY_WATCHES)
    assert raised.value.hint


def test_a_reading_that_is_asked_to_stop_goes_on_later(open_index: Open) -> None:
    """A program that closes does not wait for a long import."""
    opened = open_index(ScriptedFeed(*messages(0, 30), batch=5))
    answered: list[bool] = []

    def stopping() -> bool:
        answered.append(True)
        return len(answered) > 2

    assert opened.index.sync(Watch(mode="background", stopping=stopping)).put == 10
    assert opened.index.sync().put == 20


@pytest.mark.usefixtures("tiny")
def test_a_merge_that_is_asked_to_stop_goes_on_later(open_index: Open) -> None:
    """Terms that were moved stay moved, and are found before and after."""
    feed = ScriptedFeed(batch=4)
    opened = open_index(feed)
    feed.add(*messages(0, 60))
    Ingestor(opened.database).sync(_first(opened), [feed], NOBODY_WATCHES)
    before = answers(opened, "tea rain word7")
    many = _segments(opened)
    stops = [False] * 4
    Ingestor(opened.database).merge(
        serving(opened), Watch(stopping=lambda: not stops or stops.pop())
    )
    assert answers(opened, "tea rain word7") == before
    opened.index.sync()
    assert answers(opened, "tea rain word7") == before
    assert _segments(opened) < many


def _first(opened: OpenIndex) -> Generation:
    opened.index.status()
    return serving(opened)


def _segments(opened: OpenIndex) -> int:
    return len(opened.database.read(lambda tx: segments.segments(tx, 1)))


@pytest.mark.usefixtures("tiny")
def test_two_threads_do_not_merge_the_same(open_index: Open) -> None:
    """The second one leaves it to the first."""
    feed = ScriptedFeed(*messages(0, 60), batch=4)
    opened = open_index(feed)
    feeding = Ingestor(opened.database)
    feeding.sync(_first(opened), [feed], NOBODY_WATCHES)
    inside: list[int] = []

    def merge_within() -> bool:
        if not inside:
            inside.append(_segments(opened))
            feeding.merge(serving(opened), NOBODY_WATCHES)
            inside.append(_segments(opened))
        return False

    feeding.merge(serving(opened), Watch(stopping=merge_within))
    assert inside[0] == inside[1] > _segments(opened)


@pytest.mark.usefixtures("tiny")
def test_merges_of_two_processes_meet_harmlessly(open_index: Open) -> None:
    """The slower one finds that its members are joined already."""
    feed = ScriptedFeed(*messages(0, 60), batch=4)
    one, two = open_index(feed), open_index(feed)
    feeding = Ingestor(one.database)
    feeding.sync(_first(one), [feed], NOBODY_WATCHES)
    before = answers(one, "tea rain word7")
    overtaken: list[bool] = []

    def overtake() -> bool:
        if not overtaken:
            overtaken.append(True)
            Ingestor(two.database).merge(serving(two), NOBODY_WATCHES)
        return False

    feeding.merge(serving(one), Watch(stopping=overtake))
    assert answers(one, "tea rain word7") == answers(two, "tea rain word7") == before


def test_more_chunks_than_a_segment_can_hold_become_several(
    open_index: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An offset has two bytes; one file may have more chunks than that."""
    monkeypatch.setattr(segments, "SPAN", 8)
    monkeypatch.setattr(segments, "SEAL_CHUNKS", 4)
    text = "\n".join(f"{WORDS[n % 7]} line{n} {'x' * 1_500}" for n in range(40))
    opened = open_index(ScriptedFeed(note("memory/large.md", text)))
    assert opened.index.sync().chunks > 30
    stored_segments = opened.database.read(lambda tx: segments.segments(tx, 1))
    assert max(segment.size for segment in stored_segments) == 8
    assert opened.hits("line33")[0].start_line == 34
    opened.feed.add(note("memory/large.md", "short"))
    opened.index.sync()
    assert opened.refs("line33") == []
    assert postings.SPAN == 1 << 16


def test_every_tenant_of_a_batch_has_a_partition_of_its_own(open_index: Open) -> None:
    """One feed may serve many."""
    tenants = [Scope(tenant=name) for name in ("a", "b", "c")]
    feed = ScriptedFeed(*[said("m", "tea", scope=scope) for scope in tenants])
    opened = open_index(feed)
    opened.index.sync()
    feed.add(gone(feed.living()[1]))
    opened.index.sync()
    assert [len(opened.hits("tea", scope)) for scope in tenants] == [1, 0, 1]


def test_what_did_not_change_is_left_alone_and_told(open_index: Open) -> None:
    """A document of equal digest costs a look; blank ones have no chunks but are known."""
    feed = ScriptedFeed(said("a", "tea"), said("b", " \n "))
    opened = open_index(feed)
    first = opened.index.sync()
    assert (first.put, first.chunks) == (2, 1)
    feed.add(*feed.living())
    again = opened.index.sync()
    assert (again.put, again.unchanged, again.documents) == (0, 2, 2)


def test_a_feed_that_only_warns_writes_nothing(open_index: Open) -> None:
    """A file that cannot be read is told before every search."""

    class Warning(ScriptedFeed):
        def batches(self, state: SourceState) -> Iterator[DocumentBatch]:
            yield DocumentBatch(cursor=state.cursor, warnings=("a.md: left out, unreadable",))

    opened = open_index(ScriptedFeed())
    opened.index.sync()
    refusing = UnsureDatabase(opened.database, "failed")
    report = Ingestor(refusing).sync(serving(opened), [Warning()], NOBODY_WATCHES)
    assert report.warnings == ("a.md: left out, unreadable",)


def test_a_dictionary_that_is_full_begins_anew(
    open_index: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It only saves look-ups."""
    monkeypatch.setattr(own_postings, "CACHED_TERMS", 3)
    feed = ScriptedFeed(*messages(0, 30), batch=4)
    opened = open_index(feed)
    opened.index.sync()
    assert opened.refs("word17")[0] == "m17"
    assert opened.refs("word29")[0] == "m29"


def test_a_chunk_that_is_missing_hides_no_other_answer(open_index: Open) -> None:
    """A damaged index answers from what is left, and takes the rest of the document out."""
    feed = ScriptedFeed(*messages(0, 3))
    opened = open_index(feed)
    opened.index.sync()
    opened.database.write(
        lambda tx: tx.execute("DELETE FROM chunks WHERE text LIKE ?", ("%word1%",))
    )
    assert set(opened.refs("word0 word1 word2")) == {"m0", "m2"}
    feed.add(gone(feed.living()[1]))
    assert opened.index.sync().removed == 1
    assert opened.index.status().documents == {"sessions": 2}


def test_sources_are_stored_by_their_place_in_the_list() -> None:
    """Only append to it: the number is in every chunk's record."""
    assert SOURCES == ("memory", "sessions", "observations", "facts", "episodes")
