"""Questions for FTS5 and its ranks as scores, against what OpenClaw 2026.9.6 returned.

`build_query` is meant to be equal where it gets the same tokens. Two things differ on purpose:

- our index holds prepared terms, so the search hands it those (`recollect.text.terms`), not the
  runs of letters of the question; only this test cuts them as OpenClaw does;
- a NUL is taken out of a token, a quote is doubled. OpenClaw's tokens hold neither.

`scores_of_ranks` is meant to be equal for every rank that a match can have.
"""

from __future__ import annotations

import math
import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.backends.fts5.matches import build_query, scores_of_ranks
from recollect.store.engine import Row, Transaction
from tests.unit.index.conftest import Open
from tests.unit.index.corpus import ScriptedFeed, said
from tests.unit.index.lexical.test_backends import settings_of

RUN = re.compile(r"\w+")
FLOATS = st.floats(-1e6, 0)


def score_of(rank: float) -> float:
    """Return the score of one rank, in full precision."""
    return float(scores_of_ranks(np.array([rank], np.float64))[0])


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("foo AND bar OR baz", '"foo" AND "AND" AND "bar" AND "OR" AND "baz"'),
        ("it's user's", '"it" AND "s" AND "user" AND "s"'),
        ("col:value*", '"col" AND "value"'),
        ("안녕 hello", '"안녕" AND "hello"'),
        ("NEAR(a b)", '"NEAR" AND "a" AND "b"'),
        ("日本語テキスト検索 v2.1", '"日本語テキスト検索" AND "v2" AND "1"'),
        ("  ", None),
        ("MEMORY.md", '"MEMORY" AND "md"'),
        ("user@example.com", '"user" AND "example" AND "com"'),
        (
            "snake_case camelCase kebab-case",
            '"snake_case" AND "camelCase" AND "kebab" AND "case"',
        ),
    ],
)
def test_the_same_tokens_make_the_query_of_openclaw(raw: str, expected: str | None) -> None:
    """Ten questions and what its builder made of them."""
    assert build_query(RUN.findall(raw)) == expected


@pytest.mark.parametrize(
    ("rank", "score"),
    [
        (-10, 0.9090909090909091),
        (-0.000001, 9.99999000001e-07),
        (-4.2, 0.8076923076923077),
        (-0.5, 0.3333333333333333),
    ],
)
def test_a_rank_has_the_score_of_openclaw(rank: float, score: float) -> None:
    """Five ranks; the rule of 2026.2.9 gave every negative one the score 1."""
    assert score_of(rank) == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize("rank", [math.inf, -math.inf, math.nan])
def test_a_rank_that_is_no_number_scores_next_to_nothing(rank: float) -> None:
    """As in OpenClaw."""
    assert score_of(rank) == 0.001


@given(st.lists(FLOATS, max_size=20))
def test_many_ranks_score_as_each_does(ranks: list[float]) -> None:
    """In [0, 1], and a better rank never scores less."""
    scores = scores_of_ranks(np.array(ranks, np.float32))
    for rank, score in zip(ranks, scores.tolist(), strict=True):
        assert 0 <= score <= 1
        if rank:
            assert score == pytest.approx(-rank / (1 - rank), abs=1e-6)


def test_no_token_is_syntax(open_index: Open) -> None:
    """FTS5 itself takes every query that is built, whatever the tokens hold."""
    index = open_index(ScriptedFeed(said("m", "lantern")), settings=settings_of("fts5"))
    index.index.sync()

    @given(st.lists(st.text(), min_size=1, max_size=8))
    def ask(tokens: list[str]) -> None:
        whole = [token.encode("utf-8", "ignore").decode() for token in tokens]
        for query in (build_query(whole, "AND"), build_query([*whole, "lantern"], "OR")):
            rows = index.database.read(partial(matches, query=query))
            assert rows in ([], [("lantern",)])

    ask()


def matches(tx: Transaction, query: str | None) -> list[Row]:
    """Return the originals that match."""
    sql = "SELECT original FROM chunks_fts_1 WHERE chunks_fts_1 MATCH ?"
    return list(tx.rows(sql, (query,)))
