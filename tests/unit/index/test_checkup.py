"""The examination of index.db: a sound one has nothing, every damage is found, and mended."""

from __future__ import annotations

import random

import apsw  # noqa: TID251  # writes what none of our writers does
import msgspec
import pytest

from recollect.core.scope import Scope
from recollect.core.settings import Settings
from recollect.index.repair import checkup, faults
from recollect.index.repair.checkup import Defect, IndexCheckup
from tests.unit.index.conftest import Open
from tests.unit.index.corpus import OpenIndex, ScriptedFeed, WordEmbedder, gone, note, said
from tests.unit.index.old_index import OTHERS

WORDS = "tea rain kettle router plan green quarterly note harbour lamp".split()


def _documents(count: int) -> ScriptedFeed:
    dice = random.Random(7)
    feed = ScriptedFeed()
    for number in range(count):
        text = " ".join(dice.choices(WORDS, k=12)) + f" unique{number}"
        scope = Scope(user="ann" if number % 3 else None)
        feed.add(said(f"m{number}", text, group=f"s{number % 4}", order=number, scope=scope))
    feed.add(note("memory/a.md", "# A\n\nThe harbour lamp.\n"))
    return feed


@pytest.fixture
def opened(open_index: Open, tiny: None) -> OpenIndex:
    """A sound index of forty documents, with vectors, sealed and waiting words."""
    index: OpenIndex = open_index(_documents(40), WordEmbedder())
    index.index.sync()
    return index


def _checkup(opened: OpenIndex) -> IndexCheckup:
    return IndexCheckup(opened.database, opened.index)


def _found(opened: OpenIndex, *, deep: bool = True) -> list[Defect]:
    return _checkup(opened).examine(deep=deep)


def test_a_sound_index_has_no_ailment(opened: OpenIndex) -> None:
    """Deep or not."""
    assert _found(opened) == []
    assert _found(opened, deep=False) == []


@pytest.mark.parametrize("seed", range(3))
def test_no_history_leaves_an_ailment(open_index: Open, tiny: None, seed: int) -> None:
    """Whatever was put, changed and removed, with or without vectors, in either back end."""
    dice = random.Random(seed)
    feed = _documents(12)
    backend = "fts5" if seed == 2 else "postings"
    settings = msgspec.convert({"search": {"lexical": {"backend": backend}}}, Settings)
    index = open_index(feed, WordEmbedder() if seed else None, settings)
    for step in range(12):
        living = feed.living()
        for document in dice.sample(living, k=min(len(living), 3)):
            feed.add(gone(document) if dice.random() < 0.6 else document)
        text = " ".join(dice.choices(WORDS, k=5))
        feed.add(said(f"new{step}", text, group=f"s{dice.randrange(5)}", order=100 + step))
        index.index.sync()
        if dice.random() < 0.2:
            index.index.rebuild()
    assert _found(index) == []


ORPHANS = {
    "documents of no partition": "INSERT INTO documents SELECT id + 9000, 77, source, ref,"
    " group_number, hash, first_chunk, chunk_count, at, agent_id, user_id, project_id, speaker_id,"
    " role, stamp FROM documents LIMIT 1",
    "chunks of no partition": "INSERT INTO chunks SELECT (77 << 40) + id, document, start_line,"
    " end_line, hash, text FROM chunks LIMIT 1",
    "vectors without a chunk": "INSERT INTO vectors VALUES ((1 << 40) + 9000, x'00')",
    "waiting vectors without a chunk": "INSERT INTO vector_queue VALUES ((1 << 40) + 9000)",
    "refused vectors without a chunk": "INSERT INTO vector_refused VALUES ((1 << 40) + 9000, 'x')",
    "annotations without a chunk": "INSERT INTO annotations"
    " VALUES ((1 << 40) + 9000, 5, '[]', '[]')",
    "postings without a term": "INSERT INTO postings VALUES (9000 << 32, x'00')",
    "groups without a document": "INSERT INTO chunk_groups"
    " VALUES (1, 9000, 'sessions', 'x', 0, NULL)",
    "names without a document": "INSERT INTO names VALUES (9000, 1, 'user', 'nobody', 0)",
    "file names without a document": "INSERT INTO file_names VALUES (1, 'x', 1, 9000)",
    "mentions without a document": "INSERT INTO mentions VALUES (1, 12, 9000, 3)",
    "terms of no partition": "INSERT INTO terms VALUES (9000, 77, 'x')",
    "segments of no partition": "INSERT INTO segments VALUES (77, 0, 1, x'00', x'00')",
    "waiting words of no partition": "INSERT INTO tail VALUES (77 << 40, x'00', x'00')",
    "codes of no partition": "INSERT INTO code_rows VALUES (9000, 77, 1, x'00')",
    "blocks of codes of no partition": "INSERT INTO code_blocks VALUES (77, 0, 1, x'00')",
    "removals of no partition": "INSERT INTO removals VALUES (9000, 77, 1)",
    "cursors of no generation": "INSERT INTO cursors VALUES (77, 'x', 1)",
}


def _reopened(open_index: Open, index: OpenIndex, *statements: str) -> OpenIndex:
    """Close an index, write what no writer of ours could, and open it again."""
    index.close()
    connection = apsw.Connection(str(index.folder / "index.db"))
    for statement in statements:
        connection.execute(statement)
    connection.close()
    return open_index(index.feed, WordEmbedder())


