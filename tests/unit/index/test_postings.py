"""Postings as blobs: what goes in comes out, with counts capped at fifteen."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recollect.index.lexical import postings
from recollect.index.lexical.postings import MAX_COUNT, SPAN, SUM_BYTES, Occurrences

chunks_of_terms = st.lists(
    st.tuples(
        st.lists(st.integers(1, 2**31 - 1) | st.integers(1, 4), max_size=40), st.integers(0, 9)
    ),
    max_size=12,
)


def counted(chunks: list[tuple[list[int], int]], first: int) -> Occurrences:
    """Return the occurrences of chunks given as (terms, length of the head)."""
    flat = [term for terms, _ in chunks for term in terms]
    lengths = [len(terms) for terms, _ in chunks]
    heads = [min(head, len(terms)) for terms, head in chunks]
    return Occurrences.count(flat, lengths, heads, first)


def expected(chunks: list[tuple[list[int], int]], first: int) -> dict[tuple[int, int], int]:
    """Return chunk and term -> packed count, by counting."""
    counts = {}
    for number, (terms, head) in enumerate(chunks, start=first):
        for term, count in Counter(terms).items():
            in_head = min(Counter(terms[:head])[term], MAX_COUNT)
            counts[number, term] = min(count, MAX_COUNT) | in_head << 4
    return counts


def unfolded(found: Occurrences) -> dict[tuple[int, int], int]:
    """Return chunk and term -> packed count."""
    keys = zip(found.chunks.tolist(), found.terms.tolist(), strict=True)
    return dict(zip(keys, found.packed.tolist(), strict=True))


@given(chunks=chunks_of_terms, first=st.integers(0, 2**32 - 100))
def test_every_term_is_counted_in_its_chunk_and_its_head(
    chunks: list[tuple[list[int], int]], first: int
) -> None:
    """One entry per term and chunk, both counts capped."""
    assert unfolded(counted(chunks, first)) == expected(chunks, first)


@given(chunks=chunks_of_terms, first=st.integers(0, 2**32 - 100))
def test_the_tail_and_a_segment_hold_the_same(
    chunks: list[tuple[list[int], int]], first: int
) -> None:
    """By chunk and by term are two writings of one thing."""
    occurrences = counted(chunks, first)
    numbers = range(first, first + len(chunks))
    tail = list(zip(numbers, occurrences.by_chunk(first, len(chunks)), strict=True))
    assert unfolded(Occurrences.of_tail(tail)) == unfolded(occurrences)
    rows = {
        term: postings.decode_postings(first, blob) for term, blob in occurrences.by_term(first)
    }
    assert list(rows) == sorted(rows)
    for term, row in rows.items():
        alone = occurrences.of_term(term)
        assert row.chunks.tolist() == alone.chunks.tolist() == sorted(row.chunks.tolist())
        assert row.packed.tolist() == alone.packed.tolist()
    assert sum(len(row) for row in rows.values()) == len(occurrences.terms)


@given(chunks=chunks_of_terms, cut=st.integers(0, 12))
def test_a_run_can_be_cut_and_put_together(chunks: list[tuple[list[int], int]], cut: int) -> None:
    """A run that is too long for a segment becomes several."""
    occurrences = counted(chunks, 7)
    parts = occurrences.within(7, 7 + cut).followed_by(occurrences.within(7 + cut, 7 + 12))
    assert unfolded(parts) == unfolded(occurrences)


@given(st.lists(st.integers(0, SPAN - 1), unique=True, max_size=50), st.integers(0, 2**31))
def test_a_row_is_three_bytes_a_posting(offsets: list[int], first: int) -> None:
    """The widest offset of a segment fits."""
    numbers = np.array(sorted(offsets), np.int64)
    packed = np.full(len(offsets), 0x21, np.uint8)
    blob = postings.encode_postings(numbers, packed)
    row = postings.decode_postings(first, blob)
    assert len(blob) == 3 * len(row) + SUM_BYTES
    assert (row.chunks - first).tolist() == sorted(offsets)
    assert set((row.packed & MAX_COUNT).tolist()) <= {1}
    assert set((row.packed >> 4).tolist()) <= {2}


def test_no_rows_are_no_postings() -> None:
    """A term that was never sealed."""
    assert len(Occurrences.of_tail([]).of_term(1)) == 0
