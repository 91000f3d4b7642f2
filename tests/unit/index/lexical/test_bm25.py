"""BM25 over our own postings: what a budget puts off is added for the candidates, exactly."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from recollect.index.lexical.bm25 import Impacts, LexicalScores, QueryTerm, score
from recollect.index.lexical.port import EVERY
from recollect.index.lexical.postings import Postings, join, pack
from recollect.index.model.chunk_arrays import ChunkArrays
from tests.unit.index.test_chunk_arrays import append

COUNT = 60
RARE = [3, 4, 17, 40, 59]
SPLIT = 31
"""Where the second segment begins."""


def _arrays() -> ChunkArrays:
    """Return chunks of four groups that lie across one another."""
    arrays, draw = ChunkArrays(), random.Random(5)
    for number in range(COUNT):
        append(arrays, (number % 4, number, draw.randint(5, 90), draw.randint(1, 5)))
    return arrays


def _term(name: str, chunks: list[int]) -> QueryTerm:
    """Return a term that stands in some chunks, several times in some and not in every head."""
    rows = []
    for first, end in ((0, SPLIT), (SPLIT, COUNT)):
        numbers = np.array([n for n in chunks if first <= n < end], np.int64)
        if len(numbers):
            rows.append(Postings(numbers, pack(1 + numbers % 5, numbers % 3)))
    return QueryTerm(name, join(rows))


COMMON = _term("common", [n for n in range(COUNT) if n % 7])
FREQUENT = _term("frequent", [n for n in range(COUNT) if n % 2])
TERMS = [COMMON, _term("rare", RARE), FREQUENT]


def _scores(budget: int, terms: Sequence[QueryTerm] = TERMS) -> LexicalScores:
    arrays = _arrays()
    return score(Impacts(arrays), terms, budget, {})


def test_terms_above_the_budget_are_put_off_the_most_common_ones() -> None:
    """The budget is in postings, counted from the rarest term on; its last one is still read."""
    rare, frequent = len(RARE), FREQUENT.frequency
    deferred = {
        budget: [term.term for term, _ in _scores(budget).deferred]
        for budget in (1, rare + frequent - 1, rare + frequent, EVERY)
    }
    assert deferred == {
        1: ["frequent", "common"],
        rare + frequent - 1: ["frequent", "common"],
        rare + frequent: ["common"],
        EVERY: [],
    }


def test_the_rarest_term_is_read_whatever_it_costs() -> None:
    """Without it there would be no candidates."""
    scores = _scores(1, [COMMON])
    assert scores.deferred == []
    assert np.count_nonzero(scores.chunks) > 0


@pytest.mark.parametrize("budget", [1, len(RARE) + FREQUENT.frequency])
def test_what_was_put_off_is_added_for_those_that_are_asked_for(budget: int) -> None:
    """With the counts of their neighbours, in any order: as if all had been read at once."""
    tight, full = _scores(budget), _scores(EVERY)
    assert tight.deferred
    for numbers in (np.arange(COUNT), np.array([59, 0, 31, 30, 4, 4, 28])):
        assert tight.complete(numbers) == pytest.approx(full.chunks[numbers], abs=1e-6)
        assert (tight.chunks[numbers] < full.chunks[numbers]).all()


def test_what_was_put_off_tells_nothing_of_groups() -> None:
    """Nearly all of them hold it."""
    tight, full = _scores(1), _scores(EVERY)
    rare = _scores(EVERY, [TERMS[1]])
    assert (tight.groups[:4] < full.groups[:4]).all()
    assert np.flatnonzero(tight.groups).tolist() == np.flatnonzero(rare.groups).tolist()


def test_a_term_is_counted_in_chunks_themselves() -> None:
    """In the order of the question, without neighbours; chunks of both segments and of none."""
    numbers = np.array([59, 7, 30, 31, 1, 59])
    assert COMMON.counts(numbers).tolist() == [5, 0, 1, 2, 2, 5]


def test_a_common_term_that_is_asked_for_again_is_worked_out_once_and_alike() -> None:
    """The first time it is looked up for the few; then it is held for all chunks."""
    impacts, numbers = Impacts(_arrays()), np.arange(3, COUNT, 5)
    looked_up = impacts.among(COMMON, numbers)
    assert impacts.among(COMMON, numbers).tolist() == looked_up.tolist()
    assert impacts.of(COMMON) is impacts.of(COMMON)


def test_the_term_not_asked_for_longest_goes_first() -> None:
    """What is held has a limit in numbers; a term that was just asked for stays."""
    sizes = [Impacts(_arrays()).of(term).size for term in (COMMON, FREQUENT, TERMS[1])]
    impacts = Impacts(_arrays(), sum(sizes) - 1)
    first, second = impacts.of(COMMON), impacts.of(FREQUENT)
    assert impacts.of(COMMON) is first
    impacts.of(TERMS[1])
    assert impacts.of(COMMON) is first
    assert impacts.of(FREQUENT) is not second
