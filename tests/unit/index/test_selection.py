"""Which hits are shown: by threshold without losing words, and with a share for memory files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.index.query.shortlist import Standing, above_threshold, quota, with_files

SHARES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
STANDINGS = st.lists(
    st.builds(Standing, score=SHARES, words=SHARES, is_file=st.booleans()), max_size=20
).map(lambda hits: sorted(hits, key=lambda hit: -hit.score))


def hit(score: float, words: float = 0.0) -> Standing:
    """Return a hit."""
    return Standing(score=score, words=words)


@pytest.mark.parametrize(
    ("hits", "limit", "expected"),
    [
        ([hit(0.9), hit(0.5), hit(0.3)], 6, [0, 1]),
        ([hit(0.9), hit(0.5), hit(0.4)], 2, [0, 1]),
        # With all the words it fills a place that is left; with some of them it does not.
        ([hit(0.9), hit(0.3), hit(0.2, 1.0), hit(0.1, 0.5)], 6, [0, 2]),
        ([hit(0.9), hit(0.2, 1.0)], 1, [0]),
        # Nothing reaches it: what has words stays, what is near in meaning only goes.
        ([hit(0.3), hit(0.2, 0.5), hit(0.1, 1.0)], 6, [1, 2]),
        ([hit(0.3), hit(0.2)], 6, []),
        ([], 6, []),
    ],
)
def test_a_threshold_keeps(hits: list[Standing], limit: int, expected: list[int]) -> None:
    """With the threshold .35 of OpenClaw, under which its exact keyword hits vanished."""
    assert above_threshold(hits, 0.35, limit) == expected


@given(STANDINGS, st.sampled_from([0.0, 0.3, 0.6, 1.0]), st.integers(1, 10))
def test_no_threshold_loses_what_it_must_not(
    hits: list[Standing], min_score: float, limit: int
) -> None:
    """The laws of the rule, for any hits."""
    positions = above_threshold(hits, min_score, limit)
    assert positions == sorted(set(positions))
    assert len(positions) <= limit
    reaching = [position for position, each in enumerate(hits) if each.score >= min_score]
    assert set(reaching[:limit]) <= set(positions)
    for position, each in enumerate(hits):
        if each.score < min_score and not each.words:
            assert position not in positions
        if each.words == 1.0 and position not in positions:
            assert len(positions) == limit
    if not reaching and any(each.words for each in hits):
        assert positions


@given(STANDINGS, st.integers(1, 12), SHARES, SHARES)
def test_the_share_of_memory_files_is_there_when_so_many_qualify(
    hits: list[Standing], limit: int, share: float, least: float
) -> None:
    """And nothing else changes: the number of hits, their order, the best of the others."""
    plain = list(range(min(limit, len(hits))))
    share_count = quota(limit, share)
    positions = with_files(hits, plain, share_count, least)
    assert positions == sorted(set(positions))
    assert len(positions) == len(plain)
    files = [position for position in positions if hits[position].is_file]
    already = [position for position in plain if hits[position].is_file]
    qualify = {n for n, each in enumerate(hits) if each.is_file and each.score >= least}
    assert len(files) >= min(share_count, len(qualify | set(already)), len(plain))
    assert set(already) <= set(files)
    others = [position for position in positions if not hits[position].is_file]
    assert others == [position for position in plain if not hits[position].is_file][: len(others)]
    if len({each.is_file for each in hits}) <= 1:
        assert positions == plain


@pytest.mark.parametrize(
    ("limit", "share", "expected"),
    [(6, 0.34, 2), (6, 0.0, 0), (2, 1.0, 0), (3, 0.01, 1), (10, 0.34, 3), (6, 1.0, 6)],
)
def test_a_quota_is_rounded_down(limit: int, share: float, expected: int) -> None:
    """At least one of three or more."""
    assert quota(limit, share) == expected
