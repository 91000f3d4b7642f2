"""What searches hold in memory fits one state of the index, and goes with what is removed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recollect.index.lexical import bm25, own_postings
from recollect.index.model.document import Removal
from recollect.index.query.partition import Partition
from recollect.index.vectors import codes, vector_rows
from recollect.index.vectors.codes import CodeMatrix, encode_codes
from recollect.store.columns import blob, first_integer
from recollect.store.engine import Transaction
from tests.unit.index.scripted import ScriptedEmbedder, ScriptedFeed, ScriptedIndex, said

TEXTS = ("green tea with mint", "the harbour at night", "tea in the harbour", "mint and lemon")
QUESTIONS = ("green tea", "harbour night", "where is the mint?", "tea")


def _feed(count: int = 40) -> ScriptedFeed:
    texts = (f"{TEXTS[n % 4]} {n}" for n in range(count))
    return ScriptedFeed(*(said(f"m{n}", text, session="s") for n, text in enumerate(texts)))


def _answers(home: ScriptedIndex) -> list[list[tuple[str, float]]]:
    return [[(hit.ref, hit.score) for hit in home.ask(question).hits] for question in QUESTIONS]


def _partition(tx: Transaction) -> Partition:
    return Partition(first_integer(tx.row("SELECT max(id) FROM partitions")), 256)


def _held_bytes(partition: Partition) -> bytes:
    """Return all that a partition holds of vectors, whatever it is called."""
    values = vars(partition.vectors).values()
    arrays = [part for part in values if isinstance(part, np.ndarray)]
    return b"".join(part.tobytes() for part in arrays)


def test_what_is_held_is_let_go_of_where_it_takes_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answers are the same with room for nothing as with room for all."""
    with ScriptedIndex(tmp_path / "wide", _feed(), ScriptedEmbedder()) as home:
        expected = [_answers(home) for _ in range(2)]
    monkeypatch.setattr(own_postings, "HELD_POSTINGS", 0)
    monkeypatch.setattr(bm25, "HELD_NUMBERS", 0)
    monkeypatch.setattr(vector_rows, "HELD_BYTES", 50 * 2 * 256)

    with ScriptedIndex(tmp_path / "narrow", _feed(), ScriptedEmbedder()) as home:
        assert [_answers(home) for _ in range(2)] == expected
    monkeypatch.setattr(vector_rows, "HELD_BYTES", 10 * 2 * 256)
    with ScriptedIndex(tmp_path / "narrower", _feed(), ScriptedEmbedder()) as home:
        assert [_answers(home) for _ in range(2)] == expected


def test_the_word_not_asked_for_longest_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word of every question is not read again because rare ones fill the memory."""
    with ScriptedIndex(tmp_path, _feed(), ScriptedEmbedder()) as home:
        home.index.sync()
        partition = home.database.read(_partition)

        def look(tx: Transaction) -> list[bool]:
            partition.refresh(tx)
            find = partition.words.find
            common, rare = find(tx, "tea"), find(tx, "lemon")
            monkeypatch.setattr(own_postings, "HELD_POSTINGS", 40)
            assert find(tx, "tea") is common
            find(tx, "harbour")
            return [find(tx, "tea") is common, find(tx, "lemon") is rare]

        assert home.database.read(look) == [True, False]


def test_halves_become_the_singles_that_they_are() -> None:
    """Every number that a half can be, down to the smallest ones."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)]
    singles = vector_rows._singles(halves)  # noqa: SLF001  # of the rows of a table
    assert singles.tobytes() == halves.astype(np.float32).tobytes()


@pytest.mark.parametrize("share", [1.0, 0.5, 0.02])
def test_the_nearest_codes_are_all_found_among_what_is_visible(share: float) -> None:
    """However many a sample lets through, and with all that are as near as the last one."""
    draw = np.random.default_rng(5)
    distance = draw.binomial(384, 0.5, 20_000).astype(np.uint16)
    visible = draw.random(20_000) < share
    nearest = codes.CodeScan(distance, 384).nearest(300, visible)
    last = np.sort(distance[visible])[299]
    assert np.array_equal(nearest, np.flatnonzero(visible & (distance <= last)))


def test_what_another_process_removes_leaves_the_memory_of_this_one(tmp_path: Path) -> None:
    """Its vector, its words, and its place in the answers go with the next look."""
    feed, embedder = _feed(), ScriptedEmbedder()
    feed.entries.append(said("m99", "a saffron secret", session="s"))
    with ScriptedIndex(tmp_path, feed, embedder) as other:
        other.index.sync()
        with ScriptedIndex(tmp_path, feed, embedder) as home:
            last = "SELECT data FROM vectors ORDER BY id DESC LIMIT 1"
            ((secret,),) = home.database.read(lambda tx: tx.all(last))
            partition = home.database.read(_partition)

            def look(tx: Transaction) -> tuple[int, bytes]:
                partition.refresh(tx)
                present = np.flatnonzero(partition.arrays.alive[: partition.arrays.count])
                assert partition.vectors is not None
                partition.vectors.read(tx, present)
                return partition.words.find(tx, "saffron").frequency, _held_bytes(partition)

            found, held = home.database.read(look)
            assert (found, blob(secret) in held) == (1, True)
            assert home.refs("saffron secret")[0] == "m99"

            feed.entries.append(Removal(source="sessions", ref="m99", tenant="local"))
            other.index.sync()

            found, held = home.database.read(look)
            assert (found, blob(secret) in held) == (0, False)
            assert "m99" not in home.refs("saffron secret")


def test_a_replaced_vector_is_read_again(tmp_path: Path) -> None:
    """A chunk whose text was edited has another vector under another number or the same."""
    feed = _feed(8)
    with ScriptedIndex(tmp_path / "one", feed, ScriptedEmbedder()) as home:
        _answers(home)
        feed.entries.append(said("m3", "a cold lemonade", session="s"))
        edited = _answers(home)
    fresh = ScriptedFeed(*feed.entries)
    with ScriptedIndex(tmp_path / "two", fresh, ScriptedEmbedder()) as home:
        again = _answers(home)
    assert [[ref for ref, _ in each] for each in edited] == [[ref for ref, _ in e] for e in again]


@pytest.mark.parametrize("dimensions", [64, 100, 256, 384, 700])
def test_codes_are_compared_bit_by_bit(dimensions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In steps, and with sums that would not fit in one byte."""
    monkeypatch.setattr(codes, "SCAN_STEP", 7)
    draw = np.random.default_rng(3)
    vectors = draw.standard_normal((30, dimensions), np.float32)
    question = draw.standard_normal(dimensions, np.float32)
    vectors[4] = -question
    matrix = CodeMatrix(dimensions)
    matrix._reserve(30)  # noqa: SLF001  # as `refresh` does with the rows of a table
    matrix._put(np.arange(29), encode_codes(vectors[:29]))  # noqa: SLF001  # the last one has no code

    cosines = matrix.scan(question, 30).cosine(np.arange(30))

    differing = ((vectors[:29] > 0) != (question > 0)).sum(axis=1)
    assert cosines[:29] == pytest.approx(np.cos(differing * np.pi / dimensions), abs=1e-6)
    assert cosines[29] == -1.0