@pytest.mark.parametrize("kind", [kind.name for kind in checkup.ORPHAN_KINDS])
def test_each_kind_of_orphans_is_found_and_removed(
    open_index: Open, tiny: None, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And only those rows."""
    monkeypatch.setattr(checkup, "ROWS", 2)
    index = open_index(_documents(8), WordEmbedder())
    index.index.sync()
    before = index.refs("tea")
    damaged = _reopened(open_index, index, ORPHANS[kind])
    defects = _found(damaged)
    assert f"1 {kind}" in [ailment.detail for ailment in defects]
    repairs = _checkup(damaged).repair(defects)
    assert repairs[0].startswith("removed ")
    assert _found(damaged) == []
    assert damaged.refs("tea") == before


def test_beside_a_retired_generation_orphans_are_not_counted(
    open_index: Open, opened: OpenIndex
) -> None:
    """Its rows go one kind after another."""
    damaged = _reopened(
        open_index,
        opened,
        "INSERT INTO vectors VALUES ((1 << 40) + 9000, x'00')",
        "INSERT INTO generations (status, identity, created_at)"
        " SELECT 'retired', identity, 0 FROM generations",
    )
    assert _found(damaged) == []


SPOILED_VECTORS = {
    "chunks without a vector that wait for none": "DELETE FROM vectors WHERE id % 5 = 0",
    "vectors of another size than the index has": "UPDATE vectors SET data = x'0000'"
    " WHERE id % 7 = 0",
    "vectors that no code stands for": "DELETE FROM code_rows; DELETE FROM code_blocks",
}


@pytest.mark.parametrize("what", SPOILED_VECTORS)
def test_vectors_that_are_missing_or_wrong_are_made_again(
    open_index: Open, opened: OpenIndex, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hits are the same as before."""
    monkeypatch.setattr(faults, "REPAIRED", 3)
    before = opened.hits("green tea")
    damaged = _reopened(open_index, opened, *SPOILED_VECTORS[what].split("; "))
    defects = _found(damaged, deep=False)
    assert [ailment.kind for ailment in defects] == ["vectors"]
    assert defects[0].detail.endswith(what)
    assert not defects[0].needs_rebuild
    (repair,) = _checkup(damaged).repair(defects)
    assert repair == f"let {defects[0].rows:,} vectors be made again"
    damaged.index.sync()
    assert _found(damaged) == []
    assert damaged.hits("green tea") == before


def test_codes_of_chunks_that_are_not_there_are_removed(
    open_index: Open, opened: OpenIndex
) -> None:
    """They would be looked at in every search."""
    damaged = _reopened(
        open_index, opened, "INSERT INTO code_rows VALUES (9000, 1, 9000, zeroblob(8))"
    )
    defects = _found(damaged)
    assert [ailment.detail for ailment in defects] == ["1 codes of chunks that are not there"]
    _checkup(damaged).repair(defects)
    assert _found(damaged) == []


SPOILED_WORDS = {
    "changed text": "UPDATE chunks SET text = 'nothing as before'",
    "lost postings": "DELETE FROM postings",
    "lost waiting words": "UPDATE tail SET postings = x''",
    "damaged postings": "UPDATE postings SET data = x'0000ff' WHERE rowid % 20 = 0",
    "lost documents": "DELETE FROM documents WHERE source = 'memory'",
    "lost chunks": "DELETE FROM chunks WHERE id % 9 = 0",
}


@pytest.mark.parametrize("what", SPOILED_WORDS)
def test_words_that_drifted_are_built_anew(open_index: Open, opened: OpenIndex, what: str) -> None:
    """From the records and the files, beside the old ones."""
    opened.feed.add(said("last", "one that waits", order=99))
    opened.index.sync()
    before = opened.refs("tea")
    damaged = _reopened(open_index, opened, SPOILED_WORDS[what])
    defects = _found(damaged)
    assert any(ailment.kind == "words" and ailment.needs_rebuild for ailment in defects)
    assert "rebuilt the index" in _checkup(damaged).repair(defects)
    assert _found(damaged) == []
    assert damaged.refs("tea") == before


def test_a_sample_finds_what_is_wrong_with_many(
    open_index: Open, opened: OpenIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And looks at so many chunks only."""
    monkeypatch.setattr(faults, "SAMPLE", 10)
    monkeypatch.setattr(faults, "TOGETHER", 4)
    damaged = _reopened(open_index, opened, "UPDATE chunks SET text = text || ' later'")
    (ailment,) = _found(damaged, deep=False)
    assert ailment.detail == "10 of 10 chunks are not found by all their words"


SPOILED_CACHE = {
    "short": ("UPDATE embedding_cache SET data = x'00' WHERE id = 1", False),
    "empty": ("UPDATE embedding_cache SET data = x'' WHERE id = 1", False),
    "no number": ("UPDATE embedding_cache SET data = zeroblob(128) WHERE id = 1", True),
}


@pytest.mark.parametrize("what", SPOILED_CACHE)
def test_damaged_rows_of_the_cache_are_removed(
    open_index: Open, opened: OpenIndex, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its length is seen at once, its content when one looks deep."""
    monkeypatch.setattr(checkup, "CACHE_ROWS", 7)
    statement, is_deep = SPOILED_CACHE[what]
    damaged = _reopened(open_index, opened, *OTHERS, statement)
    defects = _found(damaged, deep=is_deep)
    assert [ailment.detail for ailment in defects] == ["1 damaged vectors in the cache"]
    assert _checkup(damaged).repair(defects) == ["removed 1 damaged vectors from the cache"]
    assert _found(damaged) == []
