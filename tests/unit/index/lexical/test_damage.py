"""Damaged rows of the lexical index: told, and the rest answers."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from recollect.core.errors import StoreCorrupt
from recollect.core.scope import Scope
from recollect.index.lexical.choice import backend
from recollect.index.lexical.postings import with_sum, without_sum
from recollect.store.columns import blob, integer
from recollect.store.engine import Transaction
from tests.unit.index.conftest import Open
from tests.unit.index.corpus import EVERYTHING, OpenIndex, ScriptedFeed, gone, said

WORDS = "apple bread cellar dragon engine forest garden harbour".split()
QUERIES = ("apple bread", "dragon engine forest", "harbour")
CELLS = (
    ("postings", "data", "id"),
    ("tail", "postings", "id"),
    ("tail", "layout", "id"),
    ("segments", "layout", "first_chunk"),
)


def corpus(count: int = 30) -> ScriptedFeed:
    """Return random messages, in batches of which the last one stays in the tail."""
    draw = random.Random(11)
    messages = [said(f"m{n}", " ".join(draw.choices(WORDS, k=5)), order=n) for n in range(count)]
    return ScriptedFeed(*messages, batch=7)


def damage(index: OpenIndex, cell: tuple[str, str, str], change: Callable[[bytes], bytes]) -> None:
    """Change one random cell, as a disk would."""
    table, column, key = cell

    def unit(tx: Transaction) -> None:
        rows = list(tx.rows(f"SELECT {key}, {column} FROM {table}"))  # noqa: S608  # from above
        row = random.Random(3).choice(rows)
        tx.execute(
            f"UPDATE {table} SET {column} = ? WHERE {key} = ?",  # noqa: S608
            (change(blob(row[1])), row[0]),
        )

    index.database.write(unit)


def flipped(place: float) -> Callable[[bytes], bytes]:
    """Return what flips a bit somewhere."""

    def flip(data: bytes) -> bytes:
        at = int(place * len(data))
        return data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]

    return flip


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell[0]}.{cell[1]}")
@pytest.mark.parametrize(
    "change",
    [*[flipped(share / 10) for share in range(10)], lambda data: data[:-3], lambda data: b""],
)
@pytest.mark.usefixtures("tiny")
def test_no_damage_changes_an_answer_quietly(
    open_index: Open, cell: tuple[str, str, str], change: Callable[[bytes], bytes]
) -> None:
    """Each question has its true answer, or says that it has not, or fails as damaged."""
    index = open_index(corpus())
    index.index.sync()
    true = {query: [(h.ref, h.score) for h in index.hits(query)] for query in QUERIES}
    damage(index, cell, change)
    for query in QUERIES:
        try:
            result = index.reader().search(query, Scope(), EVERYTHING)
        except StoreCorrupt as error:
            assert error.hint  # noqa: PT017  # one of three right ends
            continue
        if [(hit.ref, hit.score) for hit in result.hits] != true[query]:
            assert any("damaged" in warning for warning in result.warnings)


@pytest.mark.usefixtures("tiny")
def test_the_rest_answers_beside_damaged_postings(open_index: Open) -> None:
    """Words of the other rows find; a doctor counts what is damaged; a rebuild mends it."""
    index = open_index(corpus())
    index.index.sync()
    whole = index.hits("apple bread")
    damage(index, CELLS[0], flipped(0.5))
    own = backend("postings")
    assert own.count_damage(index.database, 1) == 1
    answers = [index.reader().search(word, Scope(), EVERYTHING) for word in WORDS]
    damaged = [answer for answer in answers if "damaged" in " ".join(answer.warnings)]
    assert len(damaged) == 1
    assert all(answer.hits for answer in answers if answer not in damaged)
    index.index.rebuild()
    assert index.hits("apple bread") == whole


@pytest.mark.usefixtures("tiny")
def test_writing_goes_on_beside_damaged_postings(open_index: Open) -> None:
    """Merges leave them alone; a removal empties them, and they are told until a rebuild."""
    feed = corpus()
    index = open_index(feed)
    index.index.sync()
    damage(index, CELLS[0], flipped(0.5))
    feed.add(*[said(f"n{n}", " ".join(WORDS), order=n) for n in range(100, 160)])
    index.index.sync()
    own = backend("postings")
    assert own.count_damage(index.database, 1) == 1
    feed.add(*[gone(said(f"m{n}", "")) for n in range(30)])
    index.index.sync()
    assert own.count_damage(index.database, 1) == 1
    sizes = index.database.read(
        lambda tx: [integer(n) for (n,) in tx.rows("SELECT length(data) FROM postings")]
    )
    assert sizes.count(0) == 1
    assert {hit.ref[0] for hit in index.hits("dragon")} == {"n"}


def test_a_checksum_covers_both_cells() -> None:
    """What it covers comes back; neither part may change."""
    sealed = with_sum(b"data", b"beside")
    assert without_sum(sealed, b"beside") == b"data"
    for blob_, also in ((sealed, b"other"), (b"x" + sealed[1:], b"beside"), (b"", b"")):
        with pytest.raises(StoreCorrupt):
            without_sum(blob_, also)
